/// Devices that come and go, and choices among them (rules ROUTE-2…6, ROUTE-8, ROUTE-9).
extension Arbitration {
    /// The last in wins; it ends the user's picks (keeps ROUTE-2, ROUTE-8). One that is there already has changed, and stays in its place.
    mutating func plug(_ device: Device) throws(Refusal) {
        if let server = device.server { throw .servedDevice(device.uid, of: server, "plugged in") }
        let own = state.devices(of: nil)
        try check(device, among: own)
        if let known = own.first(where: { $0.uid == device.uid }) {
            if known != device { change([device]) }
        } else if device.isServer, state.devices.isEmpty {
            // The first that is known at all is no change.
            state.devices = [device]
        } else {
            comeIn([device])
        }
    }

    /// Keeps ROUTE-4.
    mutating func unplug(_ uid: String) throws(Refusal) {
        guard let device = state.devices(of: nil).first(where: { $0.uid == uid }) else {
            if let served = state.devices.first(where: { $0.uid == uid }), let server = served.server {
                throw .servedDevice(uid, of: server, "unplugged")
            }
            throw Refusal(
                .badParam, .route4,
                "A device '\(uid)' was to be unplugged, but none of that name is; plugged in are \(state.deviceNames).")
        }
        goOut([device])
    }

    /// What has changed stays in its place.
    mutating func change(_ devices: [Device]) {
        reroute(.routeConfigurationChange) { state in
            for device in devices {
                let place = state.devices.firstIndex { $0.uid == device.uid && $0.server == device.server }
                if let place { state.devices[place] = device }
            }
            state.endLostPicks()
        }
    }

    /// The last of them becomes the newest (keeps ROUTE-2), and the picks of those who see them end (ROUTE-8). A server's own ports are no
    /// newcomer: they stand behind all that is known better.
    mutating func comeIn(_ devices: [Device]) {
        reroute(.newDeviceAvailable) { state in
            state.devices.insert(contentsOf: devices.filter(\.isServer), at: 0)
            let known = devices.filter { !$0.isServer }
            state.devices += known
            guard let server = known.first?.server else {
                if !known.isEmpty { (state.pickedOutput, state.pickedInput) = (nil, nil) }
                return
            }
            if state.isPicked(\.pickedOutput, seenFrom: server) { state.pickedOutput = nil }
            if state.isPicked(\.pickedInput, seenFrom: server) { state.pickedInput = nil }
        }
    }

    /// Keeps ROUTE-4: first those who are not to be heard elsewhere stop, then the routes change. The devices are of one server.
    mutating func goOut(_ devices: [Device]) {
        disconnect(devices)
        reroute(.oldDeviceUnavailable) { state in
            state.devices.removeAll(where: devices.contains)
            state.endLostPicks()
        }
    }

    /// Keeps ROUTE-4.
    private mutating func disconnect(_ devices: [Device]) {
        let lost = Set(devices.flatMap(\.ports).map(\.uid))
        let playing = state.active.last { $0.rank == .app && $0.isPrimary && $0.isRunning }?.id
        for session in state.active where session.rank == .app && session.stopsWhenDisconnected {
            guard devices.contains(where: { $0.isSeen(from: state.app(session.app).server) }),
                state.route(of: session).outputs.contains(where: { lost.contains($0.uid) })
            else { continue }
            if session.id == playing, session.prefersInterruptionOnRouteDisconnect {
                interrupt(session.id, .routeDisconnected, .route4, by: nil)
            } else {
                tell(session.id, .outputDisconnected, .route4)
            }
        }
    }

    /// The user's pick, nil to take it back (keeps ROUTE-8).
    mutating func pick(_ direction: DevicePort.Direction, _ uid: String?) throws(Refusal) {
        if let uid, !state.has(direction, uid) {
            throw .unknownPort(uid, direction, state.devices.flatMap(\.ports), .route8)
        }
        reroute(.override) { state in
            switch direction {
            case .output: state.pickedOutput = uid
            case .input: state.pickedInput = uid
            }
        }
    }

    /// The session's own choice, nil to take it back (keeps ROUTE-6).
    mutating func preferInput(_ id: SessionID, _ uid: String?) throws(Refusal) {
        let session = try session(id)
        let available = state.availableInputs(for: session)
        if let uid, !available.contains(where: { $0.uid == uid }) {
            throw .unknownPort(uid, .input, available, .route6)
        }
        reroute(.override) { $0[id]?.preferredInput = uid }
    }

    /// Keeps ROUTE-5.
    mutating func overrideOutput(_ id: SessionID, toSpeaker: Bool) throws(Refusal) {
        let session = try session(id)
        guard !toSpeaker || session.configuration.category == .playAndRecord else {
            throw Refusal(
                .badParam, .route5,
                """
                The output was to be the speaker with category \(session.configuration.category.rawValue); that can be asked for with \
                playAndRecord only. Set that category first.
                """)
        }
        reroute(.override) { $0[id]?.isOverriddenToSpeaker = toSpeaker }
    }

