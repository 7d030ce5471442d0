import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation

/// What plays: the music in its session, the prompt in another, the phone. Advanced step by step; the same live and offline.
final class Scene {
    let host: AudioSessionHost
    let engine: AudioEngine
    let music: Playlist
    private let prompt: AudioPlayer?
    private let promptEnded = Locked(false)
    private let command: PlayerCommand
    private let reporter: Reporter
    private var schedule: [(time: Double, action: Action)]
    private var watch: SceneWatch
    /// While somebody is told.
    private let meter: OutputMeter?
    /// With `--io-buffer auto`.
    private let tuner: IOBufferTuner?
    private var now = 0.0
    private(set) var silentSwitch = false
    private(set) var isInterrupted = false
    private(set) var damage: PlayerFailure?

    private enum Action { case prompt, ring, decline }

    /// Sets sessions up; nothing is heard yet.
    init(command: PlayerCommand, host: AudioSessionHost, reporter: Reporter) throws {
        self.command = command
        self.host = host
        self.reporter = reporter
        let session = try AudioSession(host: host)
        engine = try session.engine
        try Self.configure(session, command)
        music = try Playlist(
            files: command.files, session: session, outputs: try Self.outputs(of: session, command),
            volume: Float(pow(10, command.volume / 20)), loops: command.loop,
            start: command.start)
        prompt = try command.prompt.map { try Self.makePrompt($0, host: host) }
        tuner = command.ioBuffer == .auto ? try IOBufferTuner(session: session) : nil
        meter = reporter.style == .silent ? nil : try OutputMeter(engine: engine)
        watch = SceneWatch(music: session, prompt: prompt?.session, engine: engine)
        schedule = []
        if let time = command.promptAt { schedule.append((time, .prompt)) }
        if let time = command.callAt { schedule += [(time, .ring), (time + command.callFor, .decline)] }
        schedule.sort { $0.time < $1.time }
        let ended = promptEnded
        prompt?.onFinish { _, _ in ended.withLock { $0 = true } }
    }

    /// Activates and plays.
    func start() throws {
        try music.session.setActive(true)
        try checkOutput()
        meter?.follow()
        if let capture = command.capture { try engine.startCapture(path: capture) }
        try music.play()
        tuner?.start()
        observe()
    }

    /// Leaves: what was wished for is given back while the server can still be asked (HW-2). With notice, as the end of the process is.
    func leave() {
        tuner?.stop()
        for session in [music.session, prompt?.session].compactMap(\.self) {
            try? session.setActive(false, options: .notifyOthersOnDeactivation)
        }
    }

    /// When the next scheduled thing happens, or the scene ends by `--duration`; nil when neither is ahead.
    var nextTime: Double? {
        [schedule.first?.time, command.duration].compactMap { $0 }.filter { $0 > now }.min()
    }

