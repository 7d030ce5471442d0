package import SessionPolicy

/// Invariants of every state, independent of how it was reached, that are checked by applying
/// further events.
package struct Probes {
    static let liveness = "no session waits forever once all others deactivate with notice"
    static let replay = "replaying the log gives the same state"
    static let refusal = "a refusal changes nothing"
    static let refusalReason = "a refusal has a rule, a reason and a live blocking session"
    static let all = [liveness, replay, refusal, refusalReason]

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
