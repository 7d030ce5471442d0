/// The ports that each session uses: a function of the state (rules ROUTE-2, ROUTE-5…8, ROUTE-10,
/// MULTI-1, MULTI-2).
extension PolicyState {
    /// Returns the ports that a session uses, or would use if it were active. Ports of devices that
    /// its app misses are left out; no other device replaces them (SRV-2).
    public func route(of session: SessionState) -> Route {
        let route = routeWithAwaited(of: session)
        let app = app(session.app)
        guard !app.missingDevices.isEmpty else { return route }
        let missing = devices.filter { $0.server == app.server && app.missingDevices.contains($0.uid) }
        let uids = Set(missing.flatMap(\.ports).map(\.uid))
        return Route(
            inputs: route.inputs.filter { !uids.contains($0.uid) },
            outputs: route.outputs.filter { !uids.contains($0.uid) })
    }

    /// Returns whether a session's app misses all of its outputs: the session is suspended until
    /// one returns or counts as removed (keeps SRV-2).
    func awaitsOutput(_ session: SessionState) -> Bool {
        !app(session.app).missingDevices.isEmpty && route(of: session).outputs.isEmpty
            && !routeWithAwaited(of: session).outputs.isEmpty
    }

    /// Returns the ports of a session's route, including those of devices that its app misses.
    func routeWithAwaited(of session: SessionState) -> Route {
        let configuration = session.configuration
        guard configuration.category == .multiRoute else {
            return Route(
                inputs: input(for: session).map { [$0] } ?? [], outputs: output(for: session).map { [$0] } ?? [])
        }
        return configuration.mode == .dualRoute ? dualRoute(session) : multiRoute(session)
    }

    /// Returns the devices that an app sees, the newest last: those of its server, and the virtual
    /// devices of no server.
    public func devices(seenBy app: AppID) -> [AudioDevice] {
        let server = self.app(app).server
        return devices.filter { $0.isSeen(from: server) }
    }

    /// Returns the inputs that a session may choose from, the newest first (keeps ROUTE-6).
    public func availableInputs(for session: SessionState) -> [DevicePort] {
        ports(.input, for: session.configuration, of: devices(seenBy: session.app))
    }

    /// Returns the ports that a configuration may use, those of the newest device first.
    private func ports(_ direction: DevicePort.Direction, for configuration: Configuration, of devices: [AudioDevice])
        -> [DevicePort]
    {
        devices.reversed().flatMap(\.ports).filter { $0.direction == direction && configuration.mayUse($0) }
    }

    /// Returns the devices that a session sees, except those that hold a server's own ports.
    private func known(to session: SessionState) -> [AudioDevice] {
        devices(seenBy: session.app).filter { !$0.isServer }
    }

    /// Returns the device that holds the server's own ports.
    private func server(of session: SessionState) -> [AudioDevice] { devices(seenBy: session.app).filter(\.isServer) }

    /// Returns the port of the newest connected device, otherwise a built-in one, otherwise one of
    /// the server's own ports (keeps ROUTE-2).
    private func newest(_ direction: DevicePort.Direction, for session: SessionState) -> DevicePort? {
        let configuration = session.configuration
        let candidates = ports(direction, for: configuration, of: known(to: session))
        if let connected = candidates.first(where: { !$0.type.isBuiltIn }) { return connected }
        return builtIn(candidates, configuration)
            ?? ports(direction, for: configuration, of: server(of: session)).first
    }

    /// Returns a built-in port. Among outputs, the receiver precedes the speaker if the session may
    /// use it, unless option defaultToSpeaker is set (keeps ROUTE-5).
    private func builtIn(_ candidates: [DevicePort], _ configuration: Configuration) -> DevicePort? {
        let speaker = candidates.first { $0.type == .builtInSpeaker }
        let other = candidates.first { $0.type != .builtInSpeaker }
        return configuration.options.contains(.defaultToSpeaker) ? speaker ?? other : other ?? speaker
    }

    /// Returns the output: the speaker if it is overridden, otherwise the user's pick, otherwise
    /// the newest port (keeps ROUTE-5, ROUTE-8).
    private func output(for session: SessionState) -> DevicePort? {
        let candidates = ports(.output, for: session.configuration, of: devices(seenBy: session.app))
        if session.isOverriddenToSpeaker, let speaker = candidates.first(where: { $0.type == .builtInSpeaker }) {
            return speaker
        }
        if let picked = candidates.first(where: { $0.uid == pickedOutput }) { return picked }
        return newest(.output, for: session)
    }

    /// Returns the input: the user's pick, otherwise the session's preferred input, otherwise the
    /// newest port (keeps ROUTE-6, ROUTE-8).
    private func input(for session: SessionState) -> DevicePort? {
        let candidates = availableInputs(for: session)
        if let picked = candidates.first(where: { $0.uid == pickedInput }) { return picked }
        if let preferred = candidates.first(where: { $0.uid == session.preferredInput }) { return preferred }
        return newest(.input, for: session)
    }

    /// Returns every connected output, the oldest device first, and one input. If no output is
    /// connected, returns the built-in speaker, otherwise one of the server's own outputs (keeps
    /// MULTI-1, MULTI-2).
    private func multiRoute(_ session: SessionState) -> Route {
        let outputs = ports(.output, for: session.configuration, of: known(to: session))
        let connected = outputs.filter { !$0.type.isBuiltIn }
        let fallback = newest(.output, for: session).map { [$0] } ?? []
        return Route(
            inputs: input(for: session).map { [$0] } ?? [],
            outputs: connected.isEmpty ? fallback : connected.reversed())
    }

    /// Returns the built-in speaker and microphone, always, and the newest device that has both
    /// inputs and outputs; without any of these, the server's own ports (keeps MULTI-2; table of
    /// group MODE).
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

    /// Returns whether a session runs without an output on which it could be heard (keeps ROUTE-9).
    /// Returns false if its category has no output or its devices are not known.
    func lacksOutput(_ session: SessionState) -> Bool {
        let configuration = session.configuration
        guard configuration.category.traits.hasOutput, knowsDevices(of: session) else { return false }
        // Mode dualRoute does not use every output that it may use, so for multiRoute the route is
        // computed. Any other session has an output if there is one that it may use: this runs for
        // every session in every decision, so it does not compute the route.
        if configuration.category == .multiRoute { return routeWithAwaited(of: session).outputs.isEmpty }
        let server = app(session.app).server
        return !devices.contains { device in
            device.isSeen(from: server)
                && device.ports.contains { $0.direction == .output && configuration.mayUse($0) }
        }
    }

    /// Returns whether the devices that a session sees are known. The devices of a known server
    /// are, even if it has none. Where no server is known, a virtual device is enough.
    func knowsDevices(of session: SessionState) -> Bool {
        app(session.app).server != nil || devices.contains { $0.server == nil }
    }
}
