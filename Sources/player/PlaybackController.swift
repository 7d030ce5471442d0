import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import Platform
import SessionProgramSupport

/// Controls what plays: the music in its session, the prompt in another one, and the simulated
/// phone. The caller advances it step by step, in the same way live and offline.
final class PlaybackController {
    let host: AudioSessionHost
    let engine: AudioEngine
    let music: Playlist
    /// Lets media keys and the desktop control the music; nil when rendering offline.
    private let remoteControl: PlayerRemoteControl?
    /// Whether a remote control has quit the player.
    private let hasQuit = Mutex(false)
    private let prompt: AudioPlayer?
    private let promptEnded = Mutex(false)
    private let options: PlayerOptions
    private let reporter: Reporter<PlayerEventKind>
    private var schedule: [(time: Double, action: Action)]
    /// Observes the sessions and the hardware.
    let observer: SessionObserver
    private var nextPosition = 0.0
    /// nil if nothing is reported.
    private let meter: OutputMeter?
    /// Tunes the buffer duration; nil unless `--io-buffer auto` is given.
    private let tuner: IOBufferTuner?
    private var now = 0.0
    private(set) var silentSwitch = false
    private(set) var isInterrupted = false
    /// The failure of the first file that is damaged, or could not be opened when its turn came.
    private(set) var damage: ProgramFailure?

    private enum Action { case prompt, ring, decline }

    /// Sets up the sessions; nothing plays yet. Posts `wakeUp` for each event that `step` handles.
    init(options: PlayerOptions, host: AudioSessionHost, reporter: Reporter<PlayerEventKind>, wakeUp: WakeUp) throws {
        self.options = options
        self.host = host
        self.reporter = reporter
        let session = try AudioSession(host: host)
        engine = try session.engine
        try Self.configure(session, options)
        music = try Playlist(
            files: options.files, session: session, outputs: try Self.outputs(of: session, options),
            volume: Float(pow(10, options.volume / 20)),
            normalization: options.normalize.map { LoudnessNormalization(target: $0) }, loops: options.loop,
            start: options.start, wakeUp: wakeUp)
        remoteControl = options.render == nil ? try PlayerRemoteControl(music.queue) : nil
        prompt = try options.prompt.map { try Self.makePrompt($0, host: host) }
        tuner = options.ioBuffer == .auto ? try IOBufferTuner(session: session) : nil
        meter = reporter.style == .silent ? nil : try OutputMeter(engine: engine)
        observer = SessionObserver(
            session, id: "music", others: prompt.map { [("prompt", $0.session)] } ?? [], engine: engine,
            wakeUp: wakeUp)
        schedule = []
        if let time = options.promptAt { schedule.append((time, .prompt)) }
        if let time = options.callAt { schedule += [(time, .ring), (time + options.callFor, .decline)] }
        schedule.sort { $0.time < $1.time }
        let (ended, hasQuit) = (promptEnded, hasQuit)
        if remoteControl != nil {
            try session.remoteControl.setHandler(for: [.quit]) { _ in
                hasQuit.withLock { $0 = true }
                wakeUp.post()
            }
        }
        prompt?.onFinish { _, _ in
            ended.withLock { $0 = true }
            wakeUp.post()
        }
    }

    /// Activates the session, starts the capture and starts to play. Throws if the category has no
    /// output.
    func start() throws {
        try music.session.setActive(true)
        try checkOutput()
        meter?.follow()
        if let capture = options.capture { try engine.startCapture(path: capture) }
        try music.play()
        tuner?.start()
        observe()
    }

    /// Deactivates the sessions before the process exits, so that the server's previous values are
    /// restored while the server is still connected (HW-2). Notifies others, as the end of the
    /// process does.
    func deactivateSessions() {
        tuner?.stop()
        for session in [music.session, prompt?.session].compactMap(\.self) {
            try? session.setActive(false, options: .notifyOthersOnDeactivation)
        }
    }

    /// The time of the next scheduled action, or of the end by `--duration`; nil if neither lies
    /// ahead.
    var nextTime: Double? {
        [schedule.first?.time, options.duration].compactMap { $0 }.filter { $0 > now }.min()
    }

    /// Performs the actions that are due by `time`, deactivates the prompt's session if the prompt
    /// has ended, and reports what has changed since the last step. Throws if playback is refused,
    /// or an event cannot be written.
    func step(to time: Double) throws {
        now = time
        reporter.now = time
        while let next = schedule.first, next.time <= time {
            schedule.removeFirst()
            perform(next.action)
        }
        if promptEnded.withLock({ ended in
            defer { ended = false }
            return ended
        }) {
            endPrompt()
        }
        for ended in try music.step() { reportEnd(ended) }
        observe()
        try reporter.checkOutput()
    }

    /// Whether a player plays and its session is not interrupted.
    var isAudible: Bool { music.queue.isPlaying || prompt?.isPlaying == true }

    /// Whether the run is over: the duration has passed, nothing is left to play, or a remote
    /// control has quit the player.
    var isOver: Bool {
        if hasQuit.withLock({ $0 }) { return true }
        if let duration = options.duration, now >= duration { return true }
        return music.isOver && prompt?.isPlaying != true
    }

    // MARK: Actions of keys

    func togglePlaying() {
        attempt { music.queue.isPlaying ? music.queue.pause() : try music.play() }
    }

    func seek(by seconds: Double) { music.queue.currentTime += seconds }
    func next() { music.queue.next() }
    func previous() { music.queue.previous() }

    /// Changes the volume of the music within -120…24 dB.
    func changeVolume(byDecibels decibels: Double) {
        let now = 20 * log10(Double(max(music.volume, 1e-6)))
        music.volume = Float(pow(10, min(24, max(-120, now + decibels)) / 20))
    }

