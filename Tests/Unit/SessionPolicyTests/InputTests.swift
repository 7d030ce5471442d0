import SessionPolicy
import Testing

@Suite struct InputTests {
    private let one = SessionID(1)

    /// Returns a scene in which session 1 is active with a running input, by default with
    /// permission.
    private func recording(
        _ category: Category = .playAndRecord, _ options: CategoryOptions = [], permitted: Bool = true
    ) throws -> Scene {
        var scene = Scene(Policy.interruptingMicrophone)
        try scene.add(1, category, .default, options)
        if permitted { try scene.do(.setRecordPermission(AppID(1), .granted)) }
        try scene.activate(1)
        try scene.do(.setInputRunning(one, true))
        return scene
    }

    @Test("PERM-1, PERM-3: input is silence until it is granted; starting it without an answer prompts the user")
    func undetermined() throws {
        var scene = try recording(permitted: false)
        #expect(scene.notified.map(\.kind) == [.recordPermissionNeeded] && scene.notified.first?.rule == .perm3)
        #expect(try !scene.grant(1).isInputGranted && scene.rules(1) == [.perm1])
        try scene.do(.setRecordPermission(AppID(1), .granted))
        #expect(scene.notified.map(\.kind) == [.recordPermissionChanged(.granted)])
        #expect(try scene.grant(1).isInputGranted && scene.rules(1).isEmpty)
        try scene.do(.setRecordPermission(AppID(1), .granted))
        #expect(scene.notified.isEmpty, "nothing changed")
    }

    @Test("PERM-2: the answer applies to all sessions of an app; revoked, input is silent, with no interruption")
    func revoked() throws {
        var scene = try recording()
        try scene.add(2, .playAndRecord, .default, .mixWithOthers, app: 1)
        try scene.add(3, .playAndRecord, .default, .mixWithOthers)
        for id in [SessionID(2), SessionID(3)] {
            try scene.do(.activate(id))
            try scene.do(.setInputRunning(id, true))
        }
        #expect(try scene.grant(2).isInputGranted && !scene.grant(3).isInputGranted)
        try scene.do(.setRecordPermission(AppID(1), .denied))
        #expect(scene.notified.map(\.session.rawValue) == [1, 2] && scene.interruptions.isEmpty)
        #expect(try !scene.grant(1).isInputGranted && !scene.grant(2).isInputGranted && scene.isActive(1))
        // Denied is an answer: the user is not asked again.
        try scene.do(.setInputRunning(one, false))
        try scene.do(.setInputRunning(one, true))
        #expect(scene.notified.isEmpty)
        #expect(try scene.refusal(of: .setRecordPermission(.system, .denied)).rule == .perm2)
    }

    @Test(
        "PERM-4: muted input is zeros for all inputs of the app, reported where input is active, and kept"
    )
    func inputMuted() throws {
        var scene = try recording()
        try scene.add(2, .playback, .default, .mixWithOthers, app: 1)
        try scene.activate(2)
        try scene.do(.setInputMuted(AppID(1), true))
        #expect(scene.notified.map(\.kind) == [.inputMuteChanged(true)] && scene.notified.first?.session == one)
        #expect(try !scene.grant(1).isInputGranted && scene.rules(1) == [.perm4] && scene.isActive(1))
        try scene.deactivate(1)
        try scene.do(.setInputMuted(AppID(1), false))
        try scene.do(.setInputMuted(AppID(1), true))
        #expect(scene.notified.isEmpty, "no active input")
        try scene.activate(1)
        try scene.do(.setInputRunning(one, true))
        #expect(try scene.rules(1) == [.perm4])
        try scene.do(.setInputMuted(AppID(1), false))
        #expect(try scene.grant(1).isInputGranted)
    }