    /// Does what is due at `time`, goes on to the next file, and tells what has happened since.
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
        if let ended = try music.step() { tell(ended) }
        observe()
    }

    /// Nothing is left to play or to happen, or time is over.
    var isOver: Bool {
        if let duration = command.duration, now >= duration { return true }
        return music.isOver && prompt?.isPlaying != true
    }

    // MARK: Asked for by keys

    func togglePlaying() {
        attempt { music.player.isPlaying ? music.player.pause() : try music.play() }
    }

    func seek(by seconds: Double) { music.player.currentTime += seconds }

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
            return reporter.refuse(PlayerFailure(.usage, "There is no prompt to speak; start with --prompt FILE."))
        }
        attempt {
            prompt.currentTime = 0
            try prompt.play()
        }
    }

    // MARK: Told

    func status() -> PlayerStatus {
        let player = music.player
        let session = watch.status(of: music.session, id: "music")
        var status = PlayerStatus()
        status.file = music.title
        status.format = player.formatDescription
        status.position = player.currentTime
        status.duration = player.duration
        status.isPlaying = player.isPlaying
        status.peaks = (0..<(engine.format?.outputChannels ?? 0)).map { engine.takeOutputPeak(channel: $0) }
        status.loudness = meter?.loudness()
        status.volumeDecibels = 20 * log10(Double(max(music.volume, 1e-6)))
        status.sessions = [session] + (prompt.map { [watch.status(of: $0.session, id: "prompt")] } ?? [])
        status.route = music.session.currentRoute.outputs.map(\.description).joined(separator: ", ")
        status.hardware = watch.hardware
        status.tuning = tuner.map { if case .settled = $0.trace.last?.kind { .settled } else { .underWay } }
        status.isServerLost = watch.isServerLost
        status.silentSwitch = silentSwitch
        status.isInterruptedByUser = isInterrupted
        status.xruns = engine.statistics.xruns
        status.cpuLoad = engine.statistics.cpuLoad
        status.log = reporter.log
        return status
    }

    /// Whether the server is gone for good.
    var serverIsGone: Bool { watch.serverIsGone }

    /// Tells whatever the watch finds changed, and with the position how loud it is.
    func observe() {
        meter?.follow()
        for kind in watch.changes(title: music.title, player: music.player, now: now) {
            reporter.tell(PlayerEvent(time: now, kind: kind))
            if case .position = kind { tellLoudness(isFinal: false) }
        }
    }

    /// Tells how loud all of it was; once it has ended.
    func tellLoudness(isFinal: Bool = true) {
        guard let meter else { return }
        reporter.tell(PlayerEvent(time: now, kind: .loudness(meter.loudness(isFinal: isFinal))))
    }

    // MARK: Inside

    private func perform(_ action: Action) {
        switch action {
        case .prompt: speakPrompt()
        case .ring: attempt { try host.ring() }
        case .decline: attempt { try host.declineCall() }
        }
    }

    // A prompt that is over leaves with notice: who was ducked comes back.
    private func endPrompt() {
        attempt { try prompt?.session.setActive(false, options: .notifyOthersOnDeactivation) }
    }

    // What the system refuses at this moment is told, and the scene goes on.
    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch { reporter.refuse(PlayerFailure(error)) }
    }

    private func tell(_ ended: Playlist.Ended) {
        switch ended {
        case .finished(let file): reporter.tell(PlayerEvent(time: now, kind: .finished(file: file)))
        case .damaged(let file, let error):
            let failure = PlayerFailure(error)
            damage = damage ?? failure
            reporter.fail(failure)
            reporter.tell(PlayerEvent(time: now, kind: .finished(file: file)))
        }
    }

    private static func configure(_ session: AudioSession, _ command: PlayerCommand) throws {
        let category = try Names.categories.value(command.category)
        let mode = try Names.modes.value(command.mode)
        var options: AudioSession.CategoryOptions = []
        for name in command.options { options.insert(try Names.options.value(name)) }
        try session.setCategory(category, mode: mode, options: options)
        if let rate = command.sampleRate { try session.setPreferredSampleRate(rate) }
        if case .seconds(let duration) = command.ioBuffer { try session.setPreferredIOBufferDuration(duration) }
    }

    private static func makePrompt(_ file: String, host: AudioSessionHost) throws -> AudioPlayer {
        let session = try AudioSession(host: host)
        try session.setCategory(.playback, mode: .voicePrompt, options: .duckOthers)
        return try AudioPlayer(path: file, session: session)
    }

    /// The ports that `--output` names, by uid or type; nil: all of the route. A port that is not there cannot be played on: better said than silent.
    private static func outputs(
        of session: AudioSession, _ command: PlayerCommand
    ) throws -> [AudioSessionPortDescription]? {
        guard !command.output.isEmpty else { return nil }
        let known = session.currentRoute.outputs
        func matches(_ port: AudioSessionPortDescription, _ name: String) -> Bool {
            port.uid == name || port.portType.rawValue == name
        }
        for name in command.output where !known.contains(where: { matches($0, name) }) {
            let route = known.map { "\($0.uid) (\($0.portType.rawValue))" }.joined(separator: ", ")
            throw PlayerFailure(
                .usage,
                """
                There is no output '\(name)'; the route has \(route.isEmpty ? "none" : route). Category multiRoute plays on several at once, and \
                'audiosession route' picks another one.
                """)
        }
        return known.filter { port in command.output.contains { matches(port, $0) } }
    }

    // A category without output plays nothing: better said than silent.
    private func checkOutput() throws {
        let outputs = music.session.currentRoute.outputs
        guard !outputs.isEmpty else {
            throw PlayerFailure(
                .usage, "Category \(command.category) has no output here; use playback, or another category that plays."
            )
        }
    }
}
