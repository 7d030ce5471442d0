import SessionPolicy
import Testing

/// Precedence of calls, alarms and the assistant (ACT-4).
@Suite struct SystemSessionTests {
    @Test("ACT-4: a system session interrupts every lower rank, mixable or not, and an older one of its own rank")
    func phoneWins() throws {
        for rank in [Rank.assistant, .alarm, .call, .sleep] {
            var scene = Scene()
            try scene.add(1, .playback)
            try scene.add(2, .ambient)
            try scene.add(3, .playback, .default, .mixWithOthers)
            for id: UInt64 in [1, 2, 3] { try scene.activate(id) }
            try scene.begin(9, rank)
            #expect(Set(scene.interruptions) == ["1 began", "2 began", "3 began"])
            try scene.begin(10, rank)
            #expect(scene.interruptions == ["9 began"])
            let simulated = PolicyAction.beginSystemSession(SessionID(20), rank: .app, isRinging: false)
            #expect(try scene.refusal(of: simulated).rule == .act5)
        }
    }

    @Test("ACT-4, INT-6: a second call interrupts the first only when accepted")
    func secondCall() throws {
        var scene = Scene()
        try scene.begin(8, .call)
        try scene.begin(9, .call, ringing: true)
        #expect(scene.interruptions.isEmpty)
        try scene.do(.acceptCall(SessionID(9)))
        #expect(scene.interruptions == ["8 began"])
        try scene.end(9)
        #expect(try scene.isActive(8) && scene.notified.map(\.kind) == [.activated])
    }

    @Test("ACT-4, ACT-14: an alarm due in a call waits, sounds when the call ends, and comes before apps that asked")
    func alarmDueInCall() throws {
        for shouldResume in [true, false] {
            var scene = Scene()
            try scene.add(1, .playback)
            try scene.add(2, .soloAmbient)
            try scene.activate(1)
            try scene.begin(9, .call)
            try scene.do(.requestActivation(SessionID(2)))
            try scene.begin(10, .alarm)
            #expect(try !scene.isActive(10) && scene.waits(10) == 9 && scene.rules(10) == [.act4])
            try scene.begin(11, .alarm)
            try scene.end(9, shouldResume: shouldResume)
            #expect(try scene.isActive(11) && scene.waits(10) == 11 && scene.waits(1) == 11)
            #expect(try scene.interruptions.isEmpty && !scene.isActive(2))
            #expect(scene.notified.first == Effect(SessionID(11), .activated, .act4))
            try scene.end(11)
            #expect(try scene.isActive(10) && !scene.isActive(2))
            try scene.end(10)
            #expect(try scene.isActive(2) && scene.waits(1) == 2)
        }
    }

    @Test("ACT-4, INT-6: an alarm that a ringing call interrupts sounds again when the call is declined")
    func alarmAndRinging() throws {
        var scene = Scene()
        try scene.begin(10, .alarm)
        try scene.begin(9, .call, ringing: true)
        #expect(scene.interruptions == ["10 began"])
        try scene.end(9)
        #expect(try scene.isActive(10) && scene.notified.map(\.kind) == [.activated])
        try scene.begin(12, .call)
        try scene.begin(13, .assistant)
        try scene.end(10)
        try scene.end(12)
        #expect(try scene.isActive(13), "the owner has ended the alarm; the assistant waited as well")
    }
}
