import SessionPolicy
import Testing

/// The sessions that wait, and which of them is notified when their interrupter leaves (ACT-8).
@Suite struct WaitTests {
    @Test("ACT-8: when the interrupter leaves and another one is active, the session waits for that one")
    func waitMoves() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.activate(1)
        try scene.begin(8, .assistant)
        try scene.begin(9, .call)
        #expect(scene.interruptions == ["8 began"])
        try scene.end(8)
        #expect(scene.interruptions.isEmpty)
        #expect(try scene.waits(1) == 9)
        try scene.end(9)
        #expect(scene.interruptions == ["1 ended resume"])
    }

    @Test("ACT-8: an interrupter that leaves silently also ends the waits behind the session it interrupted")
    func lapseIsPassedOn() throws {
        var scene = Scene()
        for id: UInt64 in 1...3 {
            try scene.add(id, .playback)
            try scene.activate(id)
        }
        #expect(try scene.waits(1) == 2)
        #expect(try scene.waits(2) == 3)
        try scene.deactivate(3, notify: false)
        #expect(scene.interruptions.isEmpty)
        #expect(try scene.waits(1) == nil)
        #expect(try scene.waits(2) == nil)
        try scene.activate(1)
    }

    @Test("ACT-8, INT-4: of several that wait, the one interrupted last is notified; the others wait for it")
    func lastInterruptedFirst() throws {
        for (music, video): (UInt64, UInt64) in [(1, 3), (3, 1)] {
            var scene = Scene()
            for id in [music, 2, video] { try scene.add(id, .playback) }
            for id in [music, 2, video, 2] { try scene.activate(id) }
            #expect(try scene.waits(music) == 2 && scene.waits(video) == 2)
            try scene.deactivate(2)
            #expect(scene.interruptions == ["\(video) ended resume"])
            #expect(try scene.waits(music) == video)
            try scene.activate(video)
            #expect(try scene.interruptions.isEmpty && scene.waits(music) == video)
            try scene.deactivate(video)
            #expect(scene.interruptions == ["\(music) ended resume"])
        }
    }

    @Test("ACT-8, DUCK-4: a prompt and the spoken audio that it would interrupt are not both notified")
    func noConflictingResumption() throws {
        for (prompt, podcast): (UInt64, UInt64) in [(1, 2), (2, 1)] {
            var scene = Scene()
            try scene.add(prompt, .playback, .voicePrompt, .interruptSpokenAudioAndMixWithOthers)
            try scene.add(podcast, .playback, .spokenAudio, .mixWithOthers)
            for id in [prompt, podcast] { try scene.activate(id) }
            try scene.begin(9, .alarm)
            try scene.end(9)
            #expect(scene.interruptions == ["\(podcast) ended resume"], "it is ducked beside the prompt")
            #expect(try scene.waits(prompt) == podcast)
            try scene.activate(podcast)
            try scene.deactivate(podcast)
            #expect(scene.interruptions == ["\(prompt) ended resume"])
        }
    }

    @Test("ACT-8: a session that becomes mixable while it waits keeps its wait until its interrupter leaves")
    func mixableKeepsWait() throws {
        var scene = Scene()
        for id: UInt64 in 1...2 {
            try scene.add(id, .playback)
            try scene.activate(id)
        }
        try scene.configure(1, .playback, .default, .mixWithOthers)
        try scene.begin(9, .alarm)
        try scene.end(9)
        #expect(scene.interruptions == ["2 ended resume"])
        try scene.activate(2)
        #expect(try scene.waits(1) == 2)
        try scene.deactivate(2)
        #expect(scene.interruptions == ["1 ended resume"])
    }

    @Test("ACT-8: when the one that was asked to resume leaves silently, the waits for it lapse")
    func lapseBehindNotified() throws {
        var scene = Scene()
        for id: UInt64 in 1...3 { try scene.add(id, .playback) }
        for id: UInt64 in [1, 2, 3, 2] { try scene.activate(id) }
        try scene.deactivate(2)
        #expect(try scene.interruptions == ["3 ended resume"] && scene.waits(1) == 3)
        try scene.deactivate(3, notify: false)
        #expect(try scene.notified.map(\.kind) == [.waitLapsed] && scene.waits(1) == nil)
    }

    @Test("ACT-8: system sessions notify others, however they are deactivated")
    func systemNotice() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.activate(1)
        try scene.begin(9, .alarm)
        try scene.deactivate(9, notify: false)
        #expect(scene.interruptions == ["1 ended resume"])
    }
}
