internal import AudioRendering

/// Decides what becomes of the frames of an input: which are recorded, in which file, and where
/// silence takes the place of lost ones.
///
/// A value belongs to one thread at a time, and knows neither threads nor clocks: the time is that
/// of the frames.
struct RecordingWork {
    private enum Mode { case idle, armed(level: Float), recording }

    private var files: RecordingFiles
    private let configuration: AudioRecording.Configuration
    private var channels: Int { configuration.channels }
    private var preRoll: PreRoll
    private var meter: RecordingMeter
    private var mode = Mode.idle
    /// The mode before the input was released.
    private var releasedMode = Mode.recording
    /// The first frame to record in the current mode: an input may begin earlier.
    private var startTime: UInt64 = 0
    /// The frames of the input whose time has not come, and its count of lost frames with them.
    private var held: (block: EngineInput.Block, lostFrames: UInt64)?
    /// The time of the input's next frame, and how many of its lost frames are accounted for; nil
    /// before its first frame.
    private var nextTime: UInt64?
    private var accountedLosses: UInt64 = 0
    /// The number of frames that may still be recorded; nil: no limit.
    private var framesLeft: Int?
    private var hasStartedFile = false
    /// The frame of the server's last return, and the number of frames that the current file had
    /// then; nil if another file has begun since.
    private var serverReturn: (time: UInt64, position: Int)?
    private var gaps: [AudioRecording.Gap] = []

    /// Whether the current input is to be released: its later frames are not used.
    private(set) var isReleased = false
    private var events: [AudioRecording.Event] = []
    /// The result, once the recording has ended.
    private(set) var result: AudioRecording?

    init(files: RecordingFiles, configuration: AudioRecording.Configuration) {
        self.files = files
        self.configuration = configuration
        preRoll = Self.preRoll(configuration, sampleRate: files.sampleRate)
        meter = RecordingMeter(channels: configuration.channels)
    }

    private static func preRoll(_ configuration: AudioRecording.Configuration, sampleRate: Int) -> PreRoll {
        PreRoll(frames: Int(configuration.preRoll * Double(sampleRate)), channels: configuration.channels)
    }

    var hasEnded: Bool { result != nil }
    var levels: [AudioRecording.Level] { meter.levels }
    private var isRecording: Bool { if case .recording = mode { true } else { false } }

    /// The recorded time in seconds, and frames of all files.
    var progress: (seconds: Double, frames: Int) {
        let completed = files.completed.reduce((0.0, 0)) {
            ($0.0 + Double($1.frames) / Double($1.sampleRate), $0.1 + $1.frames)
        }
        let current = files.currentFrames
        return (completed.0 + Double(current) / Double(files.sampleRate), completed.1 + current)
    }

    /// Returns the events that are still to be reported; they then no longer are.
    mutating func takeEvents() -> [AudioRecording.Event] {
        defer { events = [] }
        return events
    }

    /// Returns whether the current input is to be released. If so, the next block is another's.
    mutating func takeRelease() -> Bool {
        guard isReleased else { return false }
        (isReleased, held, nextTime, accountedLosses) = (false, nil, nil, 0)
        return true
    }

    // MARK: Frames

    /// Processes the frames of the input before the time `now`: of those held back, then of blocks
    /// that `read` returns, with the input's count of lost frames after each. `due` returns the
    /// changes up to a frame, one by one, and `next` the frame of the one after. Returns whether
    /// there may be more.
    mutating func process(
        before now: UInt64, read: () -> (block: EngineInput.Block, lostFrames: UInt64)?,
        due: (UInt64) -> (frame: UInt64, change: RecordingChange)?, next: () -> UInt64?
    ) -> Bool {
        var waiting = held
        held = nil
        if waiting == nil {
            waiting = read()
            if let samples = waiting?.block.samples { meter.measure(samples[...], windowFrames: files.sampleRate / 10) }
        }
        guard let (block, lostFrames) = waiting else { return false }
        var time = block.time
        var rest = block.samples[...]
        while !rest.isEmpty, time < now {
            while !isReleased, let (frame, change) = due(time) { apply(change, at: frame, lostFrames: lostFrames) }
            guard !hasEnded, !isReleased else { return false }
            let end = min(next() ?? now, now)
            let count = min(rest.count / channels, end > time ? Int(clamping: end - time) : 1)
            record(rest.prefix(count * channels), at: time, lostFrames: lostFrames)
            rest = rest.dropFirst(count * channels)
            time += UInt64(count)
        }
        guard rest.isEmpty else {
            held = (EngineInput.Block(time: time, samples: Array(rest)), lostFrames)
            return false
        }
        return !hasEnded
    }

