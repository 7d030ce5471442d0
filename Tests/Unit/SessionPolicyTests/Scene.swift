import SessionPolicy
import Testing

extension DevicePort {
    static func output(_ uid: String, _ type: PortType, channels: Int = 2) -> DevicePort {
        DevicePort(uid: uid, name: uid, type: type, direction: .output, channels: channels)
    }

    static func input(_ uid: String, _ type: PortType, channels: Int = 1) -> DevicePort {
        DevicePort(uid: uid, name: uid, type: type, direction: .input, channels: channels)
    }
}

extension Policy {
    /// A policy in which the muted microphone interrupts, as a closed lid does (INT-10).
    static var interruptingMicrophone: Policy {
        var settings = PolicySettings()
        settings.mutedMicrophoneInterrupts = true
        return Policy(settings: settings)
    }
}

/// A policy with its state and log, in the terms of the rules. The scenario tests are written with
/// it.
struct Scene {
    var policy = Policy()
    var state = PolicyState()
    var log: [PolicyEvent] = []
    /// The effects of the last event, without `stateChanged`.
    var notified: [Effect] = []
    private var clock: UInt64 = 0

    init(_ policy: Policy = Policy()) { self.policy = policy }

    /// Applies an action. A refusal is thrown and changes nothing.
    mutating func `do`(_ action: PolicyAction) throws(Refusal) {
        clock += 1
        let event = PolicyEvent(action, at: EventTime(nanoseconds: clock))
        log.append(event)
        notified = []
        let transition = try policy.apply(event, to: state)
        state = transition.state
        notified = transition.effects.filter { $0.kind != .stateChanged }
    }

    /// Registers a session, by default in an app of its own, and configures it.
    mutating func add(
        _ id: UInt64, _ category: Category? = nil, _ mode: Mode = .default, _ options: CategoryOptions = [],
        app: UInt64? = nil
    ) throws {
        try self.do(.register(SessionID(id), app: AppID(app ?? id)))
        if let category { try configure(id, category, mode, options) }
    }

    mutating func configure(
        _ id: UInt64, _ category: Category, _ mode: Mode = .default, _ options: CategoryOptions = []
    ) throws {
        try self.do(.configure(SessionID(id), .category(category, mode: mode, options: options)))
    }

    mutating func activate(_ id: UInt64) throws { try self.do(.activate(SessionID(id))) }

    /// Activates a session and starts to play in it.
    mutating func play(_ id: UInt64) throws {
        try activate(id)
        try self.do(.setRunning(SessionID(id), true))
    }

    mutating func deactivate(_ id: UInt64, notify: Bool = true) throws {
        try self.do(.deactivate(SessionID(id), notifyOthers: notify))
    }

    mutating func begin(_ id: UInt64, _ rank: Rank, ringing: Bool = false) throws {
        try self.do(.beginSystemSession(SessionID(id), rank: rank, isRinging: ringing))
    }

    mutating func end(_ id: UInt64, shouldResume: Bool = true) throws {
        try self.do(.endSystemSession(SessionID(id), shouldResume: shouldResume))
    }

    func session(_ id: UInt64) throws -> SessionState { try #require(state[SessionID(id)]) }

    func grant(_ id: UInt64) throws -> SessionGrant { try resolvedGrant(id).grant }

    func resolvedGrant(_ id: UInt64) throws -> ResolvedGrant {
        let place = try #require(state.sessions.firstIndex { $0.id == SessionID(id) })
        return policy.resolvedGrants(in: state)[place]
    }

    func rules(_ id: UInt64) throws -> [Rule] { try resolvedGrant(id).reasons.map(\.rule) }

    func isActive(_ id: UInt64) throws -> Bool { try session(id).isActive }

    func waits(_ id: UInt64) throws -> UInt64? { try session(id).wait?.interrupter?.rawValue }

    /// The interruptions in the last event's effects, as "1 began", "2 ended resume", "2 ended".
    var interruptions: [String] {
        notified.compactMap { effect in
            switch effect.kind {
            case .interruptionBegan: "\(effect.session.rawValue) began"
            case .interruptionEnded(let resume): "\(effect.session.rawValue) ended" + (resume ? " resume" : "")
            default: nil
            }
        }
    }

    /// Returns the refusal of an action that must be refused. Also checks that nothing changed.
    mutating func refusal(of action: PolicyAction) throws -> Refusal {
        let before = state
        do throws(Refusal) {
            try self.do(action)
        } catch {
            #expect(state == before, "a refusal changes nothing")
            return error
        }
        Issue.record("\(action) was not refused")
        throw Unrefused()
    }

    struct Unrefused: Error {}
}
