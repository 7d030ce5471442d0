import SessionPolicy
import Testing

@Suite struct ActivationTests {
    @Test("CAT-4: record mutes mixable sessions whenever they started; they are unmuted however it ends")
    func recordMutes() throws {
        let leaving: [PolicyAction] = [
            .deactivate(SessionID(2), notifyOthers: false), .deactivate(SessionID(2), notifyOthers: true),
            .unregister(SessionID(2)), .appDied(AppID(2)), .configure(SessionID(2), .category(.playback)),
            .beginSystemSession(SessionID(9), rank: .alarm, isRinging: false),
        ]
        for leave in leaving {
            var scene = Scene()
            try scene.add(1, .ambient)
            try scene.add(2, .record)
            try scene.add(3, .playback, .default, .mixWithOthers)
            try scene.activate(1)
            try scene.activate(2)
            try scene.activate(3)
            for id: UInt64 in [1, 3] {
                #expect(try scene.grant(id) == SessionGrant(isMuted: true))
                #expect(try scene.rules(id) == [.cat4])
            }
            #expect(scene.interruptions.isEmpty)
            try scene.do(leave)
            for id: UInt64 in [1, 3] { #expect(try !scene.grant(id).isMuted, "\(leave)") }
        }
    }

    @Test("CAT-5: audioProcessing gets no live input or output")
    func audioProcessing() throws {
        var scene = Scene()
        try scene.add(1, .audioProcessing)
        try scene.activate(1)
        #expect(try scene.grant(1) == SessionGrant(isMuted: true))
        #expect(try scene.rules(1) == [.cat5])
    }

    @Test("ACT-1: before a grant the gate pauses and the reason is reported; after it the session runs")
    func grant() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        #expect(try scene.grant(1).isPaused)
        #expect(try scene.rules(1) == [.act1])
        try scene.activate(1)
        #expect(try scene.resolvedGrant(1) == ResolvedGrant(grant: SessionGrant(), reasons: []))
    }

    @Test("ACT-1, ACT-5: a refused activation leaves the session unchanged and names the blocking session")
    func refusedActivation() throws {
        var scene = Scene()
        try scene.add(1, .playAndRecord)
        try scene.begin(9, .call)
        let refusal = try scene.refusal(of: .activate(SessionID(1)))
        #expect(refusal.code == .insufficientPriority && refusal.rule == .act5 && refusal.by == SessionID(9))
        #expect(refusal.message.contains("session 9"))
    }

    @Test("ACT-2, ACT-3: primary interrupts primary but not mixable sessions; mixable interrupts none")
    func primaryAndMixable() throws {
        for first in Category.allCases {
            for second in Category.allCases {
                var scene = Scene()
                try scene.add(1, first)
                try scene.add(2, second)
                try scene.activate(1)
                try scene.activate(2)
                let interrupts = first != .ambient && second != .ambient
                #expect(try scene.isActive(1) == !interrupts, "\(first) \(second)")
                #expect(scene.interruptions == (interrupts ? ["1 began"] : []))
                #expect(try scene.isActive(2))
            }
        }
    }

