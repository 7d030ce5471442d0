import SessionPolicy
import Testing

@Suite struct RouteTests: RouteScenario {
    private let one = SessionID(1)

    @Test(
        "ROUTE-2: the newest eligible device becomes the route, input and output separately; built-in ones come last"
    )
    func lastIn() throws {
        var scene = try scene(Self.phone, Self.usb)
        try scene.add(1, .playAndRecord, .default, .allowAirPlay)
        #expect(try route(scene) == "usb-in>usb-out")
        try scene.do(.plug(Self.tv))
        #expect(try route(scene) == "usb-in>tv-out")
        try scene.do(.plug(Self.headset))
        #expect(try route(scene) == "mouth>ears")
        try scene.do(.unplug("headset"))
        #expect(try route(scene) == "usb-in>tv-out")
        for uid in ["tv", "usb"] { try scene.do(.unplug(uid)) }
        #expect(try route(scene) == "mic>receiver")
    }

    @Test("ROUTE-2: the server's own ports are used only if no port of a known type fits, whenever they were found")
    func serverPorts() throws {
        let server = AudioDevice(uid: AudioDevice.serverUID, ports: [.output("o", .virtual), .input("i", .virtual)])
        var scene = try scene(Self.tv, server)
        try scene.add(1, .playAndRecord)
        #expect(try route(scene) == "i>o", "no AirPlay without the option")
        try scene.do(.plug(Self.phone))
        #expect(try route(scene) == "mic>receiver")
    }

    @Test("ROUTE-3, ROUTE-1: a change carries reason and previous route; a changed device is a new configuration")
    func reasons() throws {
        var scene = try scene(Self.phone)
        try scene.add(1, .playback)
        try scene.add(2, .record)
        try scene.do(.plug(Self.hdmi))
        #expect(changes(scene) == ["1 newDeviceAvailable from speaker"], "the recorder has no output")
        try scene.do(.plug(AudioDevice(uid: "hdmi", ports: [.output("hdmi-out", .hdmi, channels: 2)])))
        #expect(changes(scene) == ["1 routeConfigurationChange from hdmi-out"])
        try scene.do(.unplug("hdmi"))
        #expect(changes(scene) == ["1 oldDeviceUnavailable from hdmi-out"])
        try scene.configure(1, .playAndRecord)
        try scene.activate(1)
        #expect(changes(scene) == ["1 categoryChange from speaker"])
        #expect(try scene.refusal(of: .unplug("hdmi")).code == .badParam)
        #expect(try scene.refusal(of: .plug(AudioDevice(uid: "x", ports: []))).rule == .route1)
        let twin = AudioDevice(uid: "twin", ports: [.output("speaker", .lineOut)])
        #expect(try scene.refusal(of: .plug(twin)).rule == .route1, "port names are unique")
    }

    @Test("ROUTE-3, ROUTE-5: route changes by mode, options and the end of an override are reported")
    func everyChange() throws {
        var scene = try scene(Self.phone, Self.a2dp)
        try scene.add(1, .playAndRecord, .voiceChat)
        try scene.activate(1)
        try scene.do(.configure(one, .mode(.videoChat)))
        #expect(changes(scene) == ["1 categoryChange from receiver"])
        try scene.configure(1, .playAndRecord, .videoChat, .allowBluetoothA2DP)
        #expect(changes(scene) == ["1 categoryChange from speaker"])
        try scene.configure(1, .playback)
        #expect(changes(scene) == ["1 categoryChange from bt-out"], "the previous route had the previous options")
        try scene.configure(1, .playAndRecord, .voiceChat)
        try scene.do(.overrideOutput(one, toSpeaker: true))
        try scene.begin(9, .call)
        #expect(scene.interruptions == ["1 began"] && changes(scene) == ["1 override from speaker"])
        // While inactive, too; another category is reported at activation.
        try scene.do(.configure(one, .mode(.videoChat)))
        #expect(changes(scene) == ["1 categoryChange from receiver"])
        try scene.configure(1, .playback)
        #expect(changes(scene).isEmpty)
        try scene.end(9)
        try scene.activate(1)
        #expect(changes(scene).count == 1)
        try scene.do(.configure(one, .mode(.moviePlayback)))
        #expect(changes(scene).isEmpty, "the same route")
    }

