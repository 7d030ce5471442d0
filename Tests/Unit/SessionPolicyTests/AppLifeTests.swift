import SessionPolicy
import Testing

@Suite struct AppLifeTests {
    private func music(_ scene: inout Scene, _ id: UInt64, _ options: CategoryOptions = []) throws {
        try scene.add(id, .playback, .default, options)
    }

    private func enter(_ scene: inout Scene, _ app: UInt64, _ life: ApplicationState) throws {
        try scene.do(.setApplicationState(AppID(app), life))
    }

    @Test("BG-1: entering the background without declared background audio deactivates the session; others resume")
    func leavesForeground() throws {
        var scene = Scene()
        try music(&scene, 1)
        try music(&scene, 2)
        try scene.activate(1)
        try scene.activate(2)
        try enter(&scene, 2, .background)
        #expect(scene.notified.map(\.kind).contains(.deactivatedBySystem))
        #expect(scene.notified.first?.rule == .bg1)
        #expect(scene.interruptions == ["1 ended resume"])
        #expect(try !scene.isActive(2))
    }

    @Test("BG-1: declared background audio applies to playback, playAndRecord, record and multiRoute only")
    func declared() throws {
        for category in Category.allCases {
            var scene = Scene()
            try scene.add(1, category)
            try scene.do(.setDeclaresBackgroundAudio(AppID(1), true))
            try scene.activate(1)
            try enter(&scene, 1, .background)
            let holds: Set<Category> = [.playback, .playAndRecord, .record, .multiRoute]
            #expect(try scene.isActive(1) == holds.contains(category), "\(category)")
            // Revoking the declaration has the same effect as entering the background.
            try scene.do(.setDeclaresBackgroundAudio(AppID(1), false))
            #expect(try !scene.isActive(1))
        }
    }

    @Test("ACT-6: a background app without declared background audio may not start; the code depends on the kind")
    func mayNotStart() throws {
        var scene = Scene()
        try music(&scene, 1)
        try scene.add(2, .record)
        for app: UInt64 in [1, 2] { try enter(&scene, app, .background) }
        #expect(try scene.refusal(of: .activate(SessionID(1))).code == .cannotStartPlaying)
        #expect(try scene.refusal(of: .activate(SessionID(2))).code == .cannotStartRecording)
        try scene.do(.setDeclaresBackgroundAudio(AppID(1), true))
        try scene.activate(1)
        // CAT-3: a change while active is arbitrated the same way.
        let change = ConfigurationChange.category(.ambient)
        #expect(try scene.refusal(of: .configure(SessionID(1), change)).rule == .act6)
        try enter(&scene, 2, .foreground)
        try scene.activate(2)
        #expect(try scene.isActive(2))
    }

    @Test(
        "ACT-6: a primary session in the background interrupts no primary one, a mixable one joins, DUCK-4 is allowed")
    func mayNotInterrupt() throws {
        var scene = Scene()
        try music(&scene, 1)
        try music(&scene, 2)
        try music(&scene, 3, .mixWithOthers)
        try scene.add(4, .playback, .default, .interruptSpokenAudioAndMixWithOthers)
        for app: UInt64 in [2, 3, 4] {
            try scene.do(.setDeclaresBackgroundAudio(AppID(app), true))
            try enter(&scene, app, .background)
        }
        try scene.configure(1, .playback, .spokenAudio)
        try scene.play(1)
        let refusal = try scene.refusal(of: .activate(SessionID(2)))
        #expect(refusal.code == .cannotInterruptOthers && refusal.rule == .act6 && refusal.by == SessionID(1))
        try scene.activate(3)
        #expect(scene.interruptions.isEmpty)
        try scene.activate(4)
        #expect(scene.interruptions == ["1 began"])
        // No primary session is active.
        try scene.activate(2)
        #expect(try scene.isActive(2))
    }

