import SessionPolicy
import Testing

/// Conversations: sessions in a chat mode whose input runs (ACT-18).
@Suite struct ConversationTests {
    /// Adds a chat (1), music (2) and ambient sound (3), each in an app of its own; 2 and 3 play.
    private func scene(_ mode: Mode = .voiceChat, _ policy: Policy = Policy()) throws -> Scene {
        var scene = Scene(policy)
        try scene.add(1, .playAndRecord, mode)
        try scene.do(.setRecordPermission(AppID(1), .granted))
        try scene.add(2, .playback)
        try scene.add(3, .ambient)
        try scene.play(3)
        try scene.play(2)
        return scene
    }

    private let input = PolicyAction.setInputRunning(SessionID(1), true)
    private let noInput = PolicyAction.setInputRunning(SessionID(1), false)

    @Test(
        "ACT-18: input in a chat mode interrupts every other app session, also mixable ones",
        arguments: [Mode.voiceChat, .videoChat])
    func begins(_ mode: Mode) throws {
        var scene = try scene(mode)
        try scene.activate(1)
        #expect(scene.interruptions == ["2 began"], "until its input runs, it is like any session (ACT-2)")
        try scene.do(input)
        #expect(scene.interruptions == ["3 began"] && scene.notified.first?.rule == .act18)
        try scene.deactivate(1)
        #expect(scene.interruptions.sorted() == ["2 ended resume", "3 ended resume"])
    }

    @Test("ACT-18, ACT-15: input that starts the session begins the conversation in one decision")
    func beginsAtOnce() throws {
        var scene = try scene()
        try scene.do(input)
        #expect(scene.interruptions.sorted() == ["2 began", "3 began"])
        #expect(try scene.session(2).wait?.rule == .act18)
    }

    @Test("ACT-18, ACT-5: during a conversation, only playback may start, ducked by the strong level")
    func keepsOthersOut() throws {
        var scene = try scene()
        try scene.do(input)
        let refusal = try scene.refusal(of: .activate(SessionID(3)))
        #expect(refusal.code == .insufficientPriority && refusal.rule == .act18 && refusal.by == SessionID(1))
        try scene.play(2)
        #expect(try scene.isActive(1) && scene.grant(2).attenuation == 35 && scene.rules(2) == [.act18])
        #expect(try scene.grant(1) == SessionGrant(isInputGranted: true), "a lower level affects no higher one (ACT-4)")
        // A delayed activation does not use the exception (ACT-14).
        try scene.add(4, .playback)
        try scene.do(.requestActivation(SessionID(4)))
        #expect(try scene.isActive(4), "the request itself is an activation")
        try scene.add(5, .soloAmbient)
        try scene.do(.requestActivation(SessionID(5)))
        #expect(try !scene.isActive(5))
        try scene.deactivate(4, notify: false)
        #expect(try !scene.isActive(5))
        try scene.deactivate(1)
        #expect(try scene.isActive(5))
    }

    @Test("ACT-18, CAT-3, SRV-3: what plays during a conversation that changes continues, also at the next arbiter")
    func changes() throws {
        var scene = try scene()
        try scene.do(input)
        try scene.play(2)
        try scene.configure(1, .playAndRecord, .voiceChat, .duckOthers)
        #expect(try scene.isActive(1) && scene.isActive(2) && scene.interruptions.isEmpty)
        var order = GrantOrder()
        order.update(to: scene.state)
        let records = scene.state.sessions.compactMap { scene.state.record(of: $0.id, order) }
        let again = scene.policy.rebuild(scene.state.systemRecord(order), records, at: EventTime(nanoseconds: 1_000))
        #expect(again.state == scene.state && again.effects.isEmpty)
    }

    @Test("ACT-18, DUCK-1: a ducking prompt that starts during a conversation does not lower it")
    func isNotDucked() throws {
        var scene = try scene()
        try scene.do(input)
        try scene.add(4, .playback, .voicePrompt, .duckOthers)
        try scene.play(4)
        #expect(try scene.grant(1).attenuation == 0 && scene.grant(4).attenuation == 35)
        try scene.do(noInput)
        #expect(try scene.grant(1).attenuation == 14, "without input it is like any session")
    }

    @Test("ACT-18, ACT-4: calls, alarms and the assistant interrupt a conversation, and it is asked to resume")
    func belowTheSystem() throws {
        for rank in [Rank.call, .alarm, .assistant] {
            var scene = try scene()
            try scene.do(input)
            try scene.begin(9, rank)
            #expect(scene.interruptions == ["1 began"] && scene.notified.first?.rule == .act4)
            try scene.end(9)
            #expect(scene.interruptions == ["1 ended resume"])
            #expect(try scene.waits(2) == 1 && scene.waits(3) == 1)
        }
    }

    @Test("ACT-18: of two conversations the newer wins, also if it activates before its input runs")
    func newerWins() throws {
        for activatesFirst in [false, true] {
            var scene = try scene()
            try scene.do(input)
            try scene.add(4, .playAndRecord, .videoChat)
            if activatesFirst {
                try scene.activate(4)
                #expect(scene.interruptions == ["1 began"] && scene.notified.first?.rule == .act18)
            }
            try scene.do(.setInputRunning(SessionID(4), true))
            #expect(try scene.isActive(4) && scene.waits(1) == 4)
            try scene.deactivate(4)
            #expect(scene.interruptions == ["1 ended resume"])
            #expect(try scene.waits(2) == 1)
        }
    }

