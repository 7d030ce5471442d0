package import SessionPolicy

/// What is explored: the policy, or a variant of it with a fault. It holds the state itself, so that a refusal could leak a change.
package struct Subject: Sendable {
    package typealias Decide =
        @Sendable (_ policy: Policy, _ action: PolicyAction, _ state: inout PolicyState) throws(Refusal) ->
        Policy.Transition

    private let decideAction: Decide

    package init(_ decide: @escaping Decide) { decideAction = decide }

    /// The policy as it is.
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
    /// Decides at time 0: in an exploration time stands still.
    func decide(_ action: PolicyAction, in state: PolicyState) throws(Refusal) -> Transition {
        try apply(PolicyEvent(action, at: .zero), to: state)
    }
}