    @Test(
        "ROUTE-4, INT-2: unplugging the output in use interrupts by routeDisconnected, before the route changes"
    )
    func disconnected() throws {
        var scene = try scene(Self.phone, Self.headset)
        try scene.add(1, .playback)
        try scene.add(2, .playback, .default, .mixWithOthers)
        for id: UInt64 in 1...2 {
            try scene.activate(id)
            try scene.do(.setRunning(SessionID(id), true))
        }
        try scene.do(.unplug("headset"))
        #expect(scene.notified.first?.kind == .interruptionBegan(.routeDisconnected))
        #expect(
            scene.notified[1] == Effect(SessionID(2), .outputDisconnected, .route4), "stays active; its players pause")
        #expect(changes(scene).count == 2)
        #expect(try !scene.isActive(1) && scene.isActive(2) && scene.rules(1) == [.route4])
        try scene.do(.plug(Self.headset))
        #expect(try scene.interruptions.isEmpty && !scene.isActive(1), "nothing restarts automatically")
        try scene.activate(1)
        #expect(try scene.isActive(1))
    }

    @Test("ROUTE-4, INT-3: music that waits is not asked to resume on the speaker after the headphones were pulled")
    func disconnectedWhileWaiting() throws {
        /// Returns what the session is notified of when a call, during which the headset is pulled
        /// and plugged in again, ends.
        func end(
            _ category: Category, _ mode: Mode = .default, prefers: Bool = true, unplugging pulled: String = "headset"
        ) throws -> [String] {
            var scene = try scene(Self.phone, Self.hdmi, Self.headset)
            try scene.add(1, category, mode)
            try scene.do(.preferInterruptionOnRouteDisconnect(one, prefers))
            try scene.activate(1)
            try scene.begin(9, .call)
            try scene.do(.unplug(pulled))
            #expect(try scene.interruptions.isEmpty && scene.waits(1) == 9)
            if pulled == "headset" { try scene.do(.plug(Self.headset)) }
            try scene.end(9)
            return scene.interruptions
        }
        #expect(try end(.playback) == ["1 ended"])
        #expect(try end(.soloAmbient) == ["1 ended resume"])
        #expect(try end(.playAndRecord, .voiceChat) == ["1 ended resume"])
        #expect(try end(.playback, .measurement) == ["1 ended resume"])
        #expect(try end(.multiRoute) == ["1 ended resume"], "its other ports remain")
        #expect(try end(.playback, prefers: false) == ["1 ended resume"])
        #expect(try end(.playback, unplugging: "hdmi") == ["1 ended resume"], "it was not in use")
    }

    @Test(
        "ROUTE-4: not by preference, in conversations, measurements and ambient audio, or if another output is lost"
    )
    func spared() throws {
        let spared: [(Category, Mode)] = [
            (.playAndRecord, .voiceChat), (.playAndRecord, .videoChat), (.playAndRecord, .gameChat),
            (.playback, .measurement), (.ambient, .default), (.soloAmbient, .default),
        ]
        for (category, mode) in spared {
            var scene = try scene(Self.phone, Self.headset)
            try scene.add(1, category, mode)
            try scene.activate(1)
            try scene.do(.setRunning(one, true))
            try scene.do(.unplug("headset"))
            #expect(
                try scene.isActive(1) && !scene.notified.map(\.kind).contains(.outputDisconnected),
                "\(category) \(mode)")
        }
        var scene = try scene(Self.phone, Self.headset, Self.hdmi)
        try scene.add(1, .playback)
        try scene.activate(1)
        try scene.do(.setRunning(one, true))
        try scene.do(.unplug("headset"))
        #expect(scene.notified.isEmpty, "it was not in use")
        try scene.do(.preferInterruptionOnRouteDisconnect(one, false))
        try scene.do(.unplug("hdmi"))
        #expect(try scene.isActive(1) && scene.notified.first?.kind == .outputDisconnected)
    }

    @Test("ROUTE-5: playAndRecord uses the receiver; defaultToSpeaker the speaker, unless something is connected")
    func receiver() throws {
        var scene = try scene(Self.phone)
        try scene.add(1, .playAndRecord)
        try scene.add(2, .playAndRecord, .default, .defaultToSpeaker)
        try scene.add(3, .playback)
        #expect(
            try route(scene, 1) == "mic>receiver" && route(scene, 2) == "mic>speaker" && route(scene, 3) == ">speaker")
        try scene.do(.plug(Self.headset))
        #expect(try route(scene, 2) == "mouth>ears")
    }

    @Test(
        "ROUTE-7: network and Bluetooth outputs: output-only categories always, playAndRecord by option, others never"
    )
    func wireless() throws {
        for category in Category.allCases {
            for (device, option) in [(Self.tv, CategoryOptions.allowAirPlay), (Self.a2dp, .allowBluetoothA2DP)] {
                var scene = try scene(Self.phone, device)
                try scene.add(1, category)
                let uid = device.ports[0].uid
                let free: Set<Category> = [.playback, .ambient, .soloAmbient]
                #expect(try route(scene).hasSuffix(uid) == free.contains(category), "\(category) \(uid)")
                guard category == .playAndRecord else { continue }
                try scene.configure(1, category, .default, option)
                #expect(try route(scene).hasSuffix(uid))
            }
        }
    }

    @Test("ROUTE-9, ROUTE-3: a recorder whose only input is unplugged gets noSuitableRouteForCategory and stays active")
    func lostInput() throws {
        for (category, reason) in [
            (Category.record, "noSuitableRouteForCategory"), (.playAndRecord, "noSuitableRouteForCategory"),
            (.multiRoute, "oldDeviceUnavailable"),
        ] {
            let line = AudioDevice(uid: "line", ports: [.input("line-in", .lineIn)])
            var scene = try scene(Self.hdmi, line)
            try scene.add(1, category)
            try scene.activate(1)
            try scene.do(.unplug("line"))
            #expect(changes(scene).map { $0.split(separator: " ")[1] } == [Substring(reason)], "\(category)")
            #expect(try scene.isActive(1))
            try scene.do(.plug(line))
            #expect(changes(scene).map { $0.split(separator: " ")[1] } == ["newDeviceAvailable"])
        }
    }

    @Test("ROUTE-9: without an output a session stays active, silently; without an input none that records activates")
    func noRoute() throws {
        var scene = try scene(Self.hdmi)
        try scene.add(1, .playback)
        try scene.activate(1)
        try scene.do(.preferInterruptionOnRouteDisconnect(one, false))
        try scene.do(.plug(AudioDevice(uid: "line", ports: [.input("line-in", .lineIn)])))
        try scene.do(.unplug("hdmi"))
        #expect(changes(scene) == ["1 noSuitableRouteForCategory from hdmi-out"])
        #expect(try scene.isActive(1) && scene.grant(1).isMuted && scene.rules(1) == [.route9])
        try scene.do(.unplug("line"))
        try scene.do(.plug(Self.hdmi))
        #expect(try !scene.grant(1).isMuted)
        try scene.add(2, .record)
        #expect(try scene.refusal(of: .activate(SessionID(2))).code == .resourceNotAvailable)
        #expect(try scene.refusal(of: .configure(one, .category(.playAndRecord))).rule == .route9)
        // A Bluetooth microphone counts as an input only with its option.
        try scene.do(.plug(Self.hfp))
        #expect(try scene.refusal(of: .activate(SessionID(2))).rule == .route9)
        try scene.configure(2, .record, .default, .allowBluetoothHFP)
        try scene.activate(2)
        #expect(try route(scene, 2) == "hfp-in>")
        // Unplugged later, it causes refusals only for requests that need an input again.
        try scene.do(.unplug("hfp"))
        try scene.do(.configure(SessionID(2), .mode(.measurement)))
        #expect(try scene.isActive(2) && route(scene, 2) == ">")
    }

    @Test("ROUTE-10: all long-form sessions share one route, whatever is plugged in or unplugged")
    func longForm() throws {
        var scene = try scene(Self.phone)
        for (id, policy) in [(UInt64(1), RouteSharingPolicy.longFormAudio), (2, .longFormVideo)] {
            try scene.add(id)
            try scene.do(
                .configure(SessionID(id), .category(.playback, options: .mixWithOthers, routeSharingPolicy: policy)))
        }
        for action: PolicyAction in [
            .plug(Self.tv), .plug(Self.headset), .pick(.output, "tv-out"), .unplug("tv"), .unplug("headset"),
        ] {
            try scene.do(action)
            #expect(try route(scene, 1) == route(scene, 2))
        }
    }

    @Test("MULTI-1, MULTI-2: every connected output at once and one input; the speaker only if there is no other")
    func multiRoute() throws {
        var scene = try scene(Self.phone)
        try scene.add(1, .multiRoute)
        #expect(try route(scene) == "mic>speaker")
        for device in [Self.hdmi, Self.headset, Self.usb, Self.tv, Self.a2dp] { try scene.do(.plug(device)) }
        #expect(try route(scene) == "usb-in>hdmi-out+ears+usb-out", "no network, no Bluetooth")
        try scene.do(.unplug("headset"))
        #expect(try route(scene) == "usb-in>hdmi-out+usb-out" && changes(scene).count == 1)
    }

    @Test("MULTI-2: dualRoute always includes the built-in pair, with the newest device that has input and output")
    func dualRoute() throws {
        var scene = try scene(Self.phone, Self.hdmi)
        try scene.add(1, .multiRoute, .dualRoute, .allowBluetoothHFP)
        #expect(try route(scene) == "mic>speaker")
        try scene.do(.plug(Self.usb))
        #expect(try route(scene) == "mic+usb-in>speaker+usb-out")
        try scene.do(.plug(Self.hfp))
        #expect(try route(scene) == "mic+hfp-in>speaker+hfp-out")
    }
}
