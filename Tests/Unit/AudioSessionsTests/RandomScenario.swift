import AudioSessions
import Foundation
import SessionArbiter
import SessionPolicy
import TestRandom
import Testing

/// A notification of a session, as an observer received it.
struct Posted: Equatable, Sendable {
    var id: SessionID
    var what: String

    static let names = [
        AudioSession.interruptionNotification, AudioSession.outputMuteStateChangeNotification,
        AudioSession.didBecomeActiveNotification, AudioSession.didBecomeInactiveNotification,
        AudioSession.resumptionRecommendationNotification,
    ]

    init(id: SessionID, what: String) {
        self.id = id
        self.what = what
    }

    init?(_ note: Notification) {
        guard let session = note.object as? AudioSession else { return nil }
        id = SessionID(session.id)
        let info = note.userInfo ?? [:]
        switch note.name {
        case AudioSession.didBecomeActiveNotification: what = "active"
        case AudioSession.didBecomeInactiveNotification: what = "inactive"
        case AudioSession.resumptionRecommendationNotification:
            let context = info[AudioSession.resumptionContextKey] as? AudioSession.ResumptionContext
            what = context?.recommendation == .shouldResume ? "should resume" : "should not resume"
        case AudioSession.interruptionNotification where info[AudioSessionInterruptionTypeKey] as? UInt == 1:
            what = "began"
        case AudioSession.interruptionNotification:
            what = info[AudioSessionInterruptionOptionKey] as? UInt == 1 ? "ended resume" : "ended"
        default: what = info[AudioSession.muteStateKey] as? Bool == true ? "muted" : "unmuted"
        }
    }
}

/// Replays the arbiter's log through the rules, starting where the last replay ended.
struct Replay {
    private let policy = Policy(settings: ArbiterSettings.interruptingMicrophone.policy)
    private var state = PolicyState()
    private var count: UInt64 = 0
    private let ids: [SessionID]
    /// The sessions that were notified of their activation and not yet of their deactivation.
    private var active: Set<SessionID> = []
    /// All notifications expected so far.
    private(set) var posted: [Posted] = []

    init(of ids: [SessionID]) { self.ids = ids }

    /// Replays the decisions since the last call and returns their effects. Checks that they are
    /// numbered without gaps and result in the arbiter's state.
    mutating func follow(_ arbiter: InProcessArbiter) throws -> [Effect] {
        var scenario: [Effect] = []
        for decision in arbiter.decisions.dropFirst(Int(count)) {
            count += 1
            try #require(decision.number == count, "\(TestSeed.text)")
            switch decision.outcome {
            case .granted(let effects):
                let transition = try policy.apply(decision.event, to: state)
                try #require(transition.effects == effects, "\(TestSeed.text), decision \(count)")
                state = transition.state
                scenario += effects
            case .refused(let refusal):
                #expect(throws: refusal, "\(TestSeed.text), decision \(count)") {
                    try policy.apply(decision.event, to: state)
                }
            }
        }
        #expect(state == arbiter.state, "\(TestSeed.text)")
        for effect in scenario where ids.contains(effect.session) { note(effect) }
        return scenario
    }

    /// Adds the notifications of one effect: the older one first, then the newer one, and activity
    /// only where it changes.
    private mutating func note(_ effect: Effect) {
        let id = effect.session
        switch effect.kind {
        case .activated: if active.insert(id).inserted { post(id, "active") }
        case .deactivated, .deactivatedBySystem: if active.remove(id) != nil { post(id, "inactive") }
        case .interruptionBegan:
            post(id, "began")
            if active.remove(id) != nil { post(id, "inactive") }
        case .interruptionEnded(let resume):
            post(id, resume ? "ended resume" : "ended")
            post(id, resume ? "should resume" : "should not resume")
        case .outputMuteChanged(let muted): post(id, muted ? "muted" : "unmuted")
        default: break
        }
    }

    private mutating func post(_ id: SessionID, _ what: String) { posted.append(Posted(id: id, what: what)) }
}

extension AudioSessionEvent {
    /// Creates the event that reports an effect; nil for effects that these tests do not compare.
    init?(notified kind: Effect.Kind) {
        switch kind {
        case .interruptionBegan(let reason):
            guard let reason = AudioSession.InterruptionReason(rawValue: reason.rawValue) else { return nil }
            self = .interruptionBegan(reason)
        case .interruptionEnded(let shouldResume): self = .interruptionEnded(shouldResume: shouldResume)
        case .silenceSecondaryAudioHint(let begins): self = .silenceSecondaryAudioHint(begins ? .begin : .end)
        case .outputMuteChanged(let muted): self = .outputMuteChanged(muted)
        case .outputVolumeChanged(let volume): self = .outputVolumeChanged(volume)
        default: return nil
        }
    }
}
