import ArbiterTesting
import Foundation
import PolicyExploration
import SessionArbiter
import SessionPolicy

/// Checks that the arbiter, a replay of its log, the rules, and every app agree.
struct Agreement {
    let report: ArbiterReport
    private(set) var history: DecisionHistory?
    var living: Set<Int32>

    init(report: ArbiterReport, history: DecisionHistory?, living: Set<Int32>) {
        self.report = report
        self.history = history
        self.living = living
    }

    /// Returns the differences.
    func findings(_ views: [View]) throws -> [String] {
        guard let history else { return ["The arbiter returned no history."] }
        var findings: [String] = []
        do {
            if let difference = try report.difference(from: history) { findings.append(difference) }
        } catch {
            findings.append("\(error)")
        }
        findings += brokenInvariants(history)
        let dead = report.sessions.map(\.status.session).filter {
            !living.contains(Int32(truncatingIfNeeded: $0.app.rawValue))
        }
        if !dead.isEmpty { findings.append("There are sessions of apps that are not running: \(dead.map(\.id)).") }
        return findings + views.flatMap(disagreements)
    }

    /// Returns the problems of the log itself.
    func logFindings() -> [String] {
        guard let history else { return [] }
        do {
            _ = try history.replayed(by: Policy(settings: report.settings.policy))
            return brokenInvariants(history)
        } catch {
            return ["\(error)"]
        }
    }

    private func disagreements(_ view: View) -> [String] {
        guard let update = report.sessions.first(where: { $0.status.session.id.rawValue == view.session }) else {
            return ["App \(view.process) has session \(view.session), which the arbiter does not know."]
        }
        let (session, grant) = (update.status.session, update.status.resolvedGrant.grant)
        let activity =
            switch session.activity {
            case .active: "running"
            case .waiting: "interrupted"
            case .inactive: "inactive"
            }
        var findings: [String] = []
        if (view.activity, view.attenuation, view.isMuted) != (activity, grant.attenuation, grant.isMuted) {
            findings.append(
                "App \(view.process) sees \(view), but the arbiter has \(activity), \(grant).")
        }
        if let gain = view.gain {
            let expected = grant.isPaused || grant.isMuted ? 0 : pow(10, -grant.attenuation / 20)
            if abs(Double(gain) - expected) > 0.001 {
                findings.append(
                    "App \(view.process) applies a gain of \(gain), but the arbiter's \(grant) means \(expected).")
            }
        } else if activity == "running" {
            findings.append("App \(view.process) is active, but its engine is not running.")
        }
        return findings
    }

    /// Returns the invariants that the decisions in the log violate (ACT-2, ACT-12, DUCK-2 and the
    /// others of the exploration).
    private func brokenInvariants(_ history: DecisionHistory) -> [String] {
        let policy = Policy(settings: report.settings.policy)
        var state = history.base
        var broken: [String: UInt64] = [:]
        for decision in history.decisions {
            guard let transition = try? policy.apply(decision.event, to: state) else { continue }
            for name in Invariants.broken(by: Observation(before: state, transition)) where broken[name] == nil {
                broken[name] = decision.number
            }
            state = transition.state
        }
        return broken.map { "Decision \($1) violates: \($0)." }
    }

    /// Injects a fault: adds a decision, which the policy does not refuse, as refused. The log is
    /// empty if nothing was requested after the last arbiter had restored the sessions.
    mutating func falsifyLog() {
        let event = PolicyEvent(.setSilentSwitch(true), at: history?.decisions.last?.event.time ?? .zero)
        let outcome = Decision.Outcome.refused(Refusal(.badParam, .act1, "injected"))
        history?.decisions.append(Decision(number: report.decisions + 1, event: event, outcome: outcome))
    }
}
