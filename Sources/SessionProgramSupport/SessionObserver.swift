package import AudioRendering
package import AudioSessions
internal import Foundation
internal import Platform

/// Observes sessions, route, hardware and server, and returns what has changed since the last call.
package final class SessionObserver {
    private let sessions: [(id: String, session: AudioSession)]
    /// The first session, whose interruptions and route are reported.
    private let main: AudioSession
    private let engine: AudioEngine
    private let inbox: Inbox
    private let listeners: [Task<Void, Never>]
    private var reportedSessions: [SessionStatus] = []
    package private(set) var hardware: SessionChange.Hardware?
    private let watchesInputs: Bool
    private var reportedPorts: [RoutePort] = []
    /// The number of xruns, and how many of them have been reported.
    private var xruns = (count: 0, reported: 0)
    private var nextXrun = 0.0
    package private(set) var isServerLost = false
    package private(set) var serverIsGone = false

    /// Observes `main` under the name `id`, and the other sessions. Of the route of `main`, watches
    /// the outputs, or with `watchesInputs` the inputs. Posts `wakeUp` when `changes` may have
    /// something to return.
    package init(
        _ main: AudioSession, id: String, others: [(id: String, session: AudioSession)] = [],
        watchesInputs: Bool = false, engine: AudioEngine, wakeUp: WakeUp
    ) {
        self.main = main
        self.watchesInputs = watchesInputs
        sessions = [(id, main)] + others
        self.engine = engine
        inbox = Inbox(session: main, engine: engine, wakeUp: wakeUp)
        listeners = sessions.map { $0.session.events }.map { events in
            Task { for await _ in events { wakeUp.post() } }
        }
    }

    deinit {
        for listener in listeners { listener.cancel() }
    }

    /// Returns what has happened since the last call, causes before effects.
    package func changes(now: Double) -> [SessionChange] {
        var changes: [SessionChange] = []
        for change in inbox.take() {
            switch change {
            case .interruption(let type, let reason, let shouldResume):
                changes.append(.interruption(type: type, reason: reason, shouldResume: shouldResume))
            case .server(.serverLost):
                isServerLost = true
                changes.append(.server(state: "lost"))
            case .server(.serverReturned):
                isServerLost = false
                changes.append(.server(state: "reset"))
            case .server(.serverGone): serverIsGone = true
            case .server(.xrun(let count)): xruns.count = count
            case .server: break
            }
        }
        return changes + hardwareChange() + routeChange() + sessionChanges() + xrunChange(now)
    }

    /// The status of each session, with the names that the programs use.
    package var statuses: [SessionStatus] { sessions.map { status(of: $0.session, id: $0.id) } }

    private func status(of session: AudioSession, id: String) -> SessionStatus {
        let state = session.state
        return SessionStatus(
            id: id,
            category: Names.categories.name { $0 == session.category } ?? session.category.rawValue,
            mode: Names.modes.name { $0 == session.mode } ?? session.mode.rawValue,
            options: Names.options.names(of: session.categoryOptions),
            active: session.isActive,
            state: SessionStatus.State(state.activity),
            ducked: state.isDucked, muted: state.isMuted,
            reasons: state.reasons.map { reason in
                SessionStatus.Reason(rule: reason.rule, by: reason.by.map { name(of: $0, rule: reason.rule) })
            })
    }

    /// Returns the name of the session that causes a reason: one of the program's own sessions, the
    /// system for rules that only system sessions apply, or another app's session with the number
    /// that `audiosession why` expects.
    private func name(of id: UInt64, rule: String) -> String {
        if let own = sessions.first(where: { $0.session.id == id }) { return own.id }
        return ["ACT-4", "ACT-5", "INT-6"].contains(rule) ? "system" : "session \(id)"
    }

    /// Returns a hardware event if the server's format or a preferred value changed.
    private func hardwareChange() -> [SessionChange] {
        guard let format = engine.format else { return [] }
        let now = SessionChange.Hardware(
            server: format.server, sampleRate: format.sampleRate, ioBufferDuration: format.ioBufferDuration,
            periodFrames: format.periodFrames, outputLatency: main.outputLatency,
            preferredSampleRate: main.preferredSampleRate,
            preferredIOBufferDuration: main.preferredIOBufferDuration)
        guard now != hardware else { return [] }
        hardware = now
        return [.hardware(now)]
    }

    /// Returns a route event if the watched ports differ from those last reported. The reason is
    /// "unknown" for the first route, and for a route that follows one without such ports.
    private func routeChange() -> [SessionChange] {
        guard engine.format != nil else { return [] }
        let route = main.currentRoute
        let (outputs, inputs) = (route.outputs.map(RoutePort.init), route.inputs.map(RoutePort.init))
        let ports = watchesInputs ? inputs : outputs
        guard ports != reportedPorts else { return [] }
        defer { reportedPorts = ports }
        return [
            .route(
                SessionChange.Route(
                    reason: reportedPorts.isEmpty ? "unknown" : "routeConfigurationChange", outputs: outputs,
                    inputs: inputs, previous: reportedPorts),
                summary: ports.map(\.summary).joined(separator: ", "))
        ]
    }

    /// Returns a session event for each session whose status changed.
    private func sessionChanges() -> [SessionChange] {
        let now = statuses
        defer { reportedSessions = now }
        return now.filter { !reportedSessions.contains($0) }.map { .session($0) }
    }

    /// Returns an event if there were further xruns, at most once per second.
    private func xrunChange(_ now: Double) -> [SessionChange] {
        guard xruns.count > xruns.reported, now >= nextXrun else { return [] }
        xruns.reported = xruns.count
        nextXrun = now + 1
        return [.xrun(count: xruns.count)]
    }

    private typealias RoutePort = SessionChange.RoutePort
}

extension SessionChange.RoutePort {
    init(_ port: AudioSessionPortDescription) {
        self.init(
            uid: port.uid, type: port.portType.rawValue, name: port.portName, channels: port.channels?.count ?? 0)
    }

    fileprivate var summary: String { "\(name) [\(type), \(channels) ch]" }
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