    @Test("ACT-6: a paused or muted foreground session does not keep the background from playing; a recorder does")
    func silentForeground() throws {
        var scene = Scene()
        for id: UInt64 in 1...2 { try music(&scene, id) }
        try scene.do(.setDeclaresBackgroundAudio(AppID(2), true))
        try enter(&scene, 2, .background)
        let activate = PolicyAction.activate(SessionID(2))
        try scene.play(1)
        #expect(try scene.refusal(of: activate).by == SessionID(1))
        try scene.do(.setOutputMuted(SessionID(1), true))
        try scene.do(activate)
        #expect(scene.interruptions == ["1 began"])
        try scene.do(.setOutputMuted(SessionID(1), false))
        try scene.activate(1)
        #expect(try scene.refusal(of: activate).by == SessionID(1))
        try scene.do(.setRunning(SessionID(1), false))
        try scene.do(activate)
        #expect(scene.interruptions == ["1 began"])
        try scene.add(3, .record)
        try scene.activate(3)
        try scene.do(.setInputRunning(SessionID(3), true))
        #expect(try scene.refusal(of: activate).by == SessionID(3))
    }

    @Test("ACT-6: the right to activate while waiting (INT-5) does not override it")
    func waitingInBackground() throws {
        var scene = Scene()
        try music(&scene, 1)
        try music(&scene, 2)
        try scene.do(.setDeclaresBackgroundAudio(AppID(1), true))
        try scene.activate(1)
        try enter(&scene, 1, .background)
        try scene.play(2)
        try scene.do(.setRunning(SessionID(1), true))
        #expect(try scene.waits(1) == 2)
        #expect(try scene.refusal(of: .activate(SessionID(1))).code == .cannotInterruptOthers)
        #expect(try scene.waits(1) == 2)
    }

    @Test("BG-2: a locked screen counts as the background for every app, but not for the system's sessions")
    func lock() throws {
        var scene = Scene()
        try music(&scene, 1)
        try scene.add(2, .ambient)
        try scene.do(.setDeclaresBackgroundAudio(AppID(1), true))
        try scene.activate(1)
        try scene.activate(2)
        try scene.do(.setScreenLocked(true))
        #expect(try scene.isActive(1) && !scene.isActive(2))
        #expect(scene.notified.first?.rule == .bg2)
        #expect(try scene.refusal(of: .activate(SessionID(2))).message.contains("locked screen"))
        try scene.begin(9, .call)
        #expect(try scene.isActive(9))
        try scene.end(9)
        try scene.do(.setScreenLocked(false))
        try scene.activate(2)
        #expect(try scene.isActive(2))
    }

    @Test("BG-3: suspension deactivates despite any declaration and ends waits; a setting decides if began is sent")
    func suspension() throws {
        for notifies in [false, true] {
            var settings = PolicySettings()
            settings.notifiesSuspension = notifies
            var scene = Scene(Policy(settings: settings))
            try music(&scene, 1)
            try music(&scene, 2)
            try scene.do(.setDeclaresBackgroundAudio(AppID(2), true))
            try scene.activate(1)
            try scene.activate(2)
            try enter(&scene, 2, .suspended)
            #expect(scene.interruptions == ["1 ended resume"])
            #expect(scene.notified.first?.rule == .bg3)
            #expect(try scene.refusal(of: .activate(SessionID(2))).code == .cannotStartPlaying)
            try enter(&scene, 2, .foreground)
            #expect(scene.notified.map(\.kind) == (notifies ? [.interruptionBegan(.appWasSuspended)] : []))
            #expect(try !scene.isActive(2))
            // Only once: the app has already been notified.
            try enter(&scene, 2, .background)
            try enter(&scene, 2, .foreground)
            #expect(scene.notified.isEmpty)

            try scene.activate(1)
            try scene.activate(2)
            try enter(&scene, 1, .suspended)
            #expect(try scene.waits(1) == nil)
            try scene.deactivate(2)
            #expect(scene.interruptions.isEmpty)
        }
    }

    @Test(
        "BG-1, BG-2, ACT-10: the background and the lock also end waits; who waited behind is notified after the call")
    func waitsEndInBackground() throws {
        let leaving: [PolicyAction] = [
            .setApplicationState(AppID(2), .background), .setApplicationState(AppID(2), .suspended),
            .setScreenLocked(true),
        ]
        for leave in leaving {
            var scene = Scene()
            try music(&scene, 1)
            try scene.do(.setDeclaresBackgroundAudio(AppID(1), true))
            try scene.add(2, .soloAmbient)
            for id: UInt64 in [1, 2] { try scene.activate(id) }
            try scene.begin(9, .call)
            #expect(try scene.waits(1) == 2 && scene.waits(2) == 9)
            try scene.do(leave)
            #expect(scene.interruptions.isEmpty)
            #expect(try scene.waits(2) == nil && scene.waits(1) == 9, "\(leave)")
            try scene.end(9)
            #expect(scene.interruptions == ["1 ended resume"], "\(leave)")
        }
    }

