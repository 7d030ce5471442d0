/// Devices that are plugged in and unplugged, and choices among them (rules ROUTE-2…6, ROUTE-8,
/// ROUTE-9).
extension Arbitration {
    /// Adds a device of no server: a virtual device that only the policy knows. It becomes the
    /// newest device and clears the user's picks (keeps ROUTE-2, ROUTE-8). A device that is already
    /// known is updated and keeps its position. The device `serverUID`, which stands for the ports
    /// of a driver that reports no devices, ranks behind all others instead, and clears no pick.
    /// Throws badParam for an invalid device, and for one of a server, whose apps report it.
    mutating func plug(_ device: AudioDevice) throws(Refusal) {
        if let server = device.server { throw .servedDevice(device.uid, of: server, "plugged in") }
        var device = device
        device.isAwaited = false  // it has no server that was lost
        let own = state.devices(of: nil)
        try check(device, among: own)
        if let known = own.first(where: { $0.uid == device.uid }) {
            if known != device { updateDevices([device]) }
        } else if device.isServer, state.devices.isEmpty {
            // The server's own ports, as the first known device, are not a route change.
            state.devices = [device]
        } else {
            addDevices([device])
        }
    }

    /// Removes a virtual device (keeps ROUTE-4).
    mutating func unplug(_ uid: String) throws(Refusal) {
        guard let device = state.devices(of: nil).first(where: { $0.uid == uid }) else {
            if let served = state.devices.first(where: { $0.uid == uid }), let server = served.server {
                throw .servedDevice(uid, of: server, "unplugged")
            }
            throw Refusal(
                .badParam, .route4,
                "Cannot unplug '\(uid)': there is no such device. Plugged in: \(state.deviceNames).")
        }
        removeDevices([device])
    }

    /// Replaces devices by changed ones, which keep their positions, and reroutes sessions.
    mutating func updateDevices(_ devices: [AudioDevice]) {
        reroute(.routeConfigurationChange) { state in
            for device in devices {
                let index = state.devices.firstIndex { $0.uid == device.uid && $0.server == device.server }
                if let index { state.devices[index] = device }
            }
            state.endLostPicks()
        }
    }