    @Test("ACT-18: when the input stops, sessions may activate again; those that wait do so until the session has left")
    func inputStops() throws {
        var scene = try scene()
        try scene.do(input)
        try scene.do(noInput)
        #expect(try scene.interruptions.isEmpty && scene.waits(2) == 1 && scene.waits(3) == 1)
        try scene.activate(3)
        #expect(try scene.isActive(1) && scene.isActive(3))
        try scene.do(input)
        #expect(scene.interruptions == ["3 began"])
        try scene.do(noInput)
        try scene.deactivate(1)
        #expect(scene.interruptions.sorted() == ["2 ended resume", "3 ended resume"])
    }

    @Test("ACT-18, ACT-2: playback that started beside a conversation is interrupted when its input stops")
    func inputStopsBesidePlayback() throws {
        var scene = try scene()
        try scene.do(input)
        try scene.play(2)
        try scene.do(noInput)
        #expect(scene.interruptions == ["2 began"] && scene.notified.first?.rule == .act2)
        #expect(try scene.waits(2) == 1)
    }

    @Test(
        "ACT-18, CAT-3: a mixable chat whose input stops is in nobody's way, except those that it interrupted by ACT-18"
    )
    func mixableInputStops() throws {
        var scene = try scene()
        try scene.activate(1)  // interrupts 2 by ACT-2
        try scene.do(input)  // interrupts 3 by ACT-18
        try scene.configure(1, .playAndRecord, .voiceChat, .mixWithOthers)
        #expect(try scene.waits(2) == 1 && scene.waits(3) == 1)
        try scene.do(noInput)
        #expect(try scene.waits(2) == nil && scene.waits(3) == 1)
    }

    @Test("ACT-6, ACT-18: playback in the background may start beside a conversation, which it does not interrupt")
    func backgroundPlayback() throws {
        var scene = try scene()
        try scene.do(input)
        try scene.do(.setDeclaresBackgroundAudio(AppID(2), true))
        try scene.do(.setApplicationState(AppID(2), .background))
        try scene.play(2)
        #expect(try scene.isActive(1) && scene.grant(2).attenuation == 35)
    }

    @Test("ACT-18, ACT-8, SRV-3: of a conversation and playback beside it, only the conversation is asked to resume")
    func callVanishes() throws {
        var scene = try scene()
        try scene.do(input)
        try scene.play(2)
        try scene.begin(9, .call)
        var order = GrantOrder()
        order.update(to: scene.state)
        let records = scene.state.sessions.filter { $0.id != SessionID(9) }
            .compactMap { scene.state.record(of: $0.id, order) }
        let again = scene.policy.rebuild(SystemRecord(), records, at: EventTime(nanoseconds: 1_000))
        let resumed = again.effects.filter { $0.kind == .interruptionEnded(shouldResume: true) }.map(\.session)
        #expect(resumed == [SessionID(1)] && again.state[SessionID(2)]?.wait?.interrupter == SessionID(1))
    }

    @Test("ACT-18, CAT-3: leaving the chat mode ends the conversation for those that it alone stood in the way of")
    func modeChanges() throws {
        var scene = try scene()
        try scene.do(input)
        try scene.do(.configure(SessionID(1), .mode(.default)))
        #expect(scene.notified.map(\.kind).contains(.waitLapsed) && scene.interruptions.isEmpty)
        #expect(try scene.waits(3) == nil && scene.waits(2) == 1)
    }

    @Test("ACT-18, ACT-6: a chat may interrupt from the background, with background audio")
    func fromBackground() throws {
        for mode in [Mode.voiceChat, .default] {
            var scene = try scene(mode)
            try scene.do(.setDeclaresBackgroundAudio(AppID(1), true))
            try scene.do(.setApplicationState(AppID(1), .background))
            if mode == .default {
                #expect(try scene.refusal(of: .activate(SessionID(1))).code == .cannotInterruptOthers)
            } else {
                try scene.activate(1)
                #expect(scene.interruptions == ["2 began"])
            }
        }
    }

    @Test("ACT-18: by a setting, a chat is a session like any other")
    func setting() throws {
        var settings = PolicySettings()
        settings.conversationsOutrankApps = false
        var scene = try scene(.voiceChat, Policy(settings: settings))
        try scene.do(input)
        #expect(scene.interruptions == ["2 began"])
        try scene.activate(2)
        #expect(scene.interruptions == ["1 began"])
    }

    @Test("ACT-18, SRV-3: a rebuilt state has the same conversation, and playback beside it")
    func rebuilt() throws {
        var scene = try scene()
        try scene.do(input)
        try scene.play(2)
        var order = GrantOrder()
        order.update(to: scene.state)
        let records = scene.state.sessions.compactMap { scene.state.record(of: $0.id, order) }
        let again = scene.policy.rebuild(scene.state.systemRecord(order), records, at: EventTime(nanoseconds: 1_000))
        #expect(again.state.sessions.map(\.activity) == scene.state.sessions.map(\.activity))
        #expect(again.state.activeOrder == scene.state.activeOrder)
    }
}
