package import SessionPolicy

/// What holds of every state, whichever way it was reached, and is seen by trying.
package struct Probes {
    static let liveness = "when everybody else leaves with notice, nobody waits for ever"
    static let replay = "replaying the log gives the same state"
    static let refusal = "a refusal changes nothing"
    static let refusalReason = "a refusal has a rule and a reason, and who is in the way lives"
    static let all = [liveness, replay, refusal, refusalReason]

    let subject: Subject
    let policy: Policy

    package init(subject: Subject = .policy, policy: Policy) {
        self.subject = subject
        self.policy = policy
    }

    /// Keeps ACT-8 and ACT-12: the others leave one after the other, the microphone is unmuted, and the wait is over.
    package func waitsEnd(in state: PolicyState) -> Bool {
        state.sessions.allSatisfy { waiter in
            // ROUTE-4: whose output was pulled out waits for nobody but itself.
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
