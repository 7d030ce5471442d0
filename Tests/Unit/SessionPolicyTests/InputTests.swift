import SessionPolicy
import Testing

@Suite struct InputTests {
    private let one = SessionID(1)

    /// Session 1, active with an input that is taken, and permitted unless told otherwise.
    private func recording(
        _ category: Category = .playAndRecord, _ options: CategoryOptions = [], permitted: Bool = true
    ) throws -> Scene {
        var scene = Scene()
        try scene.add(1, category, .default, options)
        if permitted { try scene.do(.setRecordPermission(AppID(1), .granted)) }
        try scene.activate(1)
        try scene.do(.setInputRunning(one, true))
        return scene
    }

    @Test("PERM-1, PERM-3: input is silence until it is granted; who takes it unasked has the user asked")
    func undetermined() throws {
        var scene = try recording(permitted: false)
        #expect(scene.told.map(\.kind) == [.recordPermissionNeeded] && scene.told.first?.rule == .perm3)
        #expect(try !scene.verdict(1).isInputGranted && scene.rules(1) == [.perm1])
        try scene.do(.setRecordPermission(AppID(1), .granted))
        #expect(scene.told.map(\.kind) == [.recordPermissionChanged(.granted)])
        #expect(try scene.verdict(1).isInputGranted && scene.rules(1).isEmpty)
        try scene.do(.setRecordPermission(AppID(1), .granted))
        #expect(scene.told.isEmpty, "nothing changed")
    }

    @Test("PERM-2: the answer is the app's, for all its sessions; revoked, input is silent and nobody is interrupted")
    func revoked() throws {
        var scene = try recording()
        try scene.add(2, .playAndRecord, .default, .mixWithOthers, app: 1)
        try scene.add(3, .playAndRecord, .default, .mixWithOthers)
        for id in [SessionID(2), SessionID(3)] {
            try scene.do(.activate(id))
            try scene.do(.setInputRunning(id, true))
        }
        #expect(try scene.verdict(2).isInputGranted && !scene.verdict(3).isInputGranted)
        try scene.do(.setRecordPermission(AppID(1), .denied))
        #expect(scene.told.map(\.session.rawValue) == [1, 2] && scene.interruptions.isEmpty)
        #expect(try !scene.verdict(1).isInputGranted && !scene.verdict(2).isInputGranted && scene.isActive(1))
        // Denied is an answer: nobody is asked again.
        try scene.do(.setInputRunning(one, false))
        try scene.do(.setInputRunning(one, true))
        #expect(scene.told.isEmpty)
        #expect(try scene.refusal(of: .setRecordPermission(.system, .denied)).rule == .perm2)
    }

    @Test(
        "PERM-4: muted input is zeros for every input of the app, told where input is active, and kept for an activation"
    )
    func inputMuted() throws {
        var scene = try recording()
        try scene.add(2, .playback, .default, .mixWithOthers, app: 1)
        try scene.activate(2)
        try scene.do(.setInputMuted(AppID(1), true))
        #expect(scene.told.map(\.kind) == [.inputMuteChanged(true)] && scene.told.first?.session == one)
        #expect(try !scene.verdict(1).isInputGranted && scene.rules(1) == [.perm4] && scene.isActive(1))
        try scene.deactivate(1)
        try scene.do(.setInputMuted(AppID(1), false))
        try scene.do(.setInputMuted(AppID(1), true))
        #expect(scene.told.isEmpty, "no active input")
        try scene.activate(1)
        try scene.do(.setInputRunning(one, true))
        #expect(try scene.rules(1) == [.perm4])
        try scene.do(.setInputMuted(AppID(1), false))
        #expect(try scene.verdict(1).isInputGranted)
    }

    @Test(
        "INT-10, INT-2: the muted microphone interrupts who takes input; unmuted, it ends without shouldResume and input stays off"
    )
    func microphone() throws {
        var scene = try recording()
        try scene.add(2, .playAndRecord, .default, .mixWithOthers)
        try scene.activate(2)
        try scene.do(.setMicrophoneMuted(true))
        #expect(scene.told.map(\.kind) == [.interruptionBegan(.builtInMicMuted)] && scene.told.first?.rule == .int10)
        #expect(try scene.isActive(2), "takes no input")
        #expect(try scene.rules(1) == [.int10])
        try scene.do(.setMicrophoneMuted(false))
        #expect(scene.interruptions == ["1 ended"])
        try scene.activate(1)
        #expect(try !scene.session(1).isInputRunning && !scene.verdict(1).isInputGranted)
        try scene.do(.setInputRunning(one, true))
        #expect(try scene.verdict(1).isInputGranted)
    }

    @Test("INT-10: with overrideMutedMicrophoneInterruption it runs on with zeros; taking the option away interrupts")
    func override() throws {
        var scene = try recording(.playAndRecord, .overrideMutedMicrophoneInterruption)
        try scene.do(.setMicrophoneMuted(true))
        #expect(try scene.isActive(1) && !scene.verdict(1).isInputGranted && scene.rules(1) == [.int10])
        try scene.do(.setInputRunning(one, false))
        try scene.do(.setInputRunning(one, true))
        try scene.configure(1, .playAndRecord)
        #expect(scene.interruptions == ["1 began"])
        try scene.do(.setMicrophoneMuted(false))
        #expect(scene.interruptions == ["1 ended"])
    }

    @Test("INT-10: while the microphone is muted, taking input is refused; activation is not")
    func startWhileMuted() throws {
        var scene = Scene()
        try scene.add(1, .record)
        try scene.do(.setMicrophoneMuted(true))
        try scene.activate(1)
        let refusal = try scene.refusal(of: .setInputRunning(one, true))
        #expect(refusal.code == .resourceNotAvailable && refusal.rule == .int10)
    }

    @Test("INT-10, ACT-8: unmuted during a call, it waits for the call, and is not asked to resume after it")
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
        "INT-10: input that an interruption holds is stopped by the microphone's switch too, and does not come back with the session"
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

    @Test("CAT: input is taken by an active session of a category that has one; another category ends it")
    func misplaced() throws {
        var scene = Scene()
        try scene.add(1, .playAndRecord)
        #expect(try scene.refusal(of: .setInputRunning(one, true)).code == .sessionNotActive)
        try scene.activate(1)
        try scene.do(.setInputRunning(one, true))
        try scene.configure(1, .playback)
        #expect(try !scene.session(1).isInputRunning)
        #expect(try scene.refusal(of: .setInputRunning(one, true)).code == .incompatibleCategory)
    }
}
