/// Which ports each session uses: a function of the state (rules ROUTE-2, ROUTE-5…8, ROUTE-10, MULTI-1, MULTI-2).
extension PolicyState {
    public func route(of session: SessionState) -> Route {
        let configuration = session.configuration
        guard configuration.category == .multiRoute else {
            return Route(
                inputs: input(for: session).map { [$0] } ?? [], outputs: output(for: session).map { [$0] } ?? [])
        }
        return configuration.mode == .dualRoute ? dualRoute(session) : multiRoute(session)
    }

    /// What is plugged in where an app is: the devices of its server, and the stand-ins of no server; the last in last.
    public func devices(seenBy app: AppID) -> [Device] {
        let server = self.app(app).server
        return devices.filter { $0.isSeen(from: server) }
    }

    /// The inputs that a session may choose from, the newest first (keeps ROUTE-6).
    public func availableInputs(for session: SessionState) -> [DevicePort] {
        ports(.input, for: session.configuration, of: devices(seenBy: session.app))
    }

    /// Ports that a configuration may use, of the newest device first.
    private func ports(_ direction: DevicePort.Direction, for configuration: Configuration, of devices: [Device])
        -> [DevicePort]
    {
        devices.reversed().flatMap(\.ports).filter { $0.direction == direction && configuration.mayUse($0) }
    }

    private func known(to session: SessionState) -> [Device] {
        devices(seenBy: session.app).filter { !$0.isServer }
    }

    /// The server's own ports.
    private func server(of session: SessionState) -> [Device] { devices(seenBy: session.app).filter(\.isServer) }

    /// The last in of what is connected, then what is built in, then the server's own (keeps ROUTE-2).
    private func newest(_ direction: DevicePort.Direction, for session: SessionState) -> DevicePort? {
        let configuration = session.configuration
        let candidates = ports(direction, for: configuration, of: known(to: session))
        if let connected = candidates.first(where: { !$0.type.isBuiltIn }) { return connected }
        return builtIn(candidates, configuration)
            ?? ports(direction, for: configuration, of: server(of: session)).first
    }

    /// Of the built-in outputs the receiver, where it may be used, unless the app prefers the speaker (keeps ROUTE-5).
    private func builtIn(_ candidates: [DevicePort], _ configuration: Configuration) -> DevicePort? {
        let speaker = candidates.first { $0.type == .builtInSpeaker }
        let other = candidates.first { $0.type != .builtInSpeaker }
        return configuration.options.contains(.defaultToSpeaker) ? speaker ?? other : other ?? speaker
    }

    /// Override, then the user's pick, then the newest (keeps ROUTE-5, ROUTE-8).
    private func output(for session: SessionState) -> DevicePort? {
        let candidates = ports(.output, for: session.configuration, of: devices(seenBy: session.app))
        if session.isOverriddenToSpeaker, let speaker = candidates.first(where: { $0.type == .builtInSpeaker }) {
            return speaker
        }
        if let picked = candidates.first(where: { $0.uid == pickedOutput }) { return picked }
        return newest(.output, for: session)
    }

    /// The user's pick, then the session's preference, then the newest (keeps ROUTE-6, ROUTE-8).
    private func input(for session: SessionState) -> DevicePort? {
        let candidates = availableInputs(for: session)
        if let picked = candidates.first(where: { $0.uid == pickedInput }) { return picked }
        if let preferred = candidates.first(where: { $0.uid == session.preferredInput }) { return preferred }
        return newest(.input, for: session)
    }

    /// Every connected output; the speaker where there is none (keeps MULTI-1, MULTI-2). One input.
    private func multiRoute(_ session: SessionState) -> Route {
        let outputs = ports(.output, for: session.configuration, of: known(to: session))
        let connected = outputs.filter { !$0.type.isBuiltIn }
        let fallback = newest(.output, for: session).map { [$0] } ?? []
        return Route(
            inputs: input(for: session).map { [$0] } ?? [],
            outputs: connected.isEmpty ? fallback : connected.reversed())
    }

    /// The built-in pair, always, and the newest device that goes both ways (keeps MULTI-2, table of group MODE).
    private func dualRoute(_ session: SessionState) -> Route {
        let (configuration, known) = (session.configuration, known(to: session))
        let partner = known.last { device in
            let usable = device.ports.filter { configuration.mayUse($0) && !$0.type.isBuiltIn }
            return Set(usable.map(\.direction)).count == 2
        }
        func used(_ direction: DevicePort.Direction) -> [DevicePort] {
            let all = ports(direction, for: configuration, of: known)
            let pair = all.filter { $0.type == .builtInSpeaker || $0.type == .builtInMic }
            let others = partner?.ports.filter { $0.direction == direction && configuration.mayUse($0) } ?? []
            return pair + others
        }
        let route = Route(inputs: used(.input), outputs: used(.output))
        guard route == Route() else { return route }
        let server = server(of: session)
        return Route(
            inputs: ports(.input, for: configuration, of: server),
            outputs: ports(.output, for: configuration, of: server))
    }

    /// Keeps ROUTE-9: it runs, and there is nowhere to hear it. Where nothing is known of what is plugged in, nothing is said.
    func lacksOutput(_ session: SessionState) -> Bool {
        let configuration = session.configuration
        guard configuration.category.traits.hasOutput, knowsDevices(of: session) else { return false }
        // dualRoute has two devices or none; else there is an output wherever one may be used. Asked of every session in every decision.
        if configuration.category == .multiRoute { return route(of: session).outputs.isEmpty }
        let server = app(session.app).server
        return !devices.contains { device in
            device.isSeen(from: server)
                && device.ports.contains { $0.direction == .output && configuration.mayUse($0) }
        }
    }

    /// Whether it is known what is plugged in where a session is: a server that is known has what it has, be it nothing.
    func knowsDevices(of session: SessionState) -> Bool {
        app(session.app).server != nil || devices.contains { $0.server == nil }
    }
}