    @Test(
        "ACT-4, ACT-5: playback may start during a call, strongly ducked; the call continues; not while it rings"
    )
    func playbackDuringCall() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.begin(9, .call, ringing: true)
        #expect(try scene.refusal(of: .activate(SessionID(1))).rule == .act5)
        try scene.do(.acceptCall(SessionID(9)))
        try scene.activate(1)
        #expect(scene.interruptions.isEmpty)
        #expect(try scene.isActive(9) && scene.grant(9).attenuation == 0)
        #expect(try scene.grant(1) == SessionGrant(attenuation: 35))
        #expect(try scene.rules(1) == [.act5])
        for (id, category) in zip(UInt64(100)..., Category.allCases) where category != .playback {
            try scene.add(id, category)
            #expect(try scene.refusal(of: .activate(SessionID(id))).rule == .act5, "\(category)")
        }
        try scene.end(9)
        #expect(try scene.grant(1) == SessionGrant())
    }

    @Test("ACT-7: deactivating pauses the gate; others are notified if requested")
    func deactivation() throws {
        for notify in [true, false] {
            var scene = Scene()
            try scene.add(1, .playback)
            try scene.add(2, .playback)
            try scene.activate(1)
            try scene.activate(2)
            try scene.deactivate(2, notify: notify)
            #expect(scene.interruptions == (notify ? ["1 ended resume"] : []))
            #expect(try scene.grant(2).isPaused)
            #expect(try scene.waits(1) == nil)
        }
    }

    @Test(
        "ACT-10: activating an active session changes nothing; deactivating an inactive one ends its wait"
    )
    func idempotent() throws {
        var scene = Scene()
        for id: UInt64 in 1...3 {
            try scene.add(id, .playback)
            try scene.activate(id)
        }
        let before = scene.state
        try scene.activate(3)
        #expect(scene.state == before && scene.notified.isEmpty)
        try scene.deactivate(2)
        #expect(scene.interruptions.isEmpty, "3 is active and stands in the way of 1")
        #expect(try scene.waits(1) == 3)
        #expect(try scene.waits(2) == nil)
        try scene.deactivate(3)
        #expect(scene.interruptions == ["1 ended resume"])
        try scene.deactivate(3)
        #expect(scene.notified.isEmpty)
    }

    @Test("ACT-12: a process that dies notifies others, even if its sessions were waiting")
    func death() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.add(2, .playback, app: 50)
        try scene.add(3, .ambient, .default, .duckOthers, app: 50)
        try scene.activate(1)
        try scene.activate(2)
        try scene.activate(3)
        try scene.do(.appDied(AppID(50)))
        #expect(scene.interruptions == ["1 ended resume"])
        #expect(try scene.grant(1).attenuation == 0)
        #expect(scene.state.sessions.count == 1)

        var waiting = Scene()
        for id: UInt64 in 1...3 {
            try waiting.add(id, .playback)
            try waiting.activate(id)
        }
        try waiting.do(.appDied(AppID(2)))
        #expect(try waiting.waits(1) == 3)
        try waiting.do(.appDied(AppID(3)))
        #expect(waiting.interruptions == ["1 ended resume"])
    }

    @Test("ACT-12: a session that is gone is refused as expired")
    func expired() throws {
        var scene = Scene()
        try scene.add(1)
        try scene.do(.unregister(SessionID(1)))
        #expect(try scene.refusal(of: .activate(SessionID(1))).code == .expiredSession)
    }

    @Test("VOL-2: the silent switch mutes ambient, soloAmbient and ringing; players keep running")
    func silentSwitch() throws {
        var scene = Scene()
        try scene.do(.setSilentSwitch(true))
        try scene.begin(9, .call, ringing: true)
        #expect(try scene.grant(9) == SessionGrant(isMuted: true))
        #expect(try scene.rules(9) == [.vol2])
        try scene.do(.acceptCall(SessionID(9)))
        #expect(try !scene.grant(9).isMuted)
        try scene.end(9)
        try scene.begin(10, .alarm)
        #expect(try !scene.grant(10).isMuted)
        try scene.end(10)
        try scene.add(1, .soloAmbient)
        try scene.activate(1)
        #expect(try scene.grant(1) == SessionGrant(isMuted: true))
        try scene.do(.setSilentSwitch(false))
        #expect(try scene.grant(1) == SessionGrant())
    }

    @Test("VOL-1, VOL-2: the system volume is 0…1 and reported to all; ringing has its own")
    func volume() throws {
        var scene = Scene()
        try scene.add(1)
        try scene.do(.setVolume(0.25))
        #expect(scene.notified.map(\.kind) == [.outputVolumeChanged(0.25)])
        for bad: Float in [-0.1, 1.1, .nan, .infinity] {
            #expect(try scene.refusal(of: .setVolume(bad)).rule == .vol1)
        }
        try scene.begin(9, .call, ringing: true)
        try scene.do(.setRingVolume(0.5))
        #expect(scene.state.volume(of: try scene.session(9)) == 0.5)
        #expect(scene.state.volume(of: try scene.session(1)) == 0.25)
    }

    @Test(
        "VOL-3, CAT-3: output mute mutes; in playAndRecord only in mode default; unmuting shortFormVideo is arbitrated")
    func outputMute() throws {
        var scene = Scene()
        try scene.add(1, .playAndRecord)
        try scene.activate(1)
        try scene.do(.setOutputMuted(SessionID(1), true))
        #expect(try scene.rules(1) == [.vol3])
        #expect(scene.notified.map(\.kind) == [.outputMuteChanged(true)])
        try scene.do(.configure(SessionID(1), .mode(.voiceChat)))
        #expect(try !scene.grant(1).isMuted)
        #expect(scene.notified.map(\.kind) == [.outputMuteChanged(false)])
        #expect(try scene.refusal(of: .setOutputMuted(SessionID(1), true)).rule == .vol3)
        try scene.add(2, .playback, .shortFormVideo)
        try scene.do(.setOutputMuted(SessionID(2), true))
        try scene.activate(2)
        #expect(scene.interruptions.isEmpty)
        try scene.do(.setOutputMuted(SessionID(2), false))
        #expect(scene.interruptions == ["1 began"])
    }
}
