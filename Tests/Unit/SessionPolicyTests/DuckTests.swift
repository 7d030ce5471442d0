import SessionPolicy
import Testing

@Suite struct DuckTests {
    private func music(_ scene: inout Scene) throws {
        try scene.add(1, .playback)
        try scene.activate(1)
    }

    @Test("DUCK-1, DUCK-3, DUCK-5: others are ducked by 14 dB in 50 ms and return to exact unity in 500 ms")
    func level() throws {
        var scene = Scene()
        try music(&scene)
        try scene.add(2, .playback, .voicePrompt, .duckOthers, app: 1)
        try scene.activate(2)
        #expect(scene.interruptions.isEmpty)
        let ducked = try scene.grant(1)
        #expect(ducked == SessionGrant(attenuation: 14))
        #expect(
            try scene.resolvedGrant(1).reasons.first.map { [$0.rule.rawValue, "\($0.by?.rawValue ?? 0)"] } == [
                "DUCK-1", "2",
            ])
        #expect(try scene.grant(2) == SessionGrant())
        #expect(ducked.ramp(from: SessionGrant(), PolicySettings()) == 0.05)
        try scene.deactivate(2)
        #expect(try scene.grant(1) == SessionGrant())
        #expect(SessionGrant().ramp(from: ducked, PolicySettings()) == 0.5)
    }

    @Test("DUCK-3: the strong level has its own attack and release")
    func strongWays() {
        var settings = PolicySettings()
        settings.strongDuckAttack = 0.2
        settings.strongDuckRelease = 2
        let (full, ducked, strong) = (SessionGrant(), SessionGrant(attenuation: 14), SessionGrant(attenuation: 35))
        for below in [full, ducked] {
            #expect(strong.ramp(from: below, settings) == 0.2)
            #expect(below.ramp(from: strong, settings) == 2)
        }
        #expect(ducked.ramp(from: full, settings) == 0.05 && full.ramp(from: ducked, settings) == 0.5)
    }

    @Test("DUCK-1: of several duckers the newest is not ducked, and other sessions are ducked once")
    func several() throws {
        var scene = Scene()
        try music(&scene)
        for id: UInt64 in [2, 3] {
            try scene.add(id, .playback, .default, .duckOthers)
            try scene.activate(id)
        }
        #expect(try scene.grant(1).attenuation == 14)
        #expect(try scene.grant(2).attenuation == 14)
        #expect(try scene.grant(3).attenuation == 0)
        // A newer session that ducks only spoken audio does not make the newest plain ducker an
        // older one.
        try scene.add(4, .playback, .default, .interruptSpokenAudioAndMixWithOthers)
        try scene.activate(4)
        #expect(try scene.grant(3).attenuation == 0)
        #expect(try scene.grant(4).attenuation == 14)
    }

    @Test("DUCK-1, ACT-4: no session ducks a higher rank")
    func ranks() throws {
        var scene = Scene()
        try scene.begin(9, .call)
        try scene.add(2, .playback, .default, .duckOthers)
        try scene.activate(2)
        #expect(try scene.grant(9).attenuation == 0)
        #expect(try scene.grant(2).attenuation == 35)
    }

    @Test("DUCK-2: ducking ends with the last ducker's deactivation, interruption or death")
    func lastDucker() throws {
        let ends: [PolicyAction] = [
            .deactivate(SessionID(3), notifyOthers: false), .unregister(SessionID(3)), .appDied(AppID(3)),
            .configure(SessionID(3), .category(.playback, options: .mixWithOthers)),
        ]
        for end in ends {
            var scene = Scene()
            try music(&scene)
            for id: UInt64 in [2, 3] {
                try scene.add(id, .ambient, .default, .duckOthers)
                try scene.activate(id)
            }
            try scene.deactivate(2)
            #expect(try scene.grant(1).attenuation == 14)
            try scene.do(end)
            #expect(try scene.grant(1).attenuation == 0, "\(end)")
        }
        var scene = Scene()
        try music(&scene)
        try scene.do(.preferNoInterruptionsFromSystemAlerts(SessionID(1), true))
        try scene.add(2, .ambient, .default, .duckOthers)
        try scene.activate(2)
        try scene.begin(9, .call, ringing: true)
        #expect(try scene.grant(1) == SessionGrant(), "the ducker is interrupted, the music is not")
    }

    @Test("DUCK-3: mode measurement is not ducked, not even by a call")
    func measurement() throws {
        var scene = Scene()
        try scene.add(1, .playback, .measurement, .mixWithOthers)
        try scene.add(2, .playback, .default, .duckOthers)
        try scene.activate(1)
        try scene.activate(2)
        #expect(try scene.grant(1) == SessionGrant())
        try scene.begin(9, .call)
        try scene.activate(1)
        #expect(try scene.grant(1) == SessionGrant())
    }

    @Test("DUCK-4: interruptSpokenAudio interrupts active spoken audio, mixable or not, and nothing else")
    func spoken() throws {
        var scene = Scene()
        try scene.add(1, .playback, .spokenAudio)
        try scene.add(2, .playback, .spokenAudio, .mixWithOthers)
        try scene.add(3, .playback, .default, .mixWithOthers)
        for id: UInt64 in 1...3 { try scene.activate(id) }
        try scene.add(4, .playback, .voicePrompt, .interruptSpokenAudioAndMixWithOthers)
        try scene.activate(4)
        #expect(Set(scene.interruptions) == ["1 began", "2 began"])
        #expect(try scene.grant(3) == SessionGrant())
        try scene.deactivate(4)
        #expect(scene.interruptions == ["1 ended resume", "2 ended resume"])
    }

    @Test("DUCK-4: spoken audio that starts later, or meets a plain ducker, is ducked")
    func spokenLater() throws {
        var scene = Scene()
        try scene.add(1, .playback, .spokenAudio)
        try scene.add(2, .playback, .voicePrompt, .interruptSpokenAudioAndMixWithOthers)
        try scene.activate(2)
        try scene.activate(1)
        #expect(try scene.grant(1) == SessionGrant(attenuation: 14))
        #expect(try scene.rules(1) == [.duck4])
        try scene.deactivate(2)
        try scene.add(3, .playback, .voicePrompt, .duckOthers)
        try scene.activate(3)
        #expect(scene.interruptions.isEmpty)
        #expect(try scene.rules(1) == [.duck1])
    }

    @Test("DUCK-4, DUCK-1: spoken audio that is the newest ducker is not ducked; an older one is")
    func spokenDucker() throws {
        var scene = Scene()
        try scene.add(1, .playback, .voicePrompt, .interruptSpokenAudioAndMixWithOthers)
        try scene.add(2, .playback, .spokenAudio, .duckOthers)
        for id: UInt64 in 1...2 { try scene.activate(id) }
        #expect(try scene.grant(2).attenuation == 0 && scene.grant(1).attenuation == 14)
        try scene.add(3, .playback, .default, .duckOthers)
        try scene.activate(3)
        #expect(try scene.grant(2).attenuation == 14 && scene.rules(2) == [.duck1])
    }

    @Test("DUCK-6: with one output the scope is all sessions")
    func scope() throws {
        var scene = Scene()
        for id: UInt64 in 1...5 {
            try scene.add(id, .ambient)
            try scene.activate(id)
        }
        try scene.add(6, .ambient, .default, .duckOthers)
        try scene.activate(6)
        for id: UInt64 in 1...5 { #expect(try scene.grant(id).attenuation == 14) }
    }

    @Test("DUCK-6: ducking reaches only sessions that share an output with the ducking one; a setting makes it all")
    func otherOutput() throws {
        for all in [false, true] {
            var settings = PolicySettings()
            settings.ducksAllOutputs = all
            var scene = Scene(Policy(settings: settings))
            try scene.do(.plug(AudioDevice(uid: "tv", ports: [.output("tv-out", .airPlay)])))
            try scene.add(1, .playback, .default, .mixWithOthers)
            try scene.add(2, .playAndRecord, .default, .duckOthers)
            try scene.add(3, .playback, .default, .mixWithOthers)
            try scene.do(.pick(.output, "tv-out"))
            let headset = [DevicePort.output("ears", .headphones), .input("mouth", .headsetMic)]
            try scene.do(.plug(AudioDevice(uid: "headset", ports: headset)))
            try scene.do(.pick(.output, "tv-out"))
            for id: UInt64 in [1, 2] { try scene.activate(id) }
            // The chat may not use the TV without an option, so it stays on the headset.
            #expect(try scene.grant(1).attenuation == (all ? 14 : 0))
            #expect(try scene.grant(3).attenuation == (all ? 14 : 0), "inactive")
            try scene.do(.pick(.output, nil))
            #expect(try scene.grant(1).attenuation == 14, "both on the headset")
            #expect(try scene.grant(2).attenuation == 0)
        }
    }

    @Test(
        "DUCK-6, ROUTE-2: devices of different servers are not shared; sessions of unknown devices share every output")
    func otherServer() throws {
        var scene = Scene()
        let usb = AudioDevice(uid: "usb", ports: [.output("usb-out", .usbAudio)])
        for id: UInt64 in 1...3 { try scene.add(id, .playback, .default, .mixWithOthers) }
        try scene.add(4, .ambient, .default, .duckOthers)
        try scene.add(5, .playback, .default, .mixWithOthers)
        for (app, server) in [(UInt64(1), "studio"), (2, "cellar"), (4, "studio")] {
            try scene.do(.setDevices(AppID(app), server: server, [usb]))
        }
        for id: UInt64 in 1...4 { try scene.activate(id) }
        #expect(try scene.grant(1).attenuation == 14)
        #expect(try scene.grant(2).attenuation == 0, "a port of the same name on another server")
        #expect(try scene.grant(3).attenuation == 14)
        try scene.begin(9, .app)
        try scene.configure(9, .playback, .default, .duckOthers)
        for id: UInt64 in [1, 2, 3, 4] { #expect(try scene.grant(id).attenuation == 14, "a simulated app") }
    }

    @Test("DUCK-6, DUCK-1: of several duckers, only those on a session's output count")
    func newestOnOutput() throws {
        var scene = Scene()
        let usb = AudioDevice(uid: "usb", ports: [.output("usb-out", .usbAudio)])
        for id: UInt64 in 1...3 {
            try scene.add(id, .playback, .default, .duckOthers)
            try scene.do(.setDevices(AppID(id), server: id == 3 ? "cellar" : "studio", [usb]))
            try scene.activate(id)
        }
        #expect(try [1, 2, 3].map { try scene.grant($0).attenuation } == [14, 0, 0])
    }

    @Test("DUCK-7: a session that starts during a duck starts ducked: its gate is set before it opens")
    func startsDucked() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.add(2, .ambient, .default, .duckOthers)
        try scene.activate(2)
        #expect(try scene.grant(1) == SessionGrant(attenuation: 14, isPaused: true))
        #expect(try scene.rules(1) == [.act1, .duck7])
        try scene.activate(1)
        #expect(try scene.grant(1) == SessionGrant(attenuation: 14))
        try scene.deactivate(2)
        #expect(try scene.grant(1) == SessionGrant())
    }
}
