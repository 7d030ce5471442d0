package import SessionPolicy

/// The observable result of one decided event. A separate value, so that a test can inject a fault
/// into it.
package struct Observation {
    package var before: PolicyState
    package var sessions: [SessionState]
    package var activeOrder: [SessionID]
    package var silentSwitch: Bool
    package var apps: [AppState]
    package var isScreenLocked: Bool
    package var isMicrophoneMuted: Bool
    package var pending: [SessionID]
    package var hasDevices: Bool
    package var resolvedGrants: [ResolvedGrant]
    package var effects: [Effect]

    package init(before: PolicyState, _ transition: Policy.Transition) {
        self.before = before
        sessions = transition.state.sessions
        activeOrder = transition.state.activeOrder
        silentSwitch = transition.state.silentSwitch.isOn
        apps = transition.state.apps
        isScreenLocked = transition.state.isScreenLocked
        isMicrophoneMuted = transition.state.microphoneMute.isOn
        pending = transition.state.pendingActivations
        // A known server may have no devices at all (ROUTE-9).
        hasDevices = !transition.state.devices.isEmpty || transition.state.apps.contains { $0.server != nil }
        resolvedGrants = transition.resolvedGrants
        effects = transition.effects
    }

    package var active: [SessionState] { activeOrder.compactMap(session) }

    package func session(_ id: SessionID) -> SessionState? { sessions.first { $0.id == id } }
}

