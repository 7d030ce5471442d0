import SessionPolicy
import Testing

/// Devices of media servers: each app sees those of its own server (ROUTE-2, ROUTE-4, ROUTE-9).
@Suite struct ServerDeviceTests: RouteScenario {
    private static let line = AudioDevice(
        uid: "line", ports: [.output("line-out", .lineOut), .input("line-in", .lineIn)])
    private static let headset = AudioDevice(
        uid: "headset", ports: [.output("ears", .headphones), .input("mouth", .headsetMic)])
    private static let hdmi = AudioDevice(uid: "hdmi", ports: [.output("hdmi-out", .hdmi)])
    private static let tv = AudioDevice(uid: "tv", ports: [.output("tv-out", .hdmi)])
    private static let unknown = AudioDevice(
        uid: AudioDevice.serverUID, ports: [.output("output", .virtual), .input("input", .virtual)])

    /// Reports that an app sees these devices on a server.
    private func see(_ scene: inout Scene, _ app: UInt64, _ server: String = "studio", _ devices: AudioDevice...) throws
    {
        try scene.do(.setDevices(AppID(app), server: server, devices))
    }

    private func seen(_ scene: Scene, _ app: UInt64) -> [String] {
        scene.state.devices(seenBy: AppID(app)).map(\.uid)
    }

