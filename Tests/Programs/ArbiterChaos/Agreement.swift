import ArbiterTesting
import Foundation
import PolicyExploration
import SessionArbiter
import SessionPolicy

/// Whether the arbiter, a replay of its log, the rules, and every app say the same.
struct Agreement {
    let report: ArbiterReport
    private(set) var history: DecisionHistory?
    var living: Set<Int32>

    init(report: ArbiterReport, history: DecisionHistory?, living: Set<Int32>) {
        self.report = report
        self.history = history
        self.living = living
    }

    /// What differs.
    func findings(_ views: [View]) throws -> [String] {
        guard let history else { return ["There is no history."] }
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
        if !dead.isEmpty { findings.append("Sessions are there of apps that do not live: \(dead.map(\.id)).") }
        return findings + views.flatMap(disagreements)
    }

    /// What is wrong with the log itself.
    func findingsOfTheLog() -> [String] {
        guard let history else { return [] }
        do {
            _ = try history.replayed(by: Policy(settings: report.settings.policy))
            return brokenInvariants(history)
        } catch {
            return ["\(error)"]
        }
    }

    private func disagreements(_ view: View) -> [String] {
        guard let news = report.sessions.first(where: { $0.status.session.id.rawValue == view.session }) else {
            return ["App \(view.process) has session \(view.session), of which the arbiter knows nothing."]
        }
        let (session, verdict) = (news.status.session, news.status.standing.verdict)
        let activity =
            switch session.activity {
            case .active: "running"
            case .waiting: "interrupted"
            case .inactive: "inactive"
            }
        var findings: [String] = []
        if (view.activity, view.attenuation, view.isMuted) != (activity, verdict.attenuation, verdict.isMuted) {
            findings.append(
                "App \(view.process) sees \(view), but the arbiter says \(activity), \(verdict).")
        }
        if let gain = view.gain {
            let expected = verdict.isPaused || verdict.isMuted ? 0 : pow(10, -verdict.attenuation / 20)
            if abs(Double(gain) - expected) > 0.001 {
                findings.append(
                    "App \(view.process) lets through \(gain), but the arbiter's \(verdict) is \(expected).")
            }
        } else if activity == "running" {
            findings.append("App \(view.process) is active, but its engine does not run.")
        }
        return findings
    }

    /// Of every decision that is kept (ACT-2, ACT-12, DUCK-2 and the others of the exploration).
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
        return broken.map { "Decision \($1) breaks: \($0)." }
    }

    /// For the trial's own trial: the log says that what was done was refused.
    mutating func falsifyTheLog() {
        guard let last = history?.decisions.indices.last else { return }
        history?.decisions[last].outcome = .refused(Refusal(.badParam, .act1, "planted"))
    }
}