/// Invariants that hold after every event.
package enum Invariants {
    /// Returns the names of the invariants that an observation violates.
    package static func broken(by seen: Observation) -> [String] {
        all.filter { !$0.holds(seen) }.map(\.name)
    }

    package static let all: [(name: String, holds: @Sendable (Observation) -> Bool)] = [
        ("every ducked session has a live ducker", ducksHaveCause),  // DUCK-2, ACT-12
        ("every wait has a live cause", waitsHaveCause),  // ACT-12
        // ACT-8, BG-1…3
        ("a session waits only for one that is in its way or may return", waitsHaveObstacle),
        // ACT-8
        ("two sessions that are asked to resume at once do not conflict", resumptionsDoNotConflict),
        // ACT-17
        ("a session whose silence has released others neither ducks nor keeps them", releasesOthers),
        ("chains of waits end", waitsEnd),  // ACT-8
        ("at most one end per interruption", oneEndPerBegin),  // INT-5
        ("a higher rank prevails over all lower ranks", higherRanksPrevail),  // ACT-4, ACT-5
        ("a mixable session interrupts only by DUCK-4", mixableInterruptsOnlySpoken),  // ACT-3
        ("no two primary app sessions run", onePrimary),  // ACT-2
        ("unity gain when alone", unityWhenAlone),  // DUCK-5
        ("a session is paused exactly when it is not active", pausedUnlessActive),  // ACT-1, INT-8
        ("every restricted grant has a reason", restrictionsHaveReasons),  // ACT-13
        ("the activation order lists exactly the active sessions", activeOrderIsConsistent),
        // ACT-6, BG-1…3
        ("no session is active whose app's state forbids it", backgroundRulesHold),
        // ACT-14
        ("a delayed activation is granted once it interrupts no session", pendingActivationsAreBlocked),
        // PERM-1, PERM-4, INT-10
        ("no input unless in use, permitted and unmuted", inputIsPermitted),
    ]

    @Sendable private static func ducksHaveCause(_ seen: Observation) -> Bool {
        zip(seen.sessions, seen.resolvedGrants).allSatisfy { session, resolvedGrant in
            guard resolvedGrant.grant.attenuation > 0 else { return true }
            return seen.active.contains { ducker in
                guard ducker.id != session.id, ducker.rank >= session.rank else { return false }
                if ducker.isConversation || (ducker.rank == .call && !ducker.isRinging) { return true }
                guard ducker.ducksNow, !session.isConversation else { return false }
                return ducker.configuration.ducksOthers
                    || (ducker.configuration.interruptsSpokenAudio && session.configuration.mode == .spokenAudio)
            }
        }
    }

    @Sendable private static func waitsHaveCause(_ seen: Observation) -> Bool {
        seen.sessions.allSatisfy { session in
            guard let wait = session.wait else { return true }
            if let interrupter = wait.interrupter { return seen.session(interrupter) != nil }
            return wait.rule == .route4 || (wait.rule == .int10 && seen.isMicrophoneMuted)
        }
    }

    /// An interrupter that is active takes precedence over the waiting session, which may have
    /// become mixable since. One that is not active waits itself, or may resume: the state of its
    /// app allows that.
    @Sendable private static func waitsHaveObstacle(_ seen: Observation) -> Bool {
        seen.sessions.allSatisfy { session in
            guard let wait = session.wait, let interrupter = wait.interrupter.flatMap(seen.session) else { return true }
            if interrupter.isActive {
                if interrupter.isConversation { return true }
                guard interrupter.idleRelease != .all else { return false }
                let isChat = [.voiceChat, .videoChat].contains(interrupter.configuration.mode)
                return interrupter.rank.isSystem || interrupter.isPrimary || (wait.rule == .act18 && isChat)
                    || interrupter.configuration.interruptsSpokenAudio || wait.rule == .act8
            }
            guard interrupter.app != .system, interrupter.temporaryForegroundUntil == nil else { return true }
            let app = seen.apps.first { $0.id == interrupter.app } ?? AppState(id: interrupter.app)
            let isVisible = app.life == .foreground && !seen.isScreenLocked
            return app.life != .suspended && (isVisible || app.declaresBackgroundAudio)
        }
    }

    @Sendable private static func releasesOthers(_ seen: Observation) -> Bool {
        let released = seen.active.filter { $0.idleRelease != .none }
        return zip(seen.sessions, seen.resolvedGrants).allSatisfy { session, resolvedGrant in
            released.allSatisfy { idle in
                !(idle.idleRelease == .all && session.wait?.interrupter == idle.id)
                    && !resolvedGrant.reasons.contains { $0.by == idle.id && $0.kind == .ducked }
            }
        }
    }

    @Sendable private static func resumptionsDoNotConflict(_ seen: Observation) -> Bool {
        let resuming = seen.effects.filter { $0.kind == .interruptionEnded(shouldResume: true) }
            .compactMap { seen.session($0.session) }
        return resuming.allSatisfy { one in
            resuming.allSatisfy { other in
                guard one.id != other.id, one.rank == .app, other.rank == .app else { return true }
                let isPrompt = one.configuration.interruptsSpokenAudio
                return !one.isConversation && !(one.isPrimary && other.isPrimary)
                    && !(isPrompt && other.configuration.mode == .spokenAudio)
            }
        }
    }

    @Sendable private static func waitsEnd(_ seen: Observation) -> Bool {
        seen.sessions.allSatisfy { session in
            var current: SessionState? = session
            for _ in 0...seen.sessions.count {
                guard let interrupter = current?.wait?.interrupter else { return true }
                current = seen.session(interrupter)
            }
            return false
        }
    }

    @Sendable private static func oneEndPerBegin(_ seen: Observation) -> Bool {
        var waiting = Set(seen.before.sessions.filter { $0.wait != nil }.map(\.id))
        for effect in seen.effects {
            switch effect.kind {
            case .interruptionBegan:
                guard waiting.insert(effect.session).inserted else { return false }
            case .interruptionEnded, .waitLapsed:
                guard waiting.remove(effect.session) != nil else { return false }
            case .activated: waiting.remove(effect.session)
            default: break
            }
        }
        return true
    }

    @Sendable private static func higherRanksPrevail(_ seen: Observation) -> Bool {
        for superior in seen.active where superior.rank.isSystem {
            for other in seen.active where other.rank < superior.rank {
                if superior.isRinging, other.prefersNoInterruptionsFromSystemAlerts { continue }
                if superior.rank == .call, !superior.isRinging, other.configuration.category == .playback { continue }
                return false
            }
        }
        // ACT-18: only playback that started during the conversation runs beside it, or a chat
        // without input if one of both is mixable.
        let conversations = seen.active.filter(\.isConversation)
        guard let conversation = conversations.first else { return true }
        return conversations.count == 1
            && seen.active.allSatisfy { other in
                other.rank != .app || other.id == conversation.id || other.configuration.category == .playback
                    || ((other.isMixable || conversation.isMixable)
                        && [.voiceChat, .videoChat].contains(other.configuration.mode))
            }
    }

    @Sendable private static func mixableInterruptsOnlySpoken(_ seen: Observation) -> Bool {
        seen.effects.allSatisfy { effect in
            guard case .interruptionBegan = effect.kind, let by = effect.by, let cause = seen.session(by),
                cause.rank == .app, cause.isMixable
            else { return true }
            if effect.rule == .act18 { return cause.isConversation }
            return effect.rule == .duck4 && seen.session(effect.session)?.configuration.mode == .spokenAudio
        }
    }

    @Sendable private static func onePrimary(_ seen: Observation) -> Bool {
        let isInConversation = seen.active.contains(where: \.isConversation)
        return seen.active.count { session in
            session.rank == .app && session.isPrimary && session.idleRelease != .all
                // ACT-5: playback that started during a conversation.
                && !(isInConversation && !session.isConversation && session.configuration.category == .playback)
        } <= 1
    }

    @Sendable private static func unityWhenAlone(_ seen: Observation) -> Bool {
        guard seen.active.count == 1, let index = seen.sessions.firstIndex(where: \.isActive) else { return true }
        let (session, grant) = (seen.sessions[index], seen.resolvedGrants[index].grant)
        let mayBeMuted =
            seen.silentSwitch || session.isOutputMuted || seen.hasDevices
            || !session.configuration.category.traits.hasOutput
        return grant.attenuation == 0 && (mayBeMuted || !grant.isMuted)
    }

    @Sendable private static func pausedUnlessActive(_ seen: Observation) -> Bool {
        zip(seen.sessions, seen.resolvedGrants).allSatisfy {
            ($0.isActive || $0.playsSystemSounds) != $1.grant.isPaused
        }
    }

    @Sendable private static func restrictionsHaveReasons(_ seen: Observation) -> Bool {
        seen.resolvedGrants.allSatisfy { resolvedGrant in
            let kinds = resolvedGrant.reasons.map(\.kind)
            return resolvedGrant.grant.isPaused == (kinds.contains(.inactive) || kinds.contains(.interrupted))
                && resolvedGrant.grant.isMuted == kinds.contains(.muted)
                && (resolvedGrant.grant.attenuation > 0) == kinds.contains(.ducked)
        }
    }

    @Sendable private static func backgroundRulesHold(_ seen: Observation) -> Bool {
        seen.active.allSatisfy { session in
            guard session.app != .system, let app = seen.apps.first(where: { $0.id == session.app }) else {
                return session.app == .system || !seen.isScreenLocked || session.temporaryForegroundUntil != nil
            }
            if app.life == .foreground, !seen.isScreenLocked { return true }
            // ACT-16
            if app.life != .suspended, session.temporaryForegroundUntil != nil { return true }
            return app.life != .suspended && app.declaresBackgroundAudio
                && [.playback, .playAndRecord, .record, .multiRoute].contains(session.configuration.category)
        }
    }

    /// A session with a pending activation is inactive, and one of these holds: an active session
    /// blocks it, it would interrupt an active session, or its app is in a state that does not
    /// allow it.
    @Sendable private static func pendingActivationsAreBlocked(_ seen: Observation) -> Bool {
        seen.pending.allSatisfy { id in
            guard let session = seen.session(id), !session.isActive else { return false }
            // ROUTE-9
            if seen.hasDevices, session.configuration.category.traits.hasInput { return true }
            return seen.isScreenLocked || seen.apps.contains { $0.id == session.app && $0.life != .foreground }
                || seen.active.contains { other in
                    // A session of higher rank blocks it. The system's sessions interrupt their own
                    // rank and lower ones (ACT-4).
                    if other.rank == .app, other.idleRelease == .all { return false }
                    return other.rank > session.rank || session.rank.isSystem || other.isConversation
                        || (session.isPrimary ? other.isPrimary : other.configuration.mode == .spokenAudio)
                }
        }
    }

    @Sendable private static func inputIsPermitted(_ seen: Observation) -> Bool {
        zip(seen.sessions, seen.resolvedGrants).allSatisfy { session, resolvedGrant in
            guard resolvedGrant.grant.isInputGranted else { return true }
            guard session.isActive, session.isInputRunning, session.configuration.category.traits.hasInput else {
                return false
            }
            guard session.app != .system else { return true }
            guard let app = seen.apps.first(where: { $0.id == session.app }) else { return false }
            return app.recordPermission == .granted && !app.isInputMuted && !seen.isMicrophoneMuted
        }
    }

    @Sendable private static func activeOrderIsConsistent(_ seen: Observation) -> Bool {
        seen.activeOrder.count == Set(seen.activeOrder).count
            && Set(seen.activeOrder) == Set(seen.sessions.filter(\.isActive).map(\.id))
    }
}

extension SessionState {
    /// Whether the session is a conversation, at least by the default settings (ACT-18).
    var isConversation: Bool {
        rank == .app && isInputRunning && [.voiceChat, .videoChat].contains(configuration.mode)
    }
}

extension SessionState {
    /// Whether a ducker's silence neither has released others (ACT-17) nor ends its duck (DUCK-2).
    var ducksNow: Bool { idleRelease == .none && (isAudible || !ducksOnlyWhileAudible) }
}
