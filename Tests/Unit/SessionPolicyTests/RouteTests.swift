import SessionPolicy
import Testing

@Suite struct RouteTests {
    private let one = SessionID(1)
    private static let phone = AudioDevice(
        uid: "phone",
        ports: [
            .output("speaker", .builtInSpeaker), .output("receiver", .builtInReceiver, channels: 1),
            .input("mic", .builtInMic),
        ])
    private static let headset = AudioDevice(
        uid: "headset", ports: [.output("ears", .headphones), .input("mouth", .headsetMic)])
    private static let usb = AudioDevice(
        uid: "usb", ports: [.output("usb-out", .usbAudio), .input("usb-in", .usbAudio)])
    private static let tv = AudioDevice(uid: "tv", ports: [.output("tv-out", .airPlay)])
    private static let a2dp = AudioDevice(uid: "bt", ports: [.output("bt-out", .bluetoothA2DP)])
    private static let hfp = AudioDevice(
        uid: "hfp", ports: [.output("hfp-out", .bluetoothHFP), .input("hfp-in", .bluetoothHFP)])
    private static let hdmi = AudioDevice(uid: "hdmi", ports: [.output("hdmi-out", .hdmi, channels: 8)])

    private func scene(_ devices: AudioDevice...) throws -> Scene {
        var scene = Scene()
        for device in devices { try scene.do(.plug(device)) }
        return scene
    }

    private func route(_ scene: Scene, _ id: UInt64 = 1) throws -> String {
        let route = scene.state.route(of: try scene.session(id))
        return route.inputs.map(\.uid).joined(separator: "+") + ">" + route.outputs.map(\.uid).joined(separator: "+")
    }

    /// Returns the route changes of the last event: session, reason, previous outputs.
    private func changes(_ scene: Scene) -> [String] {
        scene.notified.compactMap { effect in
            guard case .routeChanged(let previous, let reason) = effect.kind else { return nil }
            return "\(effect.session.rawValue) \(reason) from \(previous.outputs.map(\.uid).joined(separator: "+"))"
        }
    }

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
        "ROUTE-5: the override precedes connected devices, until another route change, an interruption, or none"
    )
    func override() throws {
        var scene = try scene(Self.phone, Self.headset)
        try scene.add(1, .playAndRecord)
        try scene.activate(1)
        func overridden() throws -> Bool { try scene.session(1).isOverriddenToSpeaker }
        try scene.do(.overrideOutput(one, toSpeaker: true))
        #expect(changes(scene) == ["1 override from ears"])
        #expect(try route(scene) == "mouth>speaker")
        try scene.do(.plug(Self.tv))
        #expect(try overridden(), "AirPlay is not for it: no route change")
        try scene.do(.plug(Self.usb))
        #expect(try !overridden() && route(scene) == "usb-in>usb-out")
        try scene.do(.overrideOutput(one, toSpeaker: true))
        try scene.begin(9, .call)
        #expect(try !overridden())
        try scene.end(9)
        try scene.do(.overrideOutput(one, toSpeaker: true))
        try scene.do(.overrideOutput(one, toSpeaker: false))
        #expect(try route(scene) == "usb-in>usb-out")
        try scene.add(2, .playback)
        let refusal = try scene.refusal(of: .overrideOutput(SessionID(2), toSpeaker: true))
        #expect(refusal.code == .badParam && refusal.rule == .route5)
    }

    @Test(
        "ROUTE-6: a preferred input must be available; an unknown one is refused; changes of the inputs are reported"
    )
    func preferredInput() throws {
        var scene = try scene(Self.phone, Self.usb)
        try scene.add(1, .playAndRecord)
        try scene.do(.preferInput(one, "mic"))
        #expect(try route(scene) == "mic>usb-out")
        try scene.do(.plug(Self.headset))
        #expect(scene.notified.map(\.kind).contains(.availableInputsChanged))
        #expect(try route(scene) == "mic>ears")
        try scene.do(.preferInput(one, nil))
        #expect(try route(scene) == "mouth>ears")
        #expect(try scene.refusal(of: .preferInput(one, "nothing")).rule == .route6)
        try scene.do(.plug(Self.hfp))
        #expect(!scene.notified.map(\.kind).contains(.availableInputsChanged), "not without the option")
        #expect(try scene.refusal(of: .preferInput(one, "hfp-in")).code == .badParam)
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

    @Test(
        "ROUTE-8: the user's choice precedes newest device and preferred input, until its device leaves or one arrives")
    func pick() throws {
        var scene = try scene(Self.phone, Self.usb, Self.headset)
        try scene.add(1, .playAndRecord)
        try scene.do(.preferInput(one, "mic"))
        try scene.do(.pick(.output, "usb-out"))
        try scene.do(.pick(.input, "usb-in"))
        #expect(try route(scene) == "usb-in>usb-out" && changes(scene) == ["1 override from usb-out"])
        try scene.do(.plug(Self.hdmi))
        #expect(try route(scene) == "mic>hdmi-out")
        try scene.do(.pick(.output, "usb-out"))
        try scene.do(.unplug("usb"))
        #expect(try route(scene) == "mic>hdmi-out" && scene.state.pickedOutput == nil)
        #expect(try scene.refusal(of: .pick(.output, "usb-out")).rule == .route8)
        #expect(try scene.refusal(of: .pick(.input, "hdmi-out")).rule == .route8)
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
