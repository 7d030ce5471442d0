package import SessionArbiter
package import SessionPolicy

extension DecisionHistory {
    /// Applies the decisions one after the other and returns the resulting state. Throws when one
    /// has another outcome than the service recorded.
    package func replayed(by policy: Policy) throws -> (state: PolicyState, resolvedGrants: [ResolvedGrant]) {
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
                    "Decision \(decision.number), \(decision.event.action), is \(outcome) on replay but was \(decision.outcome)."
                )
            }
        }
        return (state, policy.resolvedGrants(in: state))
    }
}

extension ArbiterReport {
    /// Describes the first difference between this report and a replay of the log, or returns nil
    /// if there is none.
    package func difference(from history: DecisionHistory) throws -> String? {
        let (state, resolvedGrants) = try history.replayed(by: Policy(settings: settings.policy))
        guard state.sessions.map(\.id) == sessions.map(\.status.session.id) else {
            return
                "The log yields \(state.sessions.map(\.id)), but the service has \(sessions.map(\.status.session.id))."
        }
        for ((logged, resolvedGrant), notified) in zip(zip(state.sessions, resolvedGrants), sessions.map(\.status)) {
            guard logged == notified.session else {
                return "The log yields \(logged), but the service has \(notified.session)."
            }
            guard resolvedGrant == notified.resolvedGrant else {
                return
                    "The log yields \(resolvedGrant) for \(logged.id), but the service has \(notified.resolvedGrant)."
            }
        }
        guard state.apps == apps else { return "The log yields the apps \(state.apps), but the service has \(apps)." }
        return nil
    }
}

extension RawClient {
    /// Returns the report and the log of the same moment: the service has made no decision between
    /// them.
    package func reportWithHistory() throws -> (report: ArbiterReport, history: DecisionHistory) {
        for _ in 0..<1_000 {
            let before = try report().decisions
            guard let history = try ask(.history).history else { throw TrialError("The reply has no history.") }
            let report = try report()
            if report.decisions == before { return (report, history) }
        }
        throw TrialError("The service keeps making decisions.")
    }
}
