import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import Platform

/// Observes sessions, route, hardware and server, and returns what has changed since the last call.
final class PlaybackObserver {
    private let music: AudioSession
    private let prompt: AudioSession?
    private let engine: AudioEngine
    private let inbox: Inbox
    private let listeners: [Task<Void, Never>]
    private var sessions: [PlayerSessionStatus] = []
    private(set) var hardware: PlayerEvent.Hardware?
    private var reportedOutputs: [PlayerEvent.RoutePort] = []
    /// The number of xruns, and how many of them have been reported.
    private var xruns = (count: 0, reported: 0)
    private var nextPosition = 0.0
    private var nextXrun = 0.0
    private(set) var isServerLost = false
    private(set) var serverIsGone = false

    /// Posts `wakeUp` when `changes` may have something to return.
    init(music: AudioSession, prompt: AudioSession?, engine: AudioEngine, wakeUp: WakeUp) {
        self.music = music
        self.prompt = prompt
        self.engine = engine
        inbox = Inbox(session: music, engine: engine, wakeUp: wakeUp)
        listeners = [music, prompt].compactMap { $0?.events }.map { events in
            Task { for await _ in events { wakeUp.post() } }
        }
    }

    deinit {
        for listener in listeners { listener.cancel() }
    }

    /// Returns what has happened since the last call, causes before effects.
    func changes(title: String, player: AudioPlayer, now: Double) -> [PlayerEvent.Kind] {
        var kinds: [PlayerEvent.Kind] = []
        for change in inbox.take() {
            switch change {
            case .interruption(let type, let reason, let shouldResume):
                kinds.append(.interruption(type: type, reason: reason, shouldResume: shouldResume))
            case .server(.serverLost):
                isServerLost = true
                kinds.append(.server(state: "lost"))
            case .server(.serverReturned):
                isServerLost = false
                kinds.append(.server(state: "reset"))
            case .server(.serverGone): serverIsGone = true
            case .server(.xrun(let count)): xruns.count = count
            case .server: break
            }
        }
        kinds += hardwareChange() + routeChange() + sessionChanges() + xrunChange(now)
        if now >= nextPosition, player.isPlaying {
            nextPosition = now.rounded(.down) + 1
            let seconds = player.currentTime
            kinds.append(
                .position(file: title, frame: Int64(seconds * Double(player.fileSampleRate)), seconds: seconds))
        }
        return kinds
    }

    /// Returns the status of a session, with the names that the player uses.
    func status(of session: AudioSession, id: String) -> PlayerSessionStatus {
        let state = session.state
        return PlayerSessionStatus(
            id: id,
            category: Names.categories.name { $0 == session.category } ?? session.category.rawValue,
            mode: Names.modes.name { $0 == session.mode } ?? session.mode.rawValue,
            options: Names.options.names(of: session.categoryOptions),
            active: session.isActive,
            state: PlayerSessionStatus.State(state.activity),
            ducked: state.isDucked, muted: state.isMuted,
            reasons: state.reasons.map { reason in
                PlayerSessionStatus.Reason(rule: reason.rule, by: reason.by.map { name(of: $0, rule: reason.rule) })
            })
    }

    /// Returns the name of the session that causes a reason: one of the player's own sessions, the
    /// system for rules that only system sessions apply, or another app's session with the number
    /// that `audiosession why` expects.
    private func name(of id: UInt64, rule: String) -> String {
        switch id {
        case music.id: "music"
        case prompt?.id: "prompt"
        default: ["ACT-4", "ACT-5", "INT-6"].contains(rule) ? "system" : "session \(id)"
        }
    }

    /// Returns a hardware event if the server's format or a preferred value changed.
    private func hardwareChange() -> [PlayerEvent.Kind] {
        guard let format = engine.format else { return [] }
        let now = PlayerEvent.Hardware(
            server: format.server, sampleRate: format.sampleRate, ioBufferDuration: format.ioBufferDuration,
            periodFrames: format.periodFrames, outputLatency: music.outputLatency,
            preferredSampleRate: music.preferredSampleRate,
            preferredIOBufferDuration: music.preferredIOBufferDuration)
        guard now != hardware else { return [] }
        hardware = now
        return [.hardware(now)]
    }

