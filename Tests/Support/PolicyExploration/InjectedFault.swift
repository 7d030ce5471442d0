import SessionPolicy

/// A policy with a fault, and the invariant by which an exploration detects it. This verifies each
/// detector.
package struct InjectedFault: Sendable {
    package var invariant: String
    package var fault: String
    package var subject: Subject
    package var slice: Slice

    init(_ invariant: String, _ fault: String, _ dimensions: Set<Dimension>, _ subject: Subject) {
        self.invariant = invariant
        self.fault = fault
        self.subject = subject
        slice = Slice(
            fault, dimensions,
            casts: [
                [.primary, .primary, .primary], [.spoken, .spokenInterrupter, .ambientDucker],
                [.recorder, .mixable, .ducker], [.playAndRecord, .mixable, .primary],
            ])
    }

    init(_ invariant: String, _ fault: String, _ subject: Subject) {
        self.init(invariant, fault, [], subject)
    }

    package static let all = ofStates + ofDecisions + ofProbes

    /// Explores the slice until the invariant is violated.
    package func exploration(of subject: Subject) -> Exploration {
        var explorer = Explorer(slice, subject)
        return explorer.run(until: invariant)
    }
}

/// The names of all invariants that an exploration checks.
package enum Checked {
    package static let invariants =
        Invariants.all.map(\.name) + DecisionInvariants.all.map(\.name) + Probes.all
}

extension Subject {
    /// Returns the policy with its results modified by `twist`.
    static func twisted(
        _ twist:
            @escaping @Sendable (
                _ policy: Policy, _ action: PolicyAction, _ before: PolicyState, _ answer: inout Policy.Transition
            ) -> Void
    ) -> Subject {
        Subject { policy, action, state throws(Refusal) in
            var answer = try policy.decide(action, in: state)
            twist(policy, action, state, &answer)
            state = answer.state
            return answer
        }
    }

    /// Returns the policy deciding on a modified copy of the state, which `restore` repairs
    /// afterwards.
    static func disguised(
        _ disguise: @escaping @Sendable (_ action: PolicyAction, _ state: inout PolicyState) -> Void,
        restoring restore:
            @escaping @Sendable (_ before: PolicyState, _ after: inout PolicyState) -> Void
    ) -> Subject {
        Subject { policy, action, state throws(Refusal) in
            var disguised = state
            disguise(action, &disguised)
            var answer = try policy.decide(action, in: disguised)
            guard disguised != state else {
                state = answer.state
                return answer
            }
            restore(state, &answer.state)
            answer.resolvedGrants = policy.resolvedGrants(in: answer.state)
            state = answer.state
            return answer
        }
    }

    /// Restores the configurations as they were before `disguise`.
    static func disguisedConfigurations(
        _ disguise: @escaping @Sendable (_ action: PolicyAction, _ state: inout PolicyState) -> Void
    ) -> Subject {
        disguised(disguise) { before, after in
            for session in before.sessions { after[session.id]?.configuration = session.configuration }
        }
    }

    /// Returns the policy with its refusals modified by `twist`, which may also change the state.
    static func refusing(
        _ twist:
            @escaping @Sendable (_ refusal: inout Refusal, _ action: PolicyAction, _ state: inout PolicyState) -> Void
    ) -> Subject {
        Subject { policy, action, state throws(Refusal) in
            do throws(Refusal) {
                let answer = try policy.decide(action, in: state)
                state = answer.state
                return answer
            } catch {
                var refusal = error
                twist(&refusal, action, &state)
                throw refusal
            }
        }
    }
}