    @Test(
        "BG-1, SRV-3: when its app undeclares background audio, also a session that could not play there stops waiting")
    func waitEndsWithoutDeclaration() throws {
        for leave: PolicyAction in [.setApplicationState(AppID(1), .background), .setScreenLocked(true)] {
            var scene = Scene()
            try scene.do(.setDeclaresBackgroundAudio(AppID(1), true))
            try music(&scene, 1)
            try scene.activate(1)
            try scene.begin(9, .call)
            try scene.do(leave)
            try scene.configure(1, .soloAmbient, .default)
            #expect(try scene.waits(1) == 9, "\(leave): its app may play, with another category")
            try scene.do(.setDeclaresBackgroundAudio(AppID(1), false))
            #expect(try scene.waits(1) == nil, "\(leave)")
            try scene.end(9)
            #expect(scene.interruptions.isEmpty, "\(leave)")
        }
    }

    @Test("BG-1, ACT-14: the background cancels a pending activation; coming back does not activate the session")
    func pendingEndsInBackground() throws {
        var scene = Scene()
        try scene.add(1, .soloAmbient)
        try scene.begin(9, .call)
        try scene.do(.requestActivation(SessionID(1)))
        try enter(&scene, 1, .background)
        #expect(scene.state.pendingActivations.isEmpty)
        try enter(&scene, 1, .foreground)
        try scene.end(9)
        #expect(try !scene.isActive(1))
    }

    @Test("BG-1, BG-2, BG-3: of an app's sessions all end before any is notified, whatever their ids")
    func together() throws {
        for ids: [UInt64] in [[1, 2], [2, 1]] {
            let leaving: [PolicyAction] = [
                .setApplicationState(AppID(7), .background), .setApplicationState(AppID(7), .suspended),
                .setScreenLocked(true),
            ]
            for leave in leaving {
                var scene = Scene()
                for id in ids {
                    try scene.add(id, .playback, app: 7)
                    try scene.activate(id)
                }
                try scene.do(leave)
                #expect(scene.interruptions.isEmpty, "\(leave) \(ids)")
                #expect(scene.state.sessions.allSatisfy { !$0.isActive && $0.wait == nil })
            }
        }
    }

    @Test("BG-1, ACT-8: a session that was asked to resume and enters the background no longer keeps others waiting")
    func notifiedThenBackground() throws {
        var scene = Scene()
        for id: UInt64 in [1, 2] {
            try music(&scene, id)
            try scene.activate(id)
        }
        try scene.begin(9, .call)
        try scene.end(9)
        #expect(try scene.interruptions == ["2 ended resume"] && scene.waits(1) == 2)
        try enter(&scene, 2, .background)
        #expect(scene.interruptions == ["1 ended resume"])
    }

    @Test("HINT-2: the hint is sent to foreground apps only")
    func hints() throws {
        var scene = Scene()
        try scene.add(1, .ambient)
        try music(&scene, 2, .mixWithOthers)
        try music(&scene, 3)
        try scene.do(.setDeclaresBackgroundAudio(AppID(2), true))
        try scene.activate(1)
        try scene.activate(2)
        try enter(&scene, 2, .background)
        try scene.activate(3)
        try scene.do(.setRunning(SessionID(3), true))
        #expect(scene.notified.map(\.session) == [SessionID(1)])
        #expect(scene.notified.map(\.kind) == [.silenceSecondaryAudioHint(true)])
    }

    @Test(
        "ACT-12: a dead app is forgotten; one with its number starts in the foreground. The system has no background")
    func death() throws {
        var scene = Scene()
        try music(&scene, 1)
        try enter(&scene, 1, .background)
        try scene.do(.appDied(AppID(1)))
        #expect(scene.state == PolicyState())
        #expect(try scene.refusal(of: .setApplicationState(.system, .background)).code == .badParam)
    }
}
