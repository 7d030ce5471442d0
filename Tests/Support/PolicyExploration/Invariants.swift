package import SessionPolicy

/// What can be seen of one decided event. A value of its own, so that a test can plant a fault in it.
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
    package var standings: [Standing]
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
        // A server that is known has what it has, be it nothing (ROUTE-9).
        hasDevices = !transition.state.devices.isEmpty || transition.state.apps.contains { $0.server != nil }
        standings = transition.standings
        effects = transition.effects
    }

    package var active: [SessionState] { activeOrder.compactMap(session) }

    package func session(_ id: SessionID) -> SessionState? { sessions.first { $0.id == id } }
}

/// What holds after every event, whatever happened before.
package enum Invariants {
    /// The names of those that an observation breaks.
    package static func broken(by seen: Observation) -> [String] {
        all.filter { !$0.holds(seen) }.map(\.name)
    }

    package static let all: [(name: String, holds: @Sendable (Observation) -> Bool)] = [
        ("nobody ducked without a living ducker", duckersLive),  // DUCK-2, ACT-12
        ("nobody waits without a cause that lives", causesLive),  // ACT-12
        ("waits end somewhere", waitsEnd),  // ACT-8
        ("at most one end per begin", oneEndPerBegin),  // INT-5
        ("a higher rank outranks all", ranksHold),  // ACT-4, ACT-5
        ("a mixable session never interrupts but by DUCK-4", mixableIsMild),  // ACT-3
        ("no two primary app sessions run", onePrimary),  // ACT-2
        ("unity gain when alone", unityWhenAlone),  // DUCK-5
        ("what is not active is paused, what is active is not", pausedIffIdle),  // ACT-1, INT-8
        ("every verdict that takes something away has a reason", reasonsGiven),  // ACT-13
        ("the order of activation lists exactly the active ones", orderIsConsistent),
        ("nobody is active where its app may not be", backgroundHolds),  // ACT-6, BG-1…3
        ("who asked to wait is granted as soon as that interrupts nobody", grantsGiven),  // ACT-14
        ("input is heard only where it is taken, permitted and not muted", inputGuarded),  // PERM-1, PERM-4, INT-10
    ]

    @Sendable private static func duckersLive(_ seen: Observation) -> Bool {
        zip(seen.sessions, seen.standings).allSatisfy { session, standing in
            guard standing.verdict.attenuation > 0 else { return true }
            return seen.active.contains { ducker in
                guard ducker.id != session.id, ducker.rank >= session.rank else { return false }
                return ducker.configuration.ducksOthers || (ducker.rank == .call && !ducker.isRinging)
                    || (ducker.configuration.interruptsSpokenAudio && session.configuration.mode == .spokenAudio)
            }
        }
    }

    @Sendable private static func causesLive(_ seen: Observation) -> Bool {
        seen.sessions.allSatisfy { session in
            guard let wait = session.wait else { return true }
            if let rival = wait.rival { return seen.session(rival) != nil }
            return wait.rule == .route4 || (wait.rule == .int10 && seen.isMicrophoneMuted)
        }
    }

    @Sendable private static func waitsEnd(_ seen: Observation) -> Bool {
        seen.sessions.allSatisfy { session in
            var current: SessionState? = session
            for _ in 0...seen.sessions.count {
                guard let rival = current?.wait?.rival else { return true }
                current = seen.session(rival)
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

    @Sendable private static func ranksHold(_ seen: Observation) -> Bool {
        for ruler in seen.active where ruler.rank.isSystem {
            for other in seen.active where other.rank < ruler.rank {
                if ruler.isRinging, other.prefersNoInterruptionsFromSystemAlerts { continue }
                if ruler.rank == .call, !ruler.isRinging, other.configuration.category == .playback { continue }
                return false
            }
        }
        return true
    }

    @Sendable private static func mixableIsMild(_ seen: Observation) -> Bool {
        seen.effects.allSatisfy { effect in
            guard case .interruptionBegan = effect.kind, let by = effect.by, let cause = seen.session(by),
                cause.rank == .app, cause.isMixable
            else { return true }
            return effect.rule == .duck4 && seen.session(effect.session)?.configuration.mode == .spokenAudio
        }
    }

    @Sendable private static func onePrimary(_ seen: Observation) -> Bool {
        seen.active.filter { $0.rank == .app && $0.isPrimary }.count <= 1
    }

    @Sendable private static func unityWhenAlone(_ seen: Observation) -> Bool {
        guard seen.active.count == 1, let place = seen.sessions.firstIndex(where: \.isActive) else { return true }
        let (session, verdict) = (seen.sessions[place], seen.standings[place].verdict)
        let mayBeMuted =
            seen.silentSwitch || session.isOutputMuted || seen.hasDevices
            || !session.configuration.category.traits.hasOutput
        return verdict.attenuation == 0 && (mayBeMuted || !verdict.isMuted)
    }

    @Sendable private static func pausedIffIdle(_ seen: Observation) -> Bool {
        zip(seen.sessions, seen.standings).allSatisfy { $0.isActive != $1.verdict.isPaused }
    }

    @Sendable private static func reasonsGiven(_ seen: Observation) -> Bool {
        seen.standings.allSatisfy { standing in
            let kinds = standing.reasons.map(\.kind)
            return standing.verdict.isPaused == (kinds.contains(.inactive) || kinds.contains(.interrupted))
                && standing.verdict.isMuted == kinds.contains(.muted)
                && (standing.verdict.attenuation > 0) == kinds.contains(.ducked)
        }
    }

    @Sendable private static func backgroundHolds(_ seen: Observation) -> Bool {
        seen.active.allSatisfy { session in
            guard session.app != .system, let app = seen.apps.first(where: { $0.id == session.app }) else {
                return session.app == .system || !seen.isScreenLocked || session.foregroundLentUntil != nil
            }
            if app.life == .foreground, !seen.isScreenLocked { return true }
            if app.life != .suspended, session.foregroundLentUntil != nil { return true }  // ACT-16
            return app.life != .suspended && app.declaresBackgroundAudio
                && [.playback, .playAndRecord, .record, .multiRoute].contains(session.configuration.category)
        }
    }

    /// One who asked is inactive, and somebody active stands in its way, would be interrupted by it, or its app is not where it may be.
    @Sendable private static func grantsGiven(_ seen: Observation) -> Bool {
        seen.pending.allSatisfy { id in
            guard let session = seen.session(id), !session.isActive else { return false }
            if seen.hasDevices, session.configuration.category.traits.hasInput { return true }  // ROUTE-9
            return seen.isScreenLocked || seen.apps.contains { $0.id == session.app && $0.life != .foreground }
                || seen.active.contains { other in
                    // A higher rank is in its way, and the system's sessions interrupt their own rank and lower ones (ACT-4).
                    other.rank > session.rank || session.rank.isSystem
                        || (session.isPrimary ? other.isPrimary : other.configuration.mode == .spokenAudio)
                }
        }
    }

    @Sendable private static func inputGuarded(_ seen: Observation) -> Bool {
        zip(seen.sessions, seen.standings).allSatisfy { session, standing in
            guard standing.verdict.isInputGranted else { return true }
            guard session.isActive, session.isInputRunning, session.configuration.category.traits.hasInput else {
                return false
            }
            guard session.app != .system else { return true }
            guard let app = seen.apps.first(where: { $0.id == session.app }) else { return false }
            return app.recordPermission == .granted && !app.isInputMuted && !seen.isMicrophoneMuted
        }
    }

    @Sendable private static func orderIsConsistent(_ seen: Observation) -> Bool {
        seen.activeOrder.count == Set(seen.activeOrder).count
            && Set(seen.activeOrder) == Set(seen.sessions.filter(\.isActive).map(\.id))
    }
}
