/// Devices that come and go, and choices among them (rules ROUTE-2…6, ROUTE-8, ROUTE-9).
extension Arbitration {
    /// The last in wins; it ends the user's picks (keeps ROUTE-2, ROUTE-8). One that is there already has changed, and stays in its place.
    mutating func plug(_ device: Device) throws(Refusal) {
        try check(device)
        if let place = state.devices.firstIndex(where: { $0.uid == device.uid }) {
            if state.devices[place] != device { reroute(.routeConfigurationChange) { $0.devices[place] = device } }
        } else if device.isServer {
            // No newcomer: its ports stand behind all that is known better. The first that is known at all is no change.
            let isFirst = state.devices.isEmpty
            if isFirst {
                state.devices = [device]
            } else {
                reroute(.newDeviceAvailable) { $0.devices.insert(device, at: 0) }
            }
        } else {
            reroute(.newDeviceAvailable) { state in
                state.devices.append(device)
                state.pickedOutput = nil
                state.pickedInput = nil
            }
        }
    }

    /// Keeps ROUTE-4: first those who are not to be heard elsewhere stop, then the routes change.
    mutating func unplug(_ uid: String) throws(Refusal) {
        guard let device = state.devices.first(where: { $0.uid == uid }) else {
            throw Refusal(
                .badParam, .route4,
                "A device '\(uid)' was to be unplugged, but none of that name is; plugged in are \(state.deviceNames).")
        }
        let lost = Set(device.ports.map(\.uid))
        disconnect(lost)
        reroute(.oldDeviceUnavailable) { state in
            state.devices.removeAll { $0.uid == uid }
            if state.pickedOutput.map(lost.contains) == true { state.pickedOutput = nil }
            if state.pickedInput.map(lost.contains) == true { state.pickedInput = nil }
        }
    }

    /// Keeps ROUTE-4.
    private mutating func disconnect(_ lost: Set<String>) {
        let playing = state.active.last { $0.rank == .app && $0.isPrimary && $0.isRunning }?.id
        for session in state.active where session.rank == .app && session.stopsWhenDisconnected {
            let outputs = state.route(of: session).outputs
            guard outputs.contains(where: { lost.contains($0.uid) }) else { continue }
            if session.id == playing, session.prefersInterruptionOnRouteDisconnect {
                interrupt(session.id, .routeDisconnected, .route4, by: nil)
            } else {
                tell(session.id, .outputDisconnected, .route4)
            }
        }
    }

    /// The user's pick, nil to take it back (keeps ROUTE-8).
    mutating func pick(_ direction: DevicePort.Direction, _ uid: String?) throws(Refusal) {
        if let uid, !state.has(direction, uid) { throw state.unknownPort(uid, direction, .route8) }
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
        if let uid, !state.availableInputs(for: session).contains(where: { $0.uid == uid }) {
            throw state.unknownPort(uid, .input, .route6)
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
    private mutating func reroute(_ reason: RouteChangeReason, _ change: (inout PolicyState) -> Void) {
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

    func check(_ device: Device) throws(Refusal) {
        let uids = device.ports.map(\.uid)
        let others = Set(state.devices.filter { $0.uid != device.uid }.flatMap(\.ports).map(\.uid))
        guard !device.uid.isEmpty, !device.ports.isEmpty,
            device.ports.allSatisfy({ $0.channels > 0 && !$0.uid.isEmpty }),
            Set(uids).count == uids.count, others.isDisjoint(with: uids)
        else {
            throw Refusal(
                .badParam, .route1,
                """
                A device '\(device.uid)' with \(device.ports.count) ports was to be plugged in; it needs a name, at least one port, a name \
                of its own for each port, and a channel at least in each.
                """)
        }
    }

    /// Keeps ROUTE-9: where there is no input, nothing that records begins. While no device is known, nobody is refused.
    func checkInputExists(for session: SessionState) throws(Refusal) {
        let category = session.configuration.category
        guard category == .record || category == .playAndRecord, session.rank == .app, !state.devices.isEmpty,
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

    fileprivate func unknownPort(_ uid: String, _ direction: DevicePort.Direction, _ rule: Rule) -> Refusal {
        let known = devices.flatMap(\.ports).filter { $0.direction == direction }.map { "'\($0.uid)'" }
        return Refusal(
            .badParam, rule,
            """
            The \(direction.rawValue) '\(uid)' was asked for, which is not among those available; there are \
            \(known.isEmpty ? "none" : known.joined(separator: ", ")).
            """)
    }
}
