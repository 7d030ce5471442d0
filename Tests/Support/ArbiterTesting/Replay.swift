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
        guard state.sessions.map(\.id) == sessions.map(\.status.session.id) else {
            return
                "The log leads to \(state.sessions.map(\.id)), but the service has \(sessions.map(\.status.session.id))."
        }
        for ((logged, standing), told) in zip(zip(state.sessions, standings), sessions.map(\.status)) {
            guard logged == told.session else {
                return "The log leads to \(logged), but the service has \(told.session)."
            }
            guard standing == told.standing else {
                return "The log leads to \(standing) of \(logged.id), but the service has \(told.standing)."
            }
        }
        guard state.apps == apps else { return "The log leads to the apps \(state.apps), but the service has \(apps)." }
        return nil
    }
}

extension RawClient {
    /// The report and the log of one moment, when nothing is decided between them.
    package func reportWithHistory() throws -> (report: ArbiterReport, history: DecisionHistory) {
        for _ in 0..<1_000 {
            let before = try report().decisions
            guard let history = try ask(.history).history else { throw TrialError("No history came.") }
            let report = try report()
            if report.decisions == before { return (report, history) }
        }
        throw TrialError("The service does not come to rest.")
    }
}
