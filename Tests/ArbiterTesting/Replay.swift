package import SessionArbiter
package import SessionPolicy

extension DecisionHistory {
    /// The state that the decisions lead to, one after the other. Throws where one comes out otherwise than the service said.
    package func replayed(by policy: Policy) throws -> (state: PolicyState, standings: [Standing]) {
        var state = base
        for decision in decisions {
            let outcome: Decision.Outcome
            do throws(Refusal) {
                let transition = try policy.apply(decision.event, to: state)
                state = transition.state
                outcome = .granted(transition.effects)
            } catch {
                outcome = .refused(error)
            }
            guard outcome == decision.outcome else {
                throw TrialError(
                    "Decision \(decision.number), \(decision.event.action), comes out as \(outcome), and was \(decision.outcome)."
                )
            }
        }
        return (state, policy.standings(in: state))
    }
}

extension ArbiterReport {
    /// What differs between this and a replay of the log; nil: nothing.
    package func difference(from history: DecisionHistory) throws -> String? {
        let (state, standings) = try history.replayed(by: Policy(settings: settings.policy))
        guard state.sessions == sessions.map(\.status.session) else {
            return
                "The log leads to the sessions \(state.sessions), but the service has \(sessions.map(\.status.session))."
        }
        guard standings == sessions.map(\.status.standing) else {
            return
                "The log leads to the standings \(standings), but the service has \(sessions.map(\.status.standing))."
        }
        guard state.apps == apps else { return "The log leads to the apps \(state.apps), but the service has \(apps)." }
        return nil
    }
}