    /// Returns a route event if the outputs differ from those last reported. The reason is
    /// "unknown" for the first route, and for a route that follows one without outputs.
    private func routeChange() -> [PlayerEvent.Kind] {
        guard engine.format != nil else { return [] }
        let route = music.currentRoute
        let outputs = route.outputs.map(RoutePort.init)
        guard outputs != reportedOutputs else { return [] }
        defer { reportedOutputs = outputs }
        return [
            .route(
                reason: reportedOutputs.isEmpty ? "unknown" : "routeConfigurationChange", outputs: outputs,
                inputs: route.inputs.map(RoutePort.init), previous: reportedOutputs)
        ]
    }

    /// Returns a session event for each session whose status changed.
    private func sessionChanges() -> [PlayerEvent.Kind] {
        let now = [status(of: music, id: "music")] + (prompt.map { [status(of: $0, id: "prompt")] } ?? [])
        defer { sessions = now }
        return now.filter { !sessions.contains($0) }.map { .session($0) }
    }

    /// Returns an event if there were further xruns, at most once per second.
    private func xrunChange(_ now: Double) -> [PlayerEvent.Kind] {
        guard xruns.count > xruns.reported, now >= nextXrun else { return [] }
        xruns.reported = xruns.count
        nextXrun = now + 1
        return [.xrun(count: xruns.count)]
    }

    private typealias RoutePort = PlayerEvent.RoutePort
}

extension PlayerEvent.RoutePort {
    init(_ port: AudioSessionPortDescription) {
        self.init(
            uid: port.uid, type: port.portType.rawValue, name: port.portName, channels: port.channels?.count ?? 0)
    }
}

/// Collects events that arrive on other threads until the main thread takes them.
private final class Inbox: Sendable {
    enum Change: Sendable {
        case interruption(type: String, reason: String?, shouldResume: Bool?)
        case server(DriverEvent)
    }
    private let changes = Mutex<[Change]>([])
    private let registrations = Mutex<(token: any NSObjectProtocol, engine: EngineObservation)?>(nil)

    init(session: AudioSession, engine: AudioEngine, wakeUp: WakeUp) {
        let changes = changes
        let observation = engine.observe { event in
            guard case .driver(let event) = event else { return }
            changes.withLock { $0.append(.server(event)) }
            wakeUp.post()
        }
        let token = NotificationCenter.default.addObserver(
            forName: AudioSession.interruptionNotification, object: session, queue: nil
        ) { notification in
            let interruption = Self.interruption(notification.userInfo ?? [:])
            changes.withLock { $0.append(interruption) }
            wakeUp.post()
        }
        registrations.withLock { $0 = (token, observation) }
    }

    deinit { registrations.withLock { $0.map { NotificationCenter.default.removeObserver($0.token) } } }

    func take() -> [Change] {
        changes.withLock { changes in
            defer { changes = [] }
            return changes
        }
    }

    private static func interruption(_ info: [AnyHashable: Any]) -> Change {
        let type = (info[AudioSessionInterruptionTypeKey] as? UInt).flatMap(AudioSession.InterruptionType.init)
        guard type == .began else {
            let options = AudioSession.InterruptionOptions(
                rawValue: info[AudioSessionInterruptionOptionKey] as? UInt ?? 0)
            return .interruption(type: "ended", reason: nil, shouldResume: options.contains(.shouldResume))
        }
        let reason = (info[AudioSessionInterruptionReasonKey] as? UInt).flatMap(AudioSession.InterruptionReason.init)
        return .interruption(type: "began", reason: reason.map { "\($0)" } ?? "default", shouldResume: nil)
    }
}