    /// Adds devices, the last of which becomes the newest (keeps ROUTE-2), and clears the user's
    /// picks that concern apps that see them (ROUTE-8). A device that holds a server's own ports
    /// does not count as newly connected: it ranks behind all other devices.
    mutating func addDevices(_ devices: [AudioDevice]) {
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

    /// Removes devices, all of the same server (keeps ROUTE-4). The sessions that must not continue
    /// on another output stop first; then the routes change.
    mutating func removeDevices(_ devices: [AudioDevice]) {
        disconnect(devices)
        reroute(.oldDeviceUnavailable) { state in
            state.devices.removeAll(where: devices.contains)
            state.endLostPicks()
        }
    }

    /// Interrupts or notifies the active app sessions whose output is being disconnected:
    /// interrupts the newest primary session that runs, unless it prefers no such interruption, and
    /// notifies the others. A session that waits, and would have resumed on that output, will not
    /// be asked to resume (keeps ROUTE-4).
    private mutating func disconnect(_ devices: [AudioDevice]) {
        let lost = Set(devices.flatMap(\.ports).map(\.uid))
        let playing = state.active.last { $0.rank == .app && $0.isPrimary && $0.isRunning }?.id
        let affected = (state.active + state.sessions.filter { $0.wait != nil }).filter { session in
            session.rank == .app && session.stopsWhenDisconnected
                && devices.contains { $0.isSeen(from: state.app(session.app).server) }
                && state.routeWithAwaited(of: session).outputs.contains { lost.contains($0.uid) }
        }
        for session in affected {
            if var wait = session.wait {
                guard session.prefersInterruptionOnRouteDisconnect else { continue }
                wait.mayResume = false
                state[session.id]?.activity = .waiting(wait)
            } else if session.id == playing, session.prefersInterruptionOnRouteDisconnect {
                interrupt(session.id, .routeDisconnected, .route4, by: nil)
            } else {
                notify(session.id, .outputDisconnected, .route4)
            }
        }
    }

    /// Sets the port that the user picked for a direction; nil clears it (keeps ROUTE-8). Throws
    /// badParam if no device has that port. Picking an output ends the overrides to the speaker of
    /// the sessions that see it (ROUTE-5).
    mutating func pick(_ direction: DevicePort.Direction, _ uid: String?) throws(Refusal) {
        if let uid, !state.has(direction, uid) {
            throw .unknownPort(uid, direction, state.devices.flatMap(\.ports), .route8)
        }
        reroute(.override) { state in
            switch direction {
            case .output:
                state.pickedOutput = uid
                state.endOverrides(seeing: uid)
            case .input: state.pickedInput = uid
            }
        }
    }

    /// Sets the input that the session prefers; nil clears it (keeps ROUTE-6). Throws badParam if
    /// the session may not choose that input.
    mutating func preferInput(_ id: SessionID, _ uid: String?) throws(Refusal) {
        let session = try session(id)
        let available = state.availableInputs(for: session)
        if let uid, !available.contains(where: { $0.uid == uid }) {
            throw .unknownPort(uid, .input, available, .route6)
        }
        reroute(.override) { $0[id]?.preferredInput = uid }
    }

    /// Overrides the session's output to the speaker, or ends the override (keeps ROUTE-5). Throws
    /// badParam if the category is not playAndRecord.
    mutating func overrideOutput(_ id: SessionID, toSpeaker: Bool) throws(Refusal) {
        let session = try session(id)
        guard !toSpeaker || session.configuration.category == .playAndRecord else {
            throw Refusal(
                .badParam, .route5,
                """
                The output cannot be overridden to the speaker with category \
                \(session.configuration.category.rawValue); the override requires playAndRecord. Set that category \
                first.
                """)
        }
        reroute(.override) { $0[id]?.isOverriddenToSpeaker = toSpeaker }
    }

    /// Applies a change of devices or choices, and notifies the app sessions whose route or
    /// available inputs have changed (keeps ROUTE-3, ROUTE-6). A session that loses its last
    /// output, or the last input of a category that requires one, receives the reason
    /// noSuitableRouteForCategory instead of `reason` (ROUTE-9). Ends overrides to the speaker that
    /// the change affects (ROUTE-5).
    mutating func reroute(_ reason: RouteChangeReason, _ change: (inout PolicyState) -> Void) {
        let before = state
        change(&state)
        for session in before.sessions where session.rank == .app {
            if reason != .override { endOverride(of: session, before) }
            let (was, now) = (before.route(of: session), state.route(of: state[session.id] ?? session))
            if was != now {
                let category = session.configuration.category
                let isLost =
                    (!was.outputs.isEmpty && now.outputs.isEmpty)
                    || (category.requiresInput && !was.inputs.isEmpty && now.inputs.isEmpty)
                notify(
                    session.id, .routeChanged(previous: was, isLost ? .noSuitableRouteForCategory : reason),
                    isLost ? .route9 : .route3)
            }
            if before.availableInputs(for: session) != state.availableInputs(for: session) {
                notify(session.id, .availableInputsChanged, .route6)
            }
        }
    }

    /// Ends the override to the speaker at a route change that it did not cause (keeps ROUTE-5).
    private mutating func endOverride(of session: SessionState, _ before: PolicyState) {
        guard session.isOverriddenToSpeaker else { return }
        var plain = session
        plain.isOverriddenToSpeaker = false
        // The loss of the server changes no connection (SRV-2).
        if before.routeWithAwaited(of: plain) != state.routeWithAwaited(of: plain) { state[session.id] = plain }
    }

    /// Throws badParam if a device is invalid. `others` are the devices of its server; they may
    /// include the device itself.
    func check(_ device: AudioDevice, among others: [AudioDevice]) throws(Refusal) {
        let uids = device.ports.map(\.uid)
        let others = Set(others.filter { $0.uid != device.uid }.flatMap(\.ports).map(\.uid))
        guard !device.uid.isEmpty, (1...AudioDevice.maximumPorts).contains(device.ports.count),
            device.ports.allSatisfy({ $0.channels > 0 && !$0.uid.isEmpty }),
            Set(uids).count == uids.count, others.isDisjoint(with: uids)
        else {
            throw Refusal(
                .badParam, .route1,
                """
                Cannot plug in device '\(device.uid)' with \(device.ports.count) ports: it needs a uid, 1 to \
                \(AudioDevice.maximumPorts) ports, a unique uid for each port, and at least one channel in each.
                """)
        }
    }

    /// Throws if the category requires an input and no input that the session may use is connected
    /// (keeps ROUTE-9). System sessions, and sessions whose devices are not known, are never
    /// refused.
    func checkInputExists(for session: SessionState) throws(Refusal) {
        let category = session.configuration.category
        guard category.requiresInput, session.rank == .app, state.knowsDevices(of: session),
            state.availableInputs(for: session).isEmpty
        else { return }
        throw Refusal(
            .resourceNotAvailable, .route9,
            """
            \(session.id) cannot activate with category \(category.rawValue): no input that it may use is connected. \
            Connect one, or use category playback.
            """)
    }
}

extension SessionState {
    /// Whether the session's playback stops when its output is disconnected. Sessions of category
    /// ambient or soloAmbient, in a chat mode or in mode measurement continue on another output,
    /// and multiRoute on its other ports (ROUTE-4).
    package var stopsWhenDisconnected: Bool {
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

    /// Returns the devices of a server; with nil, the virtual devices of no server.
    func devices(of server: String?) -> [AudioDevice] { devices.filter { $0.server == server } }

    /// Returns whether the picked port belongs to a device that an app of this server sees.
    fileprivate func isPicked(_ pick: KeyPath<PolicyState, String?>, seenFrom server: String) -> Bool {
        let uid = self[keyPath: pick]
        return devices.contains { device in device.isSeen(from: server) && device.ports.contains { $0.uid == uid } }
    }

    /// Ends the overrides to the speaker of the sessions that see an output (keeps ROUTE-5).
    fileprivate mutating func endOverrides(seeing output: String?) {
        for session in sessions where session.isOverriddenToSpeaker {
            let ports = devices(seenBy: session.app).flatMap(\.ports)
            guard ports.contains(where: { $0.direction == .output && $0.uid == output }) else { continue }
            self[session.id]?.isOverriddenToSpeaker = false
        }
    }

    /// Clears the picks whose device is gone (keeps ROUTE-8).
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
            The \(direction.rawValue) '\(uid)' is not available. Available: \
            \(known.isEmpty ? "none" : known.joined(separator: ", ")).
            """)
    }

    /// Refuses to plug or unplug a device of a server by hand: such devices follow what the
    /// server's apps report.
    fileprivate static func servedDevice(_ uid: String, of server: String, _ action: String) -> Refusal {
        Refusal(
            .badParam, .route1,
            """
            Device '\(uid)' of server '\(server)' cannot be \(action) by hand: the apps of a server report its \
            devices. Plug or unplug it there, or use a device without a server.
            """)
    }
}
