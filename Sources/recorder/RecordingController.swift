import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import Platform
import SessionProgramSupport

/// Controls a recording in its session, and reports what happens to it. Main thread only.
final class RecordingController {
    let host: AudioSessionHost
    let session: AudioSession
    let engine: AudioEngine
    /// Observes the session and the hardware.
    let observer: SessionObserver
    private let options: RecorderOptions
    private let reporter: Reporter<RecorderEventKind>
    private let wakeUp: WakeUp
    private let inbox = Mutex<[AudioRecorder.Event]>([])
    private(set) var recorder: AudioRecorder?
    private let begin = ContinuousClock.now
    /// The time of the last step, in seconds since the start of the program.
    private(set) var now = 0.0
    /// When recording starts, in seconds; nil once it has begun.
    private(set) var startTime: Double?
    /// The paths of the files that have a frame, in order.
    private(set) var paths: [AudioFilePath] = []
    private var reportedFiles = 0
    /// Frames that were lost; silence takes their place.
    private(set) var lostFrames = 0
    /// The complete recording.
    private(set) var result: AudioRecording?
    private var permission = AudioApplication.RecordPermission.granted
    private var nextPosition = 0.0
    private var nextLevels = 0.0

    /// Sets up the session; nothing is recorded yet. Posts `wakeUp` for each event that `step`
    /// handles.
    init(
        options: RecorderOptions, host: AudioSessionHost, reporter: Reporter<RecorderEventKind>, wakeUp: WakeUp
    ) throws {
        self.options = options
        self.host = host
        self.reporter = reporter
        self.wakeUp = wakeUp
        session = try AudioSession(host: host)
        engine = try session.engine
        try options.session.configure(session, category: options.categoryName)
        if let ioBuffer = options.ioBuffer { try session.setPreferredIOBufferDuration(ioBuffer) }
        observer = SessionObserver(session, id: "recorder", watchesInputs: true, engine: engine, wakeUp: wakeUp)
    }

    // MARK: Starting

    /// Asks for record permission, chooses the input, and starts to record, or to wait for the
    /// start. Returns at once if `isCancelled` while the user has not answered. Throws if recording
    /// is not possible.
    func start(isCancelled: () -> Bool) throws {
        let answer = Mutex<Bool?>(nil)
        host.application.requestRecordPermission { [wakeUp] isGranted in
            answer.withLock { $0 = isGranted }
            wakeUp.post()
        }
        while answer.withLock({ $0 }) == nil, !isCancelled() { wakeUp.wait(milliseconds: 1000, orInput: false) }
        guard answer.withLock({ $0 }) != false else {
            throw ProgramFailure(
                .noPermission,
                "The user has denied permission to record; run `audiosession permission grant recorder`, then try again."
            )
        }
        guard !isCancelled() else { return }
        let channels = try RecordingInput(session: session, options: options).choose()
        let recorder = try AudioRecorder(
            path: options.file, session: session, configuration: options.configuration(channels: channels))
        recorder.onEvent { [inbox, wakeUp] event in
            inbox.withLock { $0.append(event) }
            wakeUp.post()
        }
        recorder.resumePolicy = options.resume.policy
        recorder.monitorGain = options.monitor.map(gain)
        self.recorder = recorder
        let delay = options.delay
        startTime = elapsed + delay
        if delay > 0 { reporter.report(.waiting(level: nil, seconds: (delay * 1000).rounded() / 1000)) }
        try beginIfDue()
    }

    /// The time before a start at which the session is activated and its input turned on.
    private static let preparation = 1.0

    /// The seconds until `step` has something to do besides events and the position.
    var timeToNextAction: Double? {
        let start = startTime.map { $0 - Self.preparation }
        let levels = options.levels == nil ? nil : nextLevels
        return [start, levels].compactMap(\.self).min().map { max(0, $0 - elapsed) }
    }

    /// Starts to record if the start is due in less than `preparation`: at its exact frame.
    private func beginIfDue() throws {
        guard let recorder, let startTime, startTime - elapsed <= Self.preparation else { return }
        self.startTime = nil
        if let level = options.startLevel {
            try recorder.record(fromLevel: gain(level), forDuration: options.duration)
            reporter.report(.waiting(level: level, seconds: nil))
        } else if options.delay > 0 {
            try recorder.prepare()
            let frames = max(0, startTime - elapsed) * Double(engine.format?.sampleRate ?? 48_000)
            try recorder.record(atFrame: engine.currentFrame + UInt64(frames), forDuration: options.duration)
        } else {
            try recorder.record(forDuration: options.duration)
        }
    }

    private func gain(_ decibels: Double) -> Float { Float(pow(10, decibels / 20)) }

    // MARK: Running

    /// The time since the start of the program, in seconds.
    var elapsed: Double { (ContinuousClock.now - begin) / .seconds(1) }

    /// Whether the recording has ended.
    var isOver: Bool { result != nil }

    /// Starts a recording that is due, and reports what has happened. Throws if recording cannot
    /// start, or an event cannot be written.
    func step() throws {
        now = elapsed
        reporter.now = now
        try beginIfDue()
        for change in observer.changes(now: now) { reporter.report(.change(change)) }
        reportEvents()
        reportRevocation()
        if let recorder, recorder.isRecording { reportProgress(recorder) }
        try reporter.checkOutput()
    }