    @Test(
        "INT-10, INT-2: microphone mute interrupts recording sessions; its end lacks shouldResume, and input stays off"
    )
    func microphone() throws {
        var scene = try recording()
        try scene.add(2, .playAndRecord, .default, .mixWithOthers)
        try scene.activate(2)
        try scene.do(.setMicrophoneMuted(true))
        #expect(
            scene.notified.map(\.kind) == [.interruptionBegan(.builtInMicMuted)] && scene.notified.first?.rule == .int10
        )
        #expect(try scene.isActive(2), "takes no input")
        #expect(try scene.rules(1) == [.int10])
        try scene.do(.setMicrophoneMuted(false))
        #expect(scene.interruptions == ["1 ended"])
        try scene.activate(1)
        #expect(try !scene.session(1).isInputRunning && !scene.grant(1).isInputGranted)
        try scene.do(.setInputRunning(one, true))
        #expect(try scene.grant(1).isInputGranted)
    }

    @Test("INT-10: a mute key, the default, gives zeros to all inputs, interrupts none, and lets input start")
    func muteKey() throws {
        var scene = Scene()
        for id: UInt64 in 1...2 {
            try scene.add(id, .playAndRecord, .gameChat, .mixWithOthers)
            try scene.do(.setRecordPermission(AppID(id), .granted))
            try scene.activate(id)
        }
        try scene.do(.setInputRunning(one, true))
        try scene.do(.setMicrophoneMuted(true))
        #expect(try scene.notified.isEmpty && scene.isActive(1) && scene.session(1).isInputRunning)
        try scene.do(.setInputRunning(SessionID(2), true))
        for id: UInt64 in 1...2 { #expect(try !scene.grant(id).isInputGranted && scene.rules(id) == [.int10]) }
        try scene.do(.setMicrophoneMuted(false))
        #expect(scene.notified.isEmpty)
        for id: UInt64 in 1...2 { #expect(try scene.grant(id).isInputGranted) }
    }

    @Test("INT-10: with overrideMutedMicrophoneInterruption, input continues with zeros; removing it interrupts")
    func override() throws {
        var scene = try recording(.playAndRecord, .overrideMutedMicrophoneInterruption)
        try scene.do(.setMicrophoneMuted(true))
        #expect(try scene.isActive(1) && !scene.grant(1).isInputGranted && scene.rules(1) == [.int10])
        try scene.do(.setInputRunning(one, false))
        try scene.do(.setInputRunning(one, true))
        try scene.configure(1, .playAndRecord)
        #expect(scene.interruptions == ["1 began"])
        try scene.do(.setMicrophoneMuted(false))
        #expect(scene.interruptions == ["1 ended"])
    }

    @Test("INT-10: while the microphone is muted, starting input is refused; activation is not")
    func startWhileMuted() throws {
        var scene = Scene(Policy.interruptingMicrophone)
        try scene.add(1, .record)
        try scene.do(.setMicrophoneMuted(true))
        try scene.activate(1)
        let refusal = try scene.refusal(of: .setInputRunning(one, true))
        #expect(refusal.code == .resourceNotAvailable && refusal.rule == .int10)
    }

    @Test("ACT-15: input starts an inactive session in one decision; refused, nobody is interrupted and nothing starts")
    func oneDecision() throws {
        var scene = Scene(Policy.interruptingMicrophone)
        try scene.add(1, .playAndRecord)
        try scene.add(2, .playback)
        try scene.play(2)
        try scene.do(.setMicrophoneMuted(true))
        // `refusal` checks that the state is unchanged.
        #expect(try scene.refusal(of: .setInputRunning(one, true)).rule == .int10)
        #expect(try scene.isActive(2) && !scene.isActive(1))
        try scene.do(.setMicrophoneMuted(false))
        try scene.begin(9, .alarm)
        #expect(try scene.refusal(of: .setInputRunning(one, true)).code == .insufficientPriority)
        #expect(try !scene.session(1).isInputRunning)
        try scene.end(9)
        try scene.activate(2)
        try scene.do(.setInputRunning(one, true))
        #expect(
            scene.notified.map(\.kind)
                == [
                    .interruptionBegan(.default), .activated, .routeChanged(previous: Route(), .categoryChange),
                    .recordPermissionNeeded,
                ])
        #expect(try scene.isActive(1) && scene.session(1).isInputRunning && scene.waits(2) == 1)
        // An interrupted input that starts again activates its session, too.
        try scene.activate(2)
        try scene.do(.setInputRunning(one, true))
        #expect(try scene.isActive(1) && scene.interruptions == ["2 began"])
    }

    @Test("INT-10, ACT-8: a session unmuted during a call waits for its end; resuming is not recommended then")
    func microphoneThenCall() throws {
        var scene = try recording()
        try scene.do(.setMicrophoneMuted(true))
        try scene.begin(9, .call)
        try scene.do(.setMicrophoneMuted(false))
        #expect(try scene.interruptions.isEmpty && scene.waits(1) == 9)
        try scene.end(9)
        #expect(scene.interruptions == ["1 ended"])
    }

    @Test(
        "INT-10: the microphone's switch also stops an interrupted input, which does not restart with the session"
    )
    func heldInput() throws {
        var scene = try recording()
        try scene.begin(9, .call)
        try scene.do(.setMicrophoneMuted(true))
        try scene.end(9)
        #expect(scene.interruptions == ["1 ended resume"])
        try scene.activate(1)
        #expect(try scene.isActive(1) && !scene.session(1).isInputRunning)
    }

    @Test("CAT: input runs in an active session of a category that has input; another category ends it")
    func misplaced() throws {
        var scene = Scene()
        try scene.add(1, .playAndRecord)
        try scene.do(.setInputRunning(one, true))
        #expect(try scene.isActive(1), "activates it (ACT-15)")
        try scene.configure(1, .playback)
        #expect(try !scene.session(1).isInputRunning)
        #expect(try scene.refusal(of: .setInputRunning(one, true)).code == .incompatibleCategory)
    }
}
