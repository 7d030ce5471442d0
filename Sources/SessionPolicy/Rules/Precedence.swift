/// Precedence: which of two sessions interrupts the other or prevents it from activating (rules
/// ACT-2…5, ACT-17, ACT-18, DUCK-4, INT-6).
struct Precedence {
    private let settings: PolicySettings

    init(_ settings: PolicySettings) { self.settings = settings }

    /// The ranks, and between app and system that of a conversation (keeps ACT-4, ACT-18).
    enum Level: Int, Comparable, CaseIterable {
        case app, conversation, assistant, alarm, call, sleep

        static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
    }

    /// Returns the level at which a session takes precedence: for an app's session, that of a
    /// conversation while its input runs in a chat mode.
    func level(of session: SessionState) -> Level {
        switch session.rank {
        case .app: session.isInputRunning && mayConverse(session) ? .conversation : .app
        case .assistant: .assistant
        case .alarm: .alarm
        case .call: .call
        case .sleep: .sleep
        }
    }

    /// Returns whether a session is in a chat mode, so that it is a conversation as soon as its
    /// input runs. Until then, it may already activate as one: it replaces an older conversation,
    /// and may interrupt from the background (keeps ACT-6, ACT-18).
    func mayConverse(_ session: SessionState) -> Bool {
        settings.conversationsOutrankApps && session.rank == .app && session.configuration.mode.isConversation
    }

    /// Returns the rule by which `session`, starting or already active, interrupts `other`; nil if
    /// both may run.
    ///
    /// An activation asks this about the active sessions (ACT-2…4, DUCK-4, INT-6). A deactivation
    /// asks it about the waiting sessions, to find an active session that still takes precedence
    /// over them (ACT-8). Between sessions of apps, one that the idle limit has released is in
    /// nobody's way, and nobody is in its way (ACT-17).
    func rule(by session: SessionState, interrupting other: SessionState) -> Rule? {
        let (level, otherLevel) = (level(of: session), level(of: other))
        if level > otherLevel {
            // INT-6: ringing does not interrupt sessions that prefer no interruptions from system
            // alerts.
            if session.isRinging { return other.prefersNoInterruptionsFromSystemAlerts ? nil : .int6 }
            return level == .conversation ? .act18 : .act4
        }
        // ACT-18: of two conversations the newer interrupts; before its input runs, as ACT-2.
        if otherLevel == .conversation {
            let interrupts = level == .conversation || (session.isPrimary && other.isPrimary)
            return mayConverse(session) && interrupts ? .act18 : nil
        }
        if level < otherLevel { return nil }
        if session.rank.isSystem {
            // ACT-4: of equal ranks the newer session interrupts; a ringing call neither interrupts
            // another call nor is interrupted by one.
            return session.isRinging || other.isRinging ? nil : .act4
        }
        guard session.idleRelease != .all, other.idleRelease != .all else { return nil }
        if session.configuration.interruptsSpokenAudio, other.configuration.mode == .spokenAudio { return .duck4 }
        // ACT-2, ACT-3: between apps, only primary sessions interrupt and are interrupted.
        return session.isPrimary && other.isPrimary ? .act2 : nil
    }

    /// Returns whether the active `session`, of a higher level, prevents `other` from activating
    /// (keeps ACT-5, ACT-18). A delayed activation does not start during a call or a conversation
    /// (ACT-14).
    func keeps(_ session: SessionState, fromActivating other: SessionState, isDelayed: Bool = false) -> Bool {
        guard level(of: session) > level(of: other) else { return false }
        if level(of: session) == .conversation, mayConverse(other) { return false }
        if session.isRinging { return !other.prefersNoInterruptionsFromSystemAlerts }
        return isDelayed || !plays(other, during: session)
    }

    /// Returns whether `session` interrupts `other` by a rule, or ducks it, as `old`, the same
    /// session before a change, does not (keeps CAT-3).
    func affects(_ other: SessionState, _ session: SessionState, moreThan old: SessionState) -> Bool {
        guard other.id != session.id else { return false }
        let rule = rule(by: session, interrupting: other)
        return (rule != nil && rule != self.rule(by: old, interrupting: other))
            || (mayDuck(session, other) && !mayDuck(old, other))
    }

    private func mayDuck(_ session: SessionState, _ other: SessionState) -> Bool {
        guard level(of: session) >= level(of: other), other.configuration.mode.allowsProcessing else { return false }
        return session.configuration.ducksOthers
            || (session.configuration.interruptsSpokenAudio && other.configuration.mode == .spokenAudio)
    }

    /// Returns whether `session` may play, strongly ducked, during `call`, a call or a
    /// conversation: output-only playback may (ACT-5). A ringing call does not count as a call.
    func plays(_ session: SessionState, during call: SessionState) -> Bool {
        isCall(call) && level(of: session) == .app && session.configuration.category == .playback
    }

    /// Returns whether a session is an accepted call or a conversation (ACT-5, ACT-18).
    func isCall(_ session: SessionState) -> Bool {
        let level = level(of: session)
        return level == .conversation || (level == .call && !session.isRinging)
    }

    /// Returns whether an active session still stands in the way of one that waits for it by a
    /// rule. A change of the waiting session, such as becoming mixable, does not end its wait, nor
    /// does a conversation whose input stops (keeps ACT-8, ACT-18); another change of the active
    /// one may (CAT-3), and so does its idle release (ACT-17).
    func stillBlocks(_ session: SessionState, _ waiter: SessionState, waitingBy waitRule: Rule) -> Bool {
        if rule(by: session, interrupting: waiter) != nil { return true }
        if session.rank == .app, session.idleRelease == .all { return false }
        switch waitRule {
        case .act2: return session.isPrimary
        case .duck4: return session.configuration.interruptsSpokenAudio
        case .act18: return mayConverse(session)
        default: return true
        }
    }
}