    private func reportProgress(_ recorder: AudioRecorder) {
        if now >= nextPosition, let path = paths.last {
            nextPosition = now.rounded(.down) + 1
            reporter.report(
                .position(
                    path: path.description, frame: recorder.currentFrames, seconds: recorder.currentTime))
        }
        let levels = recorder.levels
        if let interval = options.levels, now >= nextLevels, !levels.isEmpty {
            nextLevels = now + interval
            reporter.report(.level(levels.map(RecorderEventKind.ChannelLevel.init)))
        }
    }

    /// Reports that the user has revoked the permission while recording (PERM-2).
    private func reportRevocation() {
        let previous = permission
        permission = host.application.recordPermission
        guard permission != previous, permission == .denied else { return }
        reporter.refuse(
            ProgramFailure(
                .noPermission,
                "The user has revoked permission to record: silence is recorded until it is granted again."))
    }

    private func reportEvents() {
        let events = inbox.withLock { events in
            defer { events = [] }
            return events
        }
        for event in events {
            switch event {
            case .started(let path): reportStart(of: path)
            case .pausedBySession: reporter.report(.paused(by: "session"))
            case .resumed: reporter.report(.resumed)
            case .gap(let gap):
                lostFrames += gap.frames
                reporter.report(.gap(gap))
            case .ended(let recording): end(recording)
            }
        }
    }

    /// Reports that a file has begun, and that the previous one is complete.
    private func reportStart(of path: AudioFilePath) {
        if let previous = paths.last, let file = try? AudioFile(path: previous) {
            report(
                RecorderEventKind.CompletedFile(
                    path: previous.description, frames: Int(file.frameCount), sampleRate: file.sampleRate,
                    channels: file.channels, reason: "nextFile"))
        }
        paths.append(path)
        reporter.report(.started(path: path.description))
    }

    private func report(_ file: RecorderEventKind.CompletedFile) {
        reportedFiles += 1
        reporter.report(.file(file))
    }

    private func end(_ recording: AudioRecording) {
        guard result == nil else { return }
        result = recording
        for (index, file) in recording.files.enumerated().dropFirst(reportedFiles) {
            report(
                RecorderEventKind.CompletedFile(
                    path: file.path.description, frames: file.frames, sampleRate: file.sampleRate,
                    channels: file.channels,
                    reason: index == recording.files.count - 1 ? recording.ending.name : "nextFile"))
        }
        reporter.report(
            .ended(
                RecorderEventKind.Summary(
                    reason: recording.ending.name, files: recording.files.count,
                    frames: recording.files.reduce(0) { $0 + $1.frames },
                    seconds: recording.files.reduce(0) { $0 + Double($1.frames) / Double($1.sampleRate) },
                    lostFrames: recording.gaps.reduce(0) { $0 + $1.frames })))
    }

    // MARK: Actions of keys

    /// Pauses, resumes, or starts at once what waits for its start.
    func togglePause() {
        guard let recorder, result == nil else { return }
        do {
            if recorder.isRecording, waiting == nil {
                recorder.pause()
                reporter.report(.paused(by: "user"))
            } else {
                let isNew = paths.isEmpty
                if recorder.isRecording { recorder.pause() }
                startTime = nil
                try recorder.record(forDuration: isNew ? options.duration : nil)
                if !isNew { reporter.report(.resumed) }
            }
        } catch {
            reporter.refuse(ProgramFailure(error))
        }
    }

    /// Continues in another file.
    func beginNextFile() { recorder?.beginNextFile() }

    /// Plays the input, or stops to.
    func toggleMonitor() {
        guard let recorder else { return }
        guard session.category != .record else {
            return reporter.refuse(
                ProgramFailure(.usage, "Category record plays nothing; start with --monitor DB."))
        }
        recorder.monitorGain = recorder.monitorGain == nil ? gain(options.monitor ?? 0) : nil
    }

    /// What the recording waits for, as text; nil if it waits for nothing.
    var waiting: String? {
        if let startTime { return "starts in \(Text.clock(startTime - now))" }
        guard let recorder, recorder.isRecording, recorder.currentFrames == 0 else { return nil }
        return options.startLevel.map { "waiting for \(Text.oneDecimal($0)) dBFS" }
    }

    // MARK: Ending

    /// Completes the files and deactivates the session. Returns the exit status. Throws if the
    /// recording is incomplete.
    func finish() throws -> Int32 {
        let wasStarted = recorder != nil && startTime == nil
        let recording = recorder?.stop() ?? recorder?.recording
        observer.changes(now: now).forEach { reporter.report(.change($0)) }
        reportEvents()
        if let recording { end(recording) }
        try? session.setActive(false, options: .notifyOthersOnDeactivation)
        try reporter.checkOutput()
        guard let result else {
            guard wasStarted else { return 0 }
            throw ProgramFailure(
                .cannotCreate, "The disk does not respond: '\(options.file)' may lack its last second; check the disk.")
        }
        if let failure = result.failure(options.server) { throw failure }
        return 0
    }
}
