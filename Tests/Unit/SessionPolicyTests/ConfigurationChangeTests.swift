import SessionPolicy
import Testing

/// Changes of the configuration, of inactive and of active sessions (CAT-2, CAT-3).
@Suite struct ConfigurationChangeTests {
    @Test(
        "CAT-2, CAT-3: a category takes effect at activation, or at once while active, with a route change"
    )
    func categoryTakesEffect() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        #expect(scene.notified.isEmpty)
        try scene.activate(1)
        #expect(scene.notified.map(\.kind) == [.activated, .routeChanged(previous: Route(), .categoryChange)])
        try scene.configure(1, .ambient)
        #expect(scene.notified.map(\.kind) == [.routeChanged(previous: Route(), .categoryChange)])
        try scene.configure(1, .ambient)
        #expect(scene.notified.isEmpty)
    }

    @Test("CAT-3: becoming primary while active interrupts like an activation; becoming mixable ends waits")
    func changeIsArbitrated() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.add(2, .playback, .default, .mixWithOthers)
        try scene.activate(1)
        try scene.activate(2)
        #expect(scene.interruptions.isEmpty)
        try scene.configure(2, .playback)
        #expect(scene.interruptions == ["1 began"])
        try scene.configure(2, .playback, .default, .mixWithOthers)
        #expect(scene.interruptions.isEmpty)
        #expect(scene.notified.map(\.kind) == [.waitLapsed])
        #expect(try scene.waits(1) == nil)
    }

    @Test("CAT-3: a change that newly interrupts or ducks no session touches none")
    func weakerChange() throws {
        var scene = Scene()
        try scene.add(1, .playback, .voicePrompt, .interruptSpokenAudioAndMixWithOthers)
        try scene.add(2, .playback, .spokenAudio)
        for id: UInt64 in 1...2 { try scene.activate(id) }
        #expect(try scene.grant(2).attenuation == 14)
        for muted in [true, false] {
            try scene.do(.setOutputMuted(SessionID(1), muted))
            #expect(try scene.interruptions.isEmpty && scene.isActive(2))
        }
        try scene.do(.configure(SessionID(1), .mode(.default)))
        #expect(try scene.interruptions.isEmpty && scene.isActive(2))

        // Of what it makes stronger, only that counts: it now ducks the music, too.
        try scene.add(3, .playback, .default, .mixWithOthers)
        try scene.activate(3)
        try scene.configure(1, .playback, .default, [.interruptSpokenAudioAndMixWithOthers, .duckOthers])
        #expect(try scene.interruptions.isEmpty && scene.isActive(2) && scene.grant(3).attenuation == 14)

        var duckers = Scene()
        for id: UInt64 in 1...2 {
            try duckers.add(id, .playback, .voicePrompt, .duckOthers)
            try duckers.activate(id)
        }
        try duckers.do(.configure(SessionID(1), .mode(.default)))
        #expect(try duckers.grant(1).attenuation == 14 && duckers.grant(2).attenuation == 0, "2 is still the newest")
        try duckers.configure(1, .playback, .default, .mixWithOthers)
        try duckers.configure(1, .playback, .default, .duckOthers)
        #expect(try duckers.grant(1).attenuation == 0 && duckers.grant(2).attenuation == 14, "it ducks 2 again")
    }

    @Test("CAT-3, ACT-2: a prompt that becomes primary interrupts the spoken audio that started after it")
    func promptBecomesPrimary() throws {
        var scene = Scene()
        try scene.add(1, .playback, .voicePrompt, .interruptSpokenAudioAndMixWithOthers)
        try scene.add(2, .playback, .spokenAudio)
        for id: UInt64 in 1...2 { try scene.activate(id) }
        #expect(try scene.isActive(1) && scene.isActive(2))
        try scene.configure(1, .playback)
        #expect(scene.interruptions == ["2 began"])
    }

    @Test("CAT-3, ACT-14: a session that becomes mixable lets delayed activations start before waits end")
    func mixableReleasesInOrder() throws {
        for changesWhileActive in [true, false] {
            var scene = Scene()
            for id: UInt64 in 1...3 { try scene.add(id, .playback) }
            try scene.activate(1)
            try scene.play(2)
            try scene.do(.setDeclaresBackgroundAudio(AppID(3), true))
            try scene.do(.setApplicationState(AppID(3), .background))
            try scene.do(.requestActivation(SessionID(3)))
            if !changesWhileActive {
                try scene.begin(9, .call)
                try scene.configure(2, .playback, .default, .mixWithOthers)
                try scene.end(9)
                try scene.activate(2)
                #expect(try scene.isActive(2))
            } else {
                try scene.configure(2, .playback, .default, .mixWithOthers)
                let kinds = scene.notified.map(\.kind)
                #expect(kinds.first == .activated && kinds.last == .waitMoved && !kinds.contains(.waitLapsed))
            }
            #expect(try scene.isActive(3) && scene.waits(1) == 3)
        }
    }

    @Test("CAT-3: a change refused by ACT-5 throws and changes nothing")
    func refusedChange() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.begin(9, .call)
        try scene.activate(1)
        let refusal = try scene.refusal(of: .configure(SessionID(1), .category(.playAndRecord)))
        #expect(refusal.code == .insufficientPriority && refusal.by == SessionID(9))
        #expect(try scene.session(1).configuration.category == .playback)
    }
}
