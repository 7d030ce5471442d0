package import SessionPolicy

/// Invariants of every state, independent of how it was reached, that are checked by applying
/// further events.
package struct Probes {
    static let liveness = "no session waits forever once all others deactivate with notice"
    static let idleness = "no session stays ducked or waiting for one that is silent beyond the limits"
    static let replay = "replaying the log gives the same state"
    static let refusal = "a refusal changes nothing"
    static let refusalReason = "a refusal has a rule, a reason and a live blocking session"
    static let all = [liveness, idleness, replay, refusal, refusalReason]

    let subject: Subject
    let policy: Policy

    package init(subject: Subject = .policy, policy: Policy) {
        self.subject = subject
        self.policy = policy
    }

    /// Implements ACT-8 and ACT-12: after all other sessions have deactivated one by one and the
    /// microphone is unmuted, the wait has ended.
    package func waitsEnd(in state: PolicyState) -> Bool {
        state.sessions.allSatisfy { waiter in
            // ROUTE-4: a session whose output was unplugged waits for no other session.
            guard let wait = waiter.wait, wait.rule != .route4 else { return true }
            var later = state
            for other in state.sessions where other.id != waiter.id {
                let leave: PolicyAction =
                    other.app == .system
                    ? .endSystemSession(other.id, shouldResume: true) : .deactivate(other.id, notifyOthers: true)
                guard (try? subject.decide(leave, with: policy, &later)) != nil else { return false }
            }
            _ = try? subject.decide(.setMicrophoneMuted(false), with: policy, &later)
            return later[waiter.id]?.wait == nil
        }
    }

    /// Implements ACT-17: after every release that is due, no session waits for one that plays and
    /// records nothing and is not paused part-way, and none is ducked by one that is silent.
    package func silenceReleases(in state: PolicyState) -> Bool {
        guard state.sessions.contains(where: { $0.silence != nil }) else { return true }
        var later = state
        for _ in state.sessions.indices {
            for _ in 0..<2 {
                guard let next = later.nextIdleRelease(policy.settings) else { break }
                guard (try? subject.decide(next.action, with: policy, &later)) != nil else { return false }
            }
        }
        let grants = policy.resolvedGrants(in: later)
        return zip(later.sessions, grants).allSatisfy { session, grant in
            func isSilent(_ id: SessionID?) -> Bool {
                id.flatMap { later[$0] }.map { $0.isActive && !$0.isRunning && !$0.isInputRunning } ?? false
            }
            let interrupter = session.wait?.interrupter
            return !(isSilent(interrupter) && interrupter.flatMap { later[$0] }?.isPaused == false)
                && !grant.reasons.contains { $0.kind == .ducked && isSilent($0.by) }
        }
    }

    func replays(_ log: [PolicyAction], to state: PolicyState) -> Bool {
        var replayed = PolicyState()
        for action in log {
            guard (try? subject.decide(action, with: policy, &replayed)) != nil else { return false }
        }
        return replayed == state
    }

    static func explains(_ refusal: Refusal, in state: PolicyState) -> Bool {
        !refusal.message.isEmpty && refusal.by.map { state[$0]?.isActive == true } ?? true
    }
}