    private mutating func record(_ part: ArraySlice<Float>, at time: UInt64, lostFrames: UInt64) {
        fillGap(until: time, lostFrames: lostFrames)
        nextTime = time + UInt64(part.count / channels)
        let early = startTime > time ? min(part.count / channels, Int(clamping: startTime - time)) : 0
        let part = part.dropFirst(early * channels)
        let time = time + UInt64(early)
        switch mode {
        case .idle: break
        case .recording: write(part)
        case .armed(let level):
            guard let sample = part.firstIndex(where: { abs($0) >= level }) else {
                return preRoll.append(part, at: time)
            }
            let quietFrames = (sample - part.startIndex) / channels
            preRoll.append(part.prefix(quietFrames * channels), at: time)
            mode = .recording
            write(preRoll.takeAll())
            if isRecording { write(part.dropFirst(quietFrames * channels)) }
        }
    }

    /// Accounts for frames that the ring buffer had no room for; while recording, silence takes
    /// their place. Frames that are missing for another reason were not lost: the session was
    /// suspended.
    private mutating func fillGap(until time: UInt64, lostFrames: UInt64) {
        guard let next = nextTime, time > next, lostFrames > accountedLosses else { return }
        let missing = min(time - next, lostFrames - accountedLosses)
        accountedLosses += missing
        nextTime = time
        if isRecording { recordGap(frames: Int(clamping: missing), .disk) }
    }

    private mutating func recordGap(frames: Int, _ cause: AudioRecording.Gap.Cause) {
        let fitting = framesThatFit(frames)
        if fitting > 0 {
            let gap = AudioRecording.Gap(
                path: files.currentPath, firstFrame: files.currentFrames, frames: fitting, cause: cause)
            gaps.append(gap)
            events.append(.gap(gap))
            attempt { files throws(AudioFileError) in try files.writeSilence(frames: fitting) }
        }
        count(fitting, of: frames)
    }

    private mutating func write(_ part: ArraySlice<Float>) {
        if files.isNearlyFull { continueInNextFile(sampleRate: files.sampleRate) }
        let frames = part.count / channels
        let fitting = framesThatFit(frames)
        let samples = part.prefix(fitting * channels)
        if fitting > 0, !hasEnded {
            attempt { files throws(AudioFileError) in try files.write(samples) }
            if !hasStartedFile, files.currentFrames > 0 {
                hasStartedFile = true
                events.append(.started(path: files.currentPath))
            }
        }
        count(fitting, of: frames)
    }

    /// Returns how many of `frames` frames the limits allow.
    private func framesThatFit(_ frames: Int) -> Int {
        let bytesLeft = configuration.maximumBytes.map { max(0, $0 - files.byteCount) / files.bytesPerFrame }
        return min(frames, framesLeft ?? frames, bytesLeft ?? frames)
    }

    /// Counts recorded frames, and ends the recording if the limits allow no more.
    private mutating func count(_ fitting: Int, of frames: Int) {
        framesLeft? -= fitting
        if framesLeft == 0 || fitting < frames { end(.limit) }
    }

    // MARK: Changes

    /// Brings the current file up to date if that is due.
    mutating func update() { attempt { files throws(AudioFileError) in try files.update() } }

