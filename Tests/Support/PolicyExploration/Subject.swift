package import SessionPolicy

/// The subject of an exploration: the policy, or a variant of it with a fault. It updates the state
/// itself, so that a faulty refusal can leak a change.
package struct Subject: Sendable {
    package typealias Decide =
        @Sendable (_ policy: Policy, _ action: PolicyAction, _ state: inout PolicyState) throws(Refusal) ->
        Policy.Transition

    private let decideAction: Decide

    package init(_ decide: @escaping Decide) { decideAction = decide }

    /// The unmodified policy.
    package static let policy = Subject { policy, action, state throws(Refusal) in
        let transition = try policy.decide(action, in: state)
        state = transition.state
        return transition
    }

    package func decide(
        _ action: PolicyAction, with policy: Policy, _ state: inout PolicyState
    ) throws(Refusal) -> Policy.Transition {
        try decideAction(policy, action, &state)
    }
}

extension Policy {
    /// Decides after all interruptions of sessions that wait. An exploration keeps only the order
    /// of these times (ACT-8).
    func decide(_ action: PolicyAction, in state: PolicyState) throws(Refusal) -> Transition {
        let last = state.sessions.compactMap { $0.wait?.since.nanoseconds }.max() ?? 0
        return try apply(PolicyEvent(action, at: EventTime(nanoseconds: last + 1)), to: state)
    }
}