    /// Changes devices or choices, and tells whoever's route or inputs are others now (keeps ROUTE-3, ROUTE-6).
    mutating func reroute(_ reason: RouteChangeReason, _ change: (inout PolicyState) -> Void) {
        let before = state
        change(&state)
        for session in before.sessions where session.rank == .app {
            if reason != .override { endOverride(of: session, before) }
            let (was, now) = (before.route(of: session), state.route(of: state[session.id] ?? session))
            if was != now {
                let isLost = !was.outputs.isEmpty && now.outputs.isEmpty
                tell(
                    session.id, .routeChanged(previous: was, isLost ? .noSuitableRouteForCategory : reason),
                    isLost ? .route9 : .route3)
            }
            if before.availableInputs(for: session) != state.availableInputs(for: session) {
                tell(session.id, .availableInputsChanged, .route6)
            }
        }
    }

    /// Keeps ROUTE-5: the override lasts until a route change that it did not cause.
    private mutating func endOverride(of session: SessionState, _ before: PolicyState) {
        guard session.isOverriddenToSpeaker else { return }
        var plain = session
        plain.isOverriddenToSpeaker = false
        if before.route(of: plain) != state.route(of: plain) { state[session.id] = plain }
    }

    /// Throws for a device that can be none; `others` are those of its server, with or without it.
    func check(_ device: Device, among others: [Device]) throws(Refusal) {
        let uids = device.ports.map(\.uid)
        let others = Set(others.filter { $0.uid != device.uid }.flatMap(\.ports).map(\.uid))
        guard !device.uid.isEmpty, (1...Device.mostPorts).contains(device.ports.count),
            device.ports.allSatisfy({ $0.channels > 0 && !$0.uid.isEmpty }),
            Set(uids).count == uids.count, others.isDisjoint(with: uids)
        else {
            throw Refusal(
                .badParam, .route1,
                """
                A device '\(device.uid)' with \(device.ports.count) ports was to be plugged in; it needs a name, 1 to \(Device.mostPorts) \
                ports, a name of its own for each port, and a channel at least in each.
                """)
        }
    }

    /// Keeps ROUTE-9: where there is no input, nothing that records begins. Where nothing is known of what is plugged in, nobody is refused.
    func checkInputExists(for session: SessionState) throws(Refusal) {
        let category = session.configuration.category
        guard category == .record || category == .playAndRecord, session.rank == .app, state.knowsDevices(of: session),
            state.availableInputs(for: session).isEmpty
        else { return }
        throw Refusal(
            .resourceNotAvailable, .route9,
            """
            \(session.id) asked to be active with category \(category.rawValue), but no input that it may use is connected; connect one, \
            or use category playback.
            """)
    }
}

extension SessionState {
    /// Whether it stops when its output is pulled out: not in conversations, measurements and ambient sound, nor on a multiRoute's
    /// other ports (ROUTE-4).
    var stopsWhenDisconnected: Bool {
        switch (configuration.category, configuration.mode) {
        case (.ambient, _), (.soloAmbient, _), (.multiRoute, _): false
        case (_, .voiceChat), (_, .videoChat), (_, .gameChat), (_, .measurement): false
        default: true
        }
    }
}

extension PolicyState {
    fileprivate func has(_ direction: DevicePort.Direction, _ uid: String) -> Bool {
        devices.contains { $0.ports.contains { $0.uid == uid && $0.direction == direction } }
    }

    fileprivate var deviceNames: String {
        devices.isEmpty ? "none" : devices.map { "'\($0.uid)'" }.joined(separator: ", ")
    }

    /// Those of a server; nil: those of none.
    func devices(of server: String?) -> [Device] { devices.filter { $0.server == server } }

    /// Whether what is picked is among what an app of this server sees.
    fileprivate func isPicked(_ pick: KeyPath<PolicyState, String?>, seenFrom server: String) -> Bool {
        let uid = self[keyPath: pick]
        return devices.contains { device in device.isSeen(from: server) && device.ports.contains { $0.uid == uid } }
    }

    /// Keeps ROUTE-8: a pick ends with its device.
    mutating func endLostPicks() {
        if let uid = pickedOutput, !has(.output, uid) { pickedOutput = nil }
        if let uid = pickedInput, !has(.input, uid) { pickedInput = nil }
    }
}

extension Refusal {
    fileprivate static func unknownPort(
        _ uid: String, _ direction: DevicePort.Direction, _ ports: [DevicePort], _ rule: Rule
    ) -> Refusal {
        let known = ports.filter { $0.direction == direction }.map { "'\($0.uid)'" }
        return Refusal(
            .badParam, rule,
            """
            The \(direction.rawValue) '\(uid)' was asked for, which is not among those available; there are \
            \(known.isEmpty ? "none" : known.joined(separator: ", ")).
            """)
    }

    /// Devices of a server come and go with what its apps see there.
    fileprivate static func servedDevice(_ uid: String, of server: String, _ asked: String) -> Refusal {
        Refusal(
            .badParam, .route1,
            """
            The device '\(uid)' of server '\(server)' was to be \(asked) by hand; what a server has is told by the apps that use it. \
            Plug or unplug it there, or use a device without a server.
            """)
    }
}
