import PolicyExploration
import SessionPolicy
import TestRandom

extension RandomWalk {
    /// Returns any action, including rare ones and those of system sessions.
    static func anyAction(_ random: inout SeededGenerator) -> PolicyAction {
        let sessions = apps + calls
        let id = sessions[Int.random(in: 0..<sessions.count, using: &random)]
        let yes = Bool.random(using: &random)
        switch Int.random(in: 0..<48, using: &random) {
        case 0: return .setDoNotDisturb(yes)
        case 1: return .setVolume(Float.random(in: 0...1, using: &random))
        case 2: return .setRingVolume(Float.random(in: 0...1, using: &random))
        case 3: return .preferNoInterruptionsFromSystemAlerts(id, yes)
        case 4: return .preferInterruptionOnRouteDisconnect(id, yes)
        case 5: return .prefer(id, .ioBufferDuration(yes ? 0.005 : 0))
        case 6: return .prefer(id, .inputChannels(yes ? 2 : 0))
        case 7: return yes ? .activate(id) : .requestActivation(id)
        case 8: return .deactivate(id, notifyOthers: yes)
        case 9: return .setInputRunning(id, true)
        case 10:
            return .configure(
                id,
                .category(
                    .playAndRecord,
                    options: yes ? [.overrideMutedMicrophoneInterruption, .mixWithOthers] : .duckOthers))
        case 11: return .beginSystemSession(calls[0], rank: .call, isRinging: yes)
        default: return action(&random)
        }
    }
}

/// A history of random events, with the order of its grants and the last grants sent to each
/// client.
struct RandomHistory {
    let policy: Policy
    private(set) var state = PolicyState()
    private(set) var resolvedGrants: [ResolvedGrant] = []
    private(set) var order = GrantOrder()
    private(set) var clock: UInt64 = 1_000
    private var random: SeededGenerator

    var now: EventTime { EventTime(nanoseconds: clock) }

    init(seed: UInt64, policy: Policy = Policy.interruptingMicrophone) {
        random = SeededGenerator(seed: seed)
        self.policy = policy
    }

    /// Applies one more event. Returns whether it was granted.
    @discardableResult
    mutating func step() -> Bool {
        clock += UInt64.random(in: 1...1_000_000_000, using: &random)
        guard let transition = try? policy.apply(PolicyEvent(RandomWalk.anyAction(&random), at: now), to: state) else {
            return false
        }
        state = transition.state
        resolvedGrants = transition.resolvedGrants
        order.update(to: state)
        return true
    }

    /// Continues from the state that the next arbiter has rebuilt.
    mutating func adopt(_ transition: Policy.Transition, _ order: GrantOrder) {
        state = transition.state
        resolvedGrants = transition.resolvedGrants
        self.order = order
    }

    var systemRecord: SystemRecord { state.systemRecord(order) }

    /// The records that the clients hold if all of them were reached.
    var sessionRecords: [SessionRecord] {
        zip(state.sessions, resolvedGrants).compactMap { session, resolvedGrant in
            session.app == .system ? nil : state.record(of: session.id, order, resolvedGrant: resolvedGrant)
        }
    }
}
