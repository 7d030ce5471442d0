import AudioPlayback
import Foundation
import SessionProgramSupport

/// The events of the recorder.
enum RecorderEventKind: ProgramEventKind {
    case change(SessionChange)
    /// Recording starts with a sound of this level, in dBFS, or after this time.
    case waiting(level: Double?, seconds: Double?)
    /// A file has its first frame.
    case started(path: String)
    /// `by`: user or session.
    case paused(by: String)
    case resumed
    case position(path: String, frame: Int, seconds: Double)
    case level([ChannelLevel])
    case gap(AudioRecorder.Gap)
    /// A file is complete.
    case file(CompletedFile)
    case ended(Summary)

    /// A level in dBFS; nil for silence.
    struct ChannelLevel: Equatable {
        var peak: Double?
        var rms: Double?
        /// Samples at or beyond full scale since the start.
        var clipped: Int

        init(_ level: AudioRecorder.Level) {
            func decibels(_ gain: Float) -> Double? {
                gain > 0 ? (20 * log10(Double(gain)) * 100).rounded() / 100 : nil
            }
            (peak, rms, clipped) = (decibels(level.peak), decibels(level.rms), level.clippedSamples)
        }
    }

    struct CompletedFile: Codable, Equatable {
        var path: String
        var frames: Int
        var sampleRate: Int
        var channels: Int
        /// Why it ended: the reason of the recording's end, or nextFile.
        var reason: String
    }

    struct Summary: Codable, Equatable {
        var reason: String
        var files: Int
        var frames: Int
        var seconds: Double
        var lostFrames: Int
    }

    var name: String {
        switch self {
        case .change(let change): change.name
        case .waiting: "waiting"
        case .started: "started"
        case .paused: "paused"
        case .resumed: "resumed"
        case .position: "position"
        case .level: "level"
        case .gap: "gap"
        case .file: "file"
        case .ended: "ended"
        }
    }

    func encodeValues(to encoder: any Encoder) throws {
        var keyed = encoder.container(keyedBy: EventKey.self)
        switch self {
        case .change(let change): try change.encodeValues(to: encoder)
        case .waiting(let level, let seconds):
            try keyed.encodeIfPresent(level, forKey: "level")
            try keyed.encodeIfPresent(seconds, forKey: "seconds")
        case .started(let path): try keyed.encode(path, forKey: "path")
        case .paused(let by): try keyed.encode(by, forKey: "by")
        case .resumed: break
        case .position(let path, let frame, let seconds):
            try keyed.encode(path, forKey: "path")
            try keyed.encode(frame, forKey: "frame")
            try keyed.encode((seconds * 1000).rounded() / 1000, forKey: "seconds")
        case .level(let levels): try keyed.encode(levels, forKey: "channels")
        case .gap(let gap):
            try keyed.encode(gap.path.description, forKey: "path")
            try keyed.encode(gap.firstFrame, forKey: "frame")
            try keyed.encode(gap.frames, forKey: "frames")
            try keyed.encode("\(gap.cause)", forKey: "cause")
        case .file(let file): try file.encode(to: encoder)
        case .ended(let summary): try summary.encode(to: encoder)
        }
    }

    var line: String? {
        switch self {
        case .change(let change): change.line
        case .waiting(let level?, _): "waiting for a sound of \(Text.oneDecimal(level)) dBFS"
        case .waiting(_, let seconds): "waiting for \(Text.clock(seconds ?? 0))"
        case .started(let path): "recording to \(name(of: path))"
        case .paused(let by): "paused by the \(by)"
        case .resumed: "resumed"
        case .position(let path, _, let seconds): "\(name(of: path)): \(Text.clock(seconds))"
        case .level(let levels):
            "level: " + levels.map { "\(Text.level($0.peak))\($0.clipped > 0 ? " CLIP" : "")" }.joined(separator: ", ")
                + " dBFS"
        case .gap(let gap): "lost: \(gap.frames) frames from frame \(gap.firstFrame) on (\(gap.cause)); they are silent"
        case .file(let file): "complete: \(name(of: file.path)), \(file.frames) frames (\(file.reason))"
        case .ended(let summary):
            summary.files == 0
                ? "ended (\(summary.reason)): nothing was recorded"
                : """
                ended (\(summary.reason)): \(Text.clock(summary.seconds)) in \(summary.files) \
                file\(summary.files == 1 ? "" : "s"), \(summary.lostFrames) frames lost
                """
        }
    }

    /// The name of a file, without its folder.
    private func name(of path: String) -> String { path.split(separator: "/").last.map { String($0) } ?? path }

    var isPosition: Bool { if case .position = self { true } else { false } }
}

extension RecorderEventKind.ChannelLevel: Encodable {
    func encode(to encoder: any Encoder) throws {
        var keyed = encoder.container(keyedBy: EventKey.self)
        // Silence is encoded as null, not omitted.
        try keyed.encode(peak, forKey: "peak")
        try keyed.encode(rms, forKey: "rms")
        try keyed.encode(clipped, forKey: "clipped")
    }
}
