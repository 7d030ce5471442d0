/// What a recording does from a frame on.
enum RecordingChange: Equatable, Sendable {
    /// Records; ends after `limit` frames, if given.
    case record(limit: Int?)
    /// Continues with what the last release interrupted: records, or waits for a level.
    case resume
    /// Records from the first frame on in which a sample has a magnitude of `level` or more; ends
    /// after `limit` frames, if given.
    case arm(level: Float, limit: Int?)
    /// Reads the input without recording it.
    case pause
    /// Does the same, and uses no later frame of this input. `pauses`: it was recording, or would.
    case release(pauses: Bool)
    /// Continues in another file if the sample rate differs from that of the current one.
    case sampleRate(Int)
    /// Continues in another file.
    case nextFile
    /// Records silence in place of frames that the server did not deliver.
    case serverGap(seconds: Double)
    /// The server has returned. Its input may come later.
    case serverReturned
    /// The input that was missing since the server's return is there, or is no longer awaited.
    case inputReturned
    /// Records silence in place of frames that an xrun has cost.
    case xrunGap(frames: Int)
    /// Completes the files.
    case finish(AudioRecording.Ending)
}

extension RecordingChange {
    /// Whether it starts to record, or to wait for a level.
    var isStart: Bool {
        switch self {
        case .record, .resume, .arm: true
        default: false
        }
    }

    /// Whether it starts or ends recording: it then cancels starts that are to come.
    var replacesStarts: Bool {
        switch self {
        case .record, .resume, .arm, .pause, .release, .finish: true
        case .sampleRate, .nextFile, .serverGap, .serverReturned, .inputReturned, .xrunGap: false
        }
    }
}

/// The changes of a recording that are still due, each at a frame of the engine's clock.
struct RecordingTimeline {
    private var changes: [(frame: UInt64, change: RecordingChange)] = []

    /// The frame of the earliest change.
    var nextFrame: UInt64? { changes.first?.frame }

    /// Adds a change. Changes at the same frame take effect in the order in which they were added.
    mutating func insert(_ change: RecordingChange, at frame: UInt64) {
        changes.insert((frame, change), at: changes.firstIndex { $0.frame > frame } ?? changes.endIndex)
    }

    /// Removes the starts that take effect after `frame`; returns the earliest.
    mutating func cancelStarts(after frame: UInt64) -> (frame: UInt64, change: RecordingChange)? {
        let isCancelled = { (pending: (frame: UInt64, change: RecordingChange)) in
            pending.frame > frame && pending.change.isStart
        }
        defer { changes.removeAll(where: isCancelled) }
        return changes.first(where: isCancelled)
    }

    /// Removes and returns the earliest change if it takes effect at `frame` or before.
    mutating func take(through frame: UInt64) -> (frame: UInt64, change: RecordingChange)? {
        guard let first = changes.first, first.frame <= frame else { return nil }
        return changes.removeFirst()
    }
}