    func toggleInterruption() {
        attempt {
            if isInterrupted { try host.endInterruption() } else { try host.beginInterruption(by: .alarm) }
            isInterrupted.toggle()
        }
    }

    func toggleSilentSwitch() {
        attempt {
            try host.setSilentSwitch(!silentSwitch)
            silentSwitch.toggle()
        }
    }

    func speakPrompt() {
        guard let prompt else {
            return reporter.refuse(ProgramFailure(.usage, "No prompt was given; start with --prompt FILE."))
        }
        attempt {
            prompt.currentTime = 0
            try prompt.play()
        }
    }

    // MARK: Reporting

    /// Returns what the screen shows. Resets the peaks of the outputs.
    func status() -> PlayerStatus {
        var status = PlayerStatus()
        if let track = music.track {
            status.file = track.title
            status.format = track.format
            status.duration = track.duration
        }
        status.position = music.queue.currentTime
        status.isPlaying = music.queue.isPlaying
        status.peaks = (0..<(engine.format?.outputChannels ?? 0)).map { engine.takeOutputPeak(channel: $0) }
        status.loudness = meter?.loudness()
        status.volumeDecibels = 20 * log10(Double(max(music.volume, 1e-6)))
        status.route = music.session.currentRoute.outputs.map(\.description).joined(separator: ", ")
        status.tuning = tuner.map { if case .settled = $0.trace.last?.kind { .settled } else { .underWay } }
        status.silentSwitch = silentSwitch
        status.isInterruptedByUser = isInterrupted
        status.xruns = engine.statistics.xruns
        status.cpuLoad = engine.statistics.cpuLoad
        status.log = reporter.log
        return status
    }

    /// Whether the server is gone and the driver has given up.
    var serverIsGone: Bool { observer.serverIsGone }

    /// Reports what has changed and, with each position, the loudness.
    func observe() {
        meter?.follow()
        for change in observer.changes(now: now) { report(.change(change)) }
        guard now >= nextPosition, music.queue.isPlaying, let track = music.track else { return }
        nextPosition = now.rounded(.down) + 1
        let seconds = music.queue.currentTime
        report(.position(file: track.title, frame: Int64(seconds * Double(track.sampleRate)), seconds: seconds))
        reportLoudness(isFinal: false)
    }

    /// Reports the loudness of the whole run, at its end.
    func reportLoudness(isFinal: Bool = true) {
        guard let meter else { return }
        report(.loudness(meter.loudness(isFinal: isFinal)))
    }

    // MARK: Implementation

    private func perform(_ action: Action) {
        switch action {
        case .prompt: speakPrompt()
        case .ring: attempt { try host.ring() }
        case .decline: attempt { try host.declineCall() }
        }
    }

    // Notifies others when the prompt ends, so that ducked sessions return to full level.
    private func endPrompt() {
        attempt { try prompt?.session.setActive(false, options: .notifyOthersOnDeactivation) }
    }

    // Reports an action that is refused, and continues.
    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch { reporter.refuse(ProgramFailure(error)) }
    }

    private func report(_ kind: PlayerEventKind) { reporter.report(PlayerEvent(time: now, kind: kind)) }

    private func reportEnd(_ ended: Playlist.Ended) {
        switch ended {
        case .finished(let file): report(.finished(file: file))
        case .damaged(let file, let error):
            fail(ProgramFailure(error))
            report(.finished(file: file))
        case .failed(let reason): fail(ProgramFailure(.noInput, reason))
        }
    }

    /// Reports the failure of a file; the others are still played.
    private func fail(_ failure: ProgramFailure) {
        damage = damage ?? failure
        reporter.fail(failure)
    }

    private static func configure(_ session: AudioSession, _ options: PlayerOptions) throws {
        try options.session.configure(session, category: options.category)
        if case .seconds(let duration) = options.ioBuffer { try session.setPreferredIOBufferDuration(duration) }
    }

    private static func makePrompt(_ file: AudioFilePath, host: AudioSessionHost) throws -> AudioPlayer {
        let session = try AudioSession(host: host)
        try session.setCategory(.playback, mode: .voicePrompt, options: .duckOthers)
        return try AudioPlayer(path: file, session: session)
    }

    /// Returns the ports that `--output` names, by uid or type; nil: all ports of the route. Throws
    /// for a port that is not in the route, instead of playing nothing.
    private static func outputs(
        of session: AudioSession, _ options: PlayerOptions
    ) throws -> [AudioSessionPortDescription]? {
        guard !options.output.isEmpty else { return nil }
        let known = session.currentRoute.outputs
        func matches(_ port: AudioSessionPortDescription, _ name: String) -> Bool {
            port.uid == name || port.portType.rawValue == name
        }
        for name in options.output where !known.contains(where: { matches($0, name) }) {
            let route = known.map { "\($0.uid) (\($0.portType.rawValue))" }.joined(separator: ", ")
            throw ProgramFailure(
                .usage,
                """
                The route has no output '\(name)'. Outputs: \(route.isEmpty ? "none" : route). Category multiRoute \
                plays on several outputs at once; 'audiosession route' picks another one.
                """)
        }
        return known.filter { port in options.output.contains { matches(port, $0) } }
    }

    // Throws for a category without output, instead of playing nothing.
    private func checkOutput() throws {
        let outputs = music.session.currentRoute.outputs
        guard !outputs.isEmpty else {
            throw ProgramFailure(
                .usage, "Category \(options.category) has no output here; use playback or another category that plays."
            )
        }
    }
}