    /// Applies a change that takes effect at `frame`.
    mutating func apply(_ change: RecordingChange, at frame: UInt64, lostFrames: UInt64) {
        guard !hasEnded else { return }
        fillGap(until: frame, lostFrames: lostFrames)
        switch change {
        case .record(let limit): start(.recording, limit, at: frame)
        case .arm(let level, let limit): start(.armed(level: level), limit, at: frame)
        case .resume:
            start(releasedMode, nil, at: frame)
            events.append(.resumed)
        case .pause: mode = .idle
        case .release(let pauses):
            if case .idle = mode { releasedMode = .recording } else { releasedMode = mode }
            mode = .idle
            isReleased = true
            if pauses { events.append(.pausedBySession) }
        case .sampleRate(let rate): if rate != files.sampleRate { continueInNextFile(sampleRate: rate) }
        case .nextFile: if files.currentFrames > 0 { continueInNextFile(sampleRate: files.sampleRate) }
        case .serverGap(let seconds): recordGap(seconds: seconds, .server)
        case .serverReturned: serverReturn = (frame, files.currentFrames)
        case .inputReturned: recordMissingInput(until: frame)
        case .xrunGap(let frames):
            // Not if they are missing before the first recorded frame.
            if frame > startTime { recordGap(seconds: Double(frames) / Double(files.sampleRate), .xrun) }
        case .finish(let ending): end(ending)
        }
    }

    private mutating func start(_ mode: Mode, _ limit: Int?, at frame: UInt64) {
        guard case .idle = self.mode else { return }
        self.mode = mode
        startTime = frame
        _ = preRoll.takeAll()
        if let limit { framesLeft = limit }
    }

    /// Records silence in place of a short time; after a long one, another file begins.
    private mutating func recordGap(seconds: Double, _ cause: AudioRecording.Gap.Cause) {
        guard isRecording else { return }
        if seconds <= AudioRecording.Gap.longestServerGap {
            recordGap(frames: Int((seconds * Double(files.sampleRate)).rounded()), cause)
        } else {
            continueInNextFile(sampleRate: files.sampleRate)
        }
    }

    /// Reports the frames since the server's return as missing. The input was silent, or was
    /// suspended with the session: then silence takes their place.
    private mutating func recordMissingInput(until frame: UInt64) {
        guard isRecording, let (time, position) = serverReturn.take(), frame > time else { return }
        let silent = files.currentFrames - position
        let missing = Int(clamping: frame - time) - silent
        let fitting = missing > 0 ? framesThatFit(missing) : 0
        let gap = AudioRecording.Gap(
            path: files.currentPath, firstFrame: position, frames: silent + fitting, cause: .server)
        if gap.frames > 0 {
            gaps.append(gap)
            events.append(.gap(gap))
        }
        attempt { files throws(AudioFileError) in try files.writeSilence(frames: fitting) }
        if missing > 0 { count(fitting, of: missing) }
    }

    private mutating func continueInNextFile(sampleRate: Int) {
        guard !hasEnded else { return }
        serverReturn = nil
        // A limit is a time.
        framesLeft = framesLeft.map { Int((Double($0) * Double(sampleRate) / Double(files.sampleRate)).rounded()) }
        preRoll = Self.preRoll(configuration, sampleRate: sampleRate)
        hasStartedFile = false
        attempt { files throws(AudioFileError) in try files.next(sampleRate: sampleRate) }
    }

    /// Runs `body`; ends the recording if it throws.
    private mutating func attempt(_ body: (inout RecordingFiles) throws(AudioFileError) -> Void) {
        guard !hasEnded else { return }
        do throws(AudioFileError) { try body(&files) } catch { end(.failed(error)) }
    }

    private mutating func end(_ ending: AudioRecording.Ending) {
        guard !hasEnded else { return }
        mode = .idle
        let shortage = files.complete()
        var ending = ending
        if let shortage {
            if case .failed = ending {} else { ending = .failed(shortage) }
        }
        let recording = AudioRecording(files: files.completed, gaps: gaps, ending: ending)
        result = recording
        events.append(.ended(recording))
    }
}