    @Test(
        "ROUTE-3: an app that moves to another server gets a route change for each of its sessions; others do not")
    func moves() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.add(2, .playback)
        try see(&scene, 1, "studio", Self.unknown, Self.line)
        try see(&scene, 2, "studio", Self.unknown, Self.line)
        #expect(scene.notified.isEmpty)
        try see(&scene, 1, "cellar", Self.unknown, Self.hdmi)
        #expect(changes(scene) == ["1 routeConfigurationChange from line-out"])
        #expect(try route(scene, 1) == ">hdmi-out" && route(scene, 2) == ">line-out")
        try see(&scene, 2, "cellar", Self.unknown, Self.hdmi)
        #expect(changes(scene).last == "2 routeConfigurationChange from line-out")
        #expect(scene.state.devices.allSatisfy { $0.server == "cellar" }, "nobody sees the studio any longer")
    }

    @Test("SRV-2: a session whose device is awaited is suspended and keeps its route; no other device replaces it")
    func awaited() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.add(2, .multiRoute, .default, .mixWithOthers)
        try see(&scene, 1, "studio", Self.unknown, Self.line, Self.headset)
        try see(&scene, 2, "studio", Self.unknown, Self.line, Self.headset)
        for id: UInt64 in [1, 2] { try scene.do(.activate(SessionID(id))) }
        try scene.do(.setRunning(SessionID(1), true))
        #expect(try scene.grant(1) == SessionGrant())
        var missing = Self.headset
        missing.isAwaited = true
        try see(&scene, 1, "studio", Self.unknown, Self.line, missing)
        #expect(try scene.grant(1).isPaused && route(scene) == ">" && scene.session(1).isActive)
        #expect(try scene.rules(1) == [.srv2])
        #expect(changes(scene) == ["1 noSuitableRouteForCategory from ears"])
        #expect(try !scene.grant(2).isPaused && route(scene, 2) == "mouth>line-out+ears", "the other app sees it")
        try see(&scene, 2, "studio", Self.unknown, Self.line, missing)
        #expect(try !scene.grant(2).isPaused && route(scene, 2) == ">line-out", "its other port plays on")
        try see(&scene, 1, "studio", Self.unknown, Self.line, Self.headset)
        #expect(try scene.grant(1) == SessionGrant() && route(scene) == ">ears")
        #expect(changes(scene).filter { $0.hasPrefix("1") }.last == "1 newDeviceAvailable from ")
        // It does not return: for ROUTE-4, the session was routed to it until now.
        try see(&scene, 1, "studio", Self.unknown, Self.line, missing)
        try see(&scene, 2, "studio", Self.unknown, Self.line)
        try see(&scene, 1, "studio", Self.unknown, Self.line)
        #expect(try !scene.session(1).isActive && route(scene) == ">line-out")
        #expect(
            scene.notified.contains { $0.session == SessionID(1) && $0.kind == .interruptionBegan(.routeDisconnected) })
    }

    @Test("SRV-2, ACT-12: an app that does not see an awaited device neither removes it nor keeps it for ever")
    func awaitedByOne() throws {
        var scene = Scene()
        for id: UInt64 in 1...3 { try scene.add(id, .playback, .default, id == 1 ? [] : .mixWithOthers) }
        for app: UInt64 in [1, 2] { try see(&scene, app, "studio", Self.unknown, Self.line, Self.headset) }
        for id: UInt64 in 1...3 { try scene.do(.activate(SessionID(id))) }
        var missing = Self.headset
        missing.isAwaited = true
        try see(&scene, 1, "studio", Self.unknown, Self.line, missing)
        #expect(try scene.grant(1).isPaused && !scene.grant(2).isPaused && route(scene, 2) == ">ears")
        // An app that opens its engine now has never seen the device.
        try see(&scene, 3, "studio", Self.unknown, Self.line)
        #expect(try scene.session(1).isActive && scene.grant(1).isPaused && route(scene, 2) == ">ears")
        #expect(try scene.grant(3).isPaused)
        try see(&scene, 3, "studio", Self.unknown, Self.line, Self.headset)
        #expect(try !scene.grant(3).isPaused && route(scene, 3) == ">ears")
        try see(&scene, 3, "studio", Self.unknown, Self.line)
        #expect(try scene.grant(3).isPaused)
        // With the apps that see or await it, the device is gone.
        try scene.do(.appDied(AppID(2)))
        #expect(try scene.grant(3).isPaused)
        try scene.do(.appDied(AppID(1)))
        #expect(try !scene.grant(3).isPaused && route(scene, 3) == ">line-out")
    }

    @Test("SRV-2, ROUTE-5: the wait for a device ends no override to the speaker")
    func awaitedOverride() throws {
        let pair = AudioDevice(
            uid: "phone",
            ports: [.output("ear", .builtInReceiver), .output("loud", .builtInSpeaker), .input("mic", .builtInMic)])
        var missing = pair
        missing.isAwaited = true
        var scene = Scene()
        try scene.add(1, .playAndRecord)
        try see(&scene, 1, "studio", pair)
        try scene.do(.activate(SessionID(1)))
        try scene.do(.overrideOutput(SessionID(1), toSpeaker: true))
        try see(&scene, 1, "studio", missing)
        #expect(try route(scene) == ">")
        try see(&scene, 1, "studio", pair)
        #expect(try route(scene) == "mic>loud")
    }

    @Test("ROUTE-2: two apps on two servers see their own server's devices, even if they have the same names")
    func twoServers() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.add(2, .playAndRecord)
        try see(&scene, 1, "studio", Self.unknown)
        try see(&scene, 2, "cellar", Self.unknown, Self.hdmi)
        #expect(scene.notified.isEmpty, "the first list of a server is no change")
        #expect(try route(scene, 1) == ">output" && route(scene, 2) == "input>hdmi-out")
        #expect(seen(scene, 1) == ["server"] && seen(scene, 2) == ["server", "hdmi"])
        try see(&scene, 1, "studio", Self.unknown, Self.line)
        #expect(changes(scene) == ["1 newDeviceAvailable from output"], "nobody else's route changes")
        #expect(try route(scene, 1) == ">line-out" && route(scene, 2) == "input>hdmi-out")
        #expect(seen(scene, 3).isEmpty, "an app without a server sees devices without a server")
        try scene.do(.plug(Self.headset))
        #expect(seen(scene, 3) == ["headset"])
        #expect(try route(scene, 1) == ">ears" && route(scene, 2) == "mouth>ears", "a virtual device is seen by all")
        try see(&scene, 3, "attic", Self.tv)
        #expect(seen(scene, 3) == ["tv", "headset"], "what a server had before is no newcomer")
    }

    @Test("ROUTE-2, ROUTE-4: of one list, missing devices go first, then changes apply, then new ones are added")
    func differences() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try see(&scene, 1, "studio", Self.unknown, Self.hdmi, Self.headset)
        try scene.activate(1)
        try scene.do(.setRunning(SessionID(1), true))
        var wide = Self.hdmi
        wide.ports[0].channels = 8
        try see(&scene, 1, "studio", Self.unknown, wide, Self.line, Self.tv)
        #expect(scene.notified.first?.kind == .interruptionBegan(.routeDisconnected), "before any route changes")
        #expect(
            changes(scene) == [
                "1 oldDeviceUnavailable from ears", "1 routeConfigurationChange from hdmi-out",
                "1 newDeviceAvailable from hdmi-out",
            ])
        #expect(try !scene.isActive(1) && route(scene) == ">tv-out", "the last of the list is the newest")
        #expect(seen(scene, 1) == ["server", "hdmi", "line", "tv"])
        // Several devices removed at once are one change: none of them is a route in between.
        try see(&scene, 1, "studio", Self.unknown, wide)
        #expect(changes(scene) == ["1 oldDeviceUnavailable from tv-out"])
        // The server's own ports do not count as a new device.
        try see(&scene, 1, "studio", wide)
        #expect(scene.notified.isEmpty)
        try see(&scene, 1, "studio", wide, Self.unknown)
        #expect(try scene.notified.isEmpty && route(scene) == ">hdmi-out")
    }

    @Test("ROUTE-2: the same list again, in any order, from any app, changes nothing and notifies no session")
    func idempotent() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.add(2, .playback)
        try see(&scene, 1, "studio", Self.unknown, Self.hdmi)
        try see(&scene, 2, "studio", Self.unknown, Self.hdmi)
        let before = scene.state
        let again = PolicyEvent(.setDevices(AppID(1), server: "studio", [Self.hdmi, Self.unknown]), at: .zero)
        let transition = try scene.policy.apply(again, to: before)
        #expect(transition.state == before && transition.effects.isEmpty)
    }

    @Test("ROUTE-2: apps of one server that report at different speeds agree in the end, whichever report is late")
    func convergence() throws {
        let plugged = [[Self.unknown], [Self.unknown, Self.hdmi], [Self.unknown, Self.hdmi, Self.line], [Self.line]]
        // The order in which the reports of two apps arrive; those of each app stay in order.
        for late in 0..<16 {
            var scene = Scene()
            try scene.add(1, .playback)
            try scene.add(2, .playback)
            var queues = [AppID(1): plugged[...], AppID(2): plugged[...]]
            for turn in 0..<8 {
                let first = AppID(late >> (turn % 4) & 1 == 0 ? 1 : 2)
                let app = queues[first]?.isEmpty == false ? first : AppID(3 - first.rawValue)
                guard let list = queues[app]?.popFirst() else { continue }
                try scene.do(.setDevices(app, server: "studio", list))
            }
            #expect(queues.values.flatMap { $0 }.isEmpty)
            #expect(seen(scene, 1) == ["line"] && seen(scene, 2) == ["line"])
            #expect(try route(scene, 1) == ">line-out" && route(scene, 2) == ">line-out")
        }
    }

    @Test("ROUTE-4: a session on another server is not disconnected, although its port has the same name")
    func disconnection() throws {
        var scene = Scene()
        for (app, server) in [(UInt64(1), "studio"), (2, "cellar")] {
            try scene.add(app, .playback, .default, .mixWithOthers)
            try see(&scene, app, server, Self.unknown, Self.headset)
            try scene.activate(app)
            try scene.do(.setRunning(SessionID(app), true))
        }
        try see(&scene, 2, "cellar", Self.unknown)
        #expect(scene.notified.map(\.session) == [SessionID(2), SessionID(2)])
        #expect(scene.notified.first?.kind == .outputDisconnected)
        #expect(try route(scene, 1) == ">ears" && route(scene, 2) == ">output")
    }

    @Test("ROUTE-8: a choice ends with its device for the apps that see it, and with the last device of its name")
    func picks() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.add(2, .playback)
        try see(&scene, 1, "studio", Self.hdmi, Self.line)
        try see(&scene, 2, "cellar", Self.tv)
        try scene.do(.pick(.output, "hdmi-out"))
        try see(&scene, 2, "cellar", Self.tv, Self.line)
        #expect(try route(scene, 1) == ">hdmi-out", "what comes elsewhere is nothing to it")
        try see(&scene, 1, "studio", Self.hdmi, Self.line, Self.tv)
        #expect(try route(scene, 1) == ">tv-out" && scene.state.pickedOutput == nil)
        try scene.do(.pick(.output, "line-out"))
        try see(&scene, 1, "studio", Self.hdmi, Self.tv)
        #expect(scene.state.pickedOutput == "line-out", "the other server still has one")
        try see(&scene, 2, "cellar", Self.tv)
        #expect(scene.state.pickedOutput == nil)
    }

    @Test(
        "ROUTE-9: a server without devices leaves its apps silent and without input; an unknown server does not count"
    )
    func nothing() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.add(2, .record)
        try scene.add(3, .playback)
        try scene.activate(1)
        try see(&scene, 1, "studio")
        #expect(try scene.grant(1).isMuted && scene.rules(1) == [.route9] && scene.isActive(1))
        #expect(try !scene.resolvedGrant(3).reasons.contains { $0.rule == .route9 }, "its server is not known")
        try scene.activate(2)
        try scene.deactivate(2)
        try see(&scene, 2, "studio")
        #expect(try scene.refusal(of: .activate(SessionID(2))).rule == .route9)
        // A device that appears later counts as added.
        try see(&scene, 1, "studio", Self.unknown)
        #expect(changes(scene) == ["1 newDeviceAvailable from ", "2 newDeviceAvailable from "])
        try scene.activate(2)
        #expect(try route(scene, 2) == "input>")
    }

    @Test("ACT-12, ROUTE-2: a server's devices are removed with the last app that uses it, also when an app moves on")
    func forgotten() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.add(2, .playback)
        try see(&scene, 1, "studio", Self.hdmi)
        try see(&scene, 2, "studio", Self.hdmi)
        try scene.do(.pick(.output, "hdmi-out"))
        try scene.do(.appDied(AppID(1)))
        #expect(scene.state.devices.count == 1)
        try see(&scene, 2, "cellar", Self.line)
        #expect(changes(scene) == ["2 routeConfigurationChange from hdmi-out"], "nothing was plugged in or out")
        #expect(scene.state.devices.map(\.server) == ["cellar"] && scene.state.pickedOutput == nil)
        try scene.do(.appDied(AppID(2)))
        #expect(scene.state == PolicyState())
    }

    @Test("ROUTE-1: an invalid list is refused, and so is plugging in a device that a server has")
    func refused() throws {
        var scene = Scene()
        try see(&scene, 1, "studio", Self.hdmi)
        func list(_ devices: [AudioDevice], _ server: String = "studio") -> PolicyAction {
            .setDevices(AppID(1), server: server, devices)
        }
        let elsewhere = AudioDevice(uid: "line", ports: Self.line.ports, server: "cellar")
        let twin = AudioDevice(uid: "twin", ports: Self.line.ports)
        let many = (0...256).map { AudioDevice(uid: "\($0)", ports: [.output("\($0)-out", .hdmi)]) }
        let wide = AudioDevice(uid: "wide", ports: (0...64).map { .output("\($0)", .hdmi) })
        let bad: [PolicyAction] = [
            list([], ""), list([Self.line, Self.line]), list([Self.line, twin]), list([elsewhere]), list(many),
            list([wide]), list([AudioDevice(uid: "x", ports: [])]),
            .setDevices(.system, server: "studio", []), .plug(elsewhere), .unplug("hdmi"),
        ]
        for action in bad { #expect(try scene.refusal(of: action).code == .badParam, "\(action)") }
        #expect(try scene.refusal(of: .unplug("hdmi")).message.contains("'studio'"))
        try scene.do(list(Array(many.dropLast())))
        try scene.do(.plug(Self.line))
        try scene.do(list([Self.line]))
        #expect(seen(scene, 1).count == 2, "names are unique on a server")
    }

    @Test("SRV-3: devices of a server outlive an arbiter as long as a reconnecting app reports them")
    func rebuilt() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        try scene.add(2, .playback)
        try see(&scene, 1, "studio", Self.unknown, Self.hdmi)
        try see(&scene, 2, "cellar", Self.line)
        var order = GrantOrder()
        order.update(to: scene.state)
        let system = scene.state.systemRecord(order)
        let record = try #require(scene.state.record(of: SessionID(1), order))
        #expect(record.app.server == "studio" && system.devices.count == 3)
        let rebuilt = scene.policy.rebuild(system, [record], at: .zero)
        #expect(rebuilt.state.devices.map(\.uid) == ["server", "hdmi"], "nobody names the other server")
        let session = try #require(rebuilt.state[SessionID(1)])
        #expect(rebuilt.state.route(of: session).outputs.map(\.uid) == ["hdmi-out"])
    }
}
