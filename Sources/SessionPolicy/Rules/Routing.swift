/// Which ports each session uses: a function of the state (rules ROUTE-2, ROUTE-5…8, ROUTE-10, MULTI-1, MULTI-2).
extension PolicyState {
    public func route(of session: SessionState) -> Route {
        let configuration = session.configuration
        guard configuration.category == .multiRoute else {
            return Route(
                inputs: input(for: session).map { [$0] } ?? [], outputs: output(for: session).map { [$0] } ?? [])
        }
        return configuration.mode == .dualRoute ? dualRoute(configuration) : multiRoute(session)
    }

    /// The inputs that a session may choose from, the newest first (keeps ROUTE-6).
    public func availableInputs(for session: SessionState) -> [DevicePort] {
        ports(.input, for: session.configuration, of: devices)
    }

    /// Ports that a configuration may use, of the newest device first.
    private func ports(_ direction: DevicePort.Direction, for configuration: Configuration, of devices: [Device])
        -> [DevicePort]
    {
        devices.reversed().flatMap(\.ports).filter { $0.direction == direction && configuration.mayUse($0) }
    }

    private var known: [Device] { devices.filter { !$0.isServer } }
    private var server: [Device] { devices.filter(\.isServer) }

    /// The last in of what is connected, then what is built in, then the server's own (keeps ROUTE-2).
    private func newest(_ direction: DevicePort.Direction, for configuration: Configuration) -> DevicePort? {
        let candidates = ports(direction, for: configuration, of: known)
        if let connected = candidates.first(where: { !$0.type.isBuiltIn }) { return connected }
        return builtIn(candidates, configuration) ?? ports(direction, for: configuration, of: server).first
    }

    /// Of the built-in outputs the receiver, where it may be used, unless the app prefers the speaker (keeps ROUTE-5).
    private func builtIn(_ candidates: [DevicePort], _ configuration: Configuration) -> DevicePort? {
        let speaker = candidates.first { $0.type == .builtInSpeaker }
        let other = candidates.first { $0.type != .builtInSpeaker }
        return configuration.options.contains(.defaultToSpeaker) ? speaker ?? other : other ?? speaker
    }

    /// Override, then the user's pick, then the newest (keeps ROUTE-5, ROUTE-8).
    private func output(for session: SessionState) -> DevicePort? {
        let candidates = ports(.output, for: session.configuration, of: devices)
        if session.isOverriddenToSpeaker, let speaker = candidates.first(where: { $0.type == .builtInSpeaker }) {
            return speaker
        }
        if let picked = candidates.first(where: { $0.uid == pickedOutput }) { return picked }
        return newest(.output, for: session.configuration)
    }

    /// The user's pick, then the session's preference, then the newest (keeps ROUTE-6, ROUTE-8).
    private func input(for session: SessionState) -> DevicePort? {
        let candidates = availableInputs(for: session)
        if let picked = candidates.first(where: { $0.uid == pickedInput }) { return picked }
        if let preferred = candidates.first(where: { $0.uid == session.preferredInput }) { return preferred }
        return newest(.input, for: session.configuration)
    }

    /// Every connected output; the speaker where there is none (keeps MULTI-1, MULTI-2). One input.
    private func multiRoute(_ session: SessionState) -> Route {
        let outputs = ports(.output, for: session.configuration, of: known)
        let connected = outputs.filter { !$0.type.isBuiltIn }
        let fallback = newest(.output, for: session.configuration).map { [$0] } ?? []
        return Route(
            inputs: input(for: session).map { [$0] } ?? [],
            outputs: connected.isEmpty ? fallback : connected.reversed())
    }

    /// The built-in pair, always, and the newest device that goes both ways (keeps MULTI-2, table of group MODE).
    private func dualRoute(_ configuration: Configuration) -> Route {
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
        return route == Route()
            ? Route(
                inputs: ports(.input, for: configuration, of: server),
                outputs: ports(.output, for: configuration, of: server)) : route
    }

    /// Keeps ROUTE-9: it runs, and there is nowhere to hear it. While no device is known at all, nothing is said.
    func lacksOutput(_ session: SessionState) -> Bool {
        let configuration = session.configuration
        guard !devices.isEmpty, configuration.category.traits.hasOutput else { return false }
        // dualRoute has two devices or none; else there is an output wherever one may be used. Asked of every session in every decision.
        if configuration.category == .multiRoute { return route(of: session).outputs.isEmpty }
        return !devices.contains { $0.ports.contains { $0.direction == .output && configuration.mayUse($0) } }
    }
}
