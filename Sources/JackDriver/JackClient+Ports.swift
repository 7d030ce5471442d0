internal import AudioRendering
internal import CJackDriver

/// Ports, connections and what others offer; all of it belongs on the control thread.
extension JackClient {
    /// Registers the ports of a block, all or none.
    func register(_ block: PortBlock) throws(DriverError) {
        try check(
            rcore_jack_register_block(
                handle, block.direction.jack, UInt32(block.first), UInt32(block.count), block.prefix),
            "\(block.count) ports '\(block.prefix)_…'")
        // PipeWire does not ask what is captured from new ports.
        if Self.isPipeWire { rcore_jack_pass_latencies(handle) }
    }

    /// Takes them back, with their connections. What a server that died keeps of them goes with it.
    func unregister(_ block: PortBlock) {
        _ = rcore_jack_unregister_block(handle, block.direction.jack, UInt32(block.first), UInt32(block.count))
    }

    /// The connections there are.
    func readLinks(of blocks: [PortBlock]) -> Set<PortLink> {
        var links: Set<PortLink> = []
        for block in blocks {
            for (channel, own) in zip(block.channels, block.names) {
                guard let names = rcore_jack_connections(handle, block.direction.jack, UInt32(channel)) else {
                    continue
                }
                defer { rcore_jack_free_names(names) }
                var next = names
                while let name = next.pointee {
                    if let far = String(validatingCString: name) {
                        links.insert(PortLink(direction: block.direction, own: own, far: far))
                    }
                    next += 1
                }
            }
        }
        return links
    }

    /// Makes a connection; false when one of its ends does not exist.
    func connect(_ link: PortLink) -> Bool {
        let own = "\(name):\(link.own)"
        let (source, destination) = link.direction == .output ? (own, link.far) : (link.far, own)
        return rcore_jack_connect(handle, source, destination) == RCORE_JACK_OK
    }

    /// Makes connections, one after the other; latencies are passed on once, with the last.
    func connect(_ links: [PortLink]) -> [(link: PortLink, isMade: Bool)] {
        let made = links.enumerated().map { index, link in
            rcore_jack_hold_latencies(handle, index < links.count - 1)
            return (link: link, isMade: connect(link))
        }
        if links.count > 1, made.last?.isMade == false { rcore_jack_pass_latencies(handle) }
        return made
    }

    /// What the engine itself delays, at each channel; told with the next recomputation.
    func setOwnLatencies(_ latencies: [OutputLatency]) {
        for channel in 0..<Int(RCORE_JACK_MAX_PORTS) {
            let frames = latencies.first { $0.channels.contains(channel) }?.frames ?? 0...0
            rcore_jack_set_own_latency(
                handle, UInt32(channel),
                rcore_jack_latency_t(
                    minimum: UInt32(clamping: frames.lowerBound), maximum: UInt32(clamping: frames.upperBound)))
        }
    }

    /// Has latencies passed on through the server's whole graph; one that refuses does so with its next change. PipeWire passes on by itself what ports are told, and
    /// its libjack (0.3.65) locks itself up where it is asked to while it tells this client of latencies.
    func recomputeLatencies() {
        if Self.isPipeWire { rcore_jack_pass_latencies(handle) } else { _ = rcore_jack_recompute_latencies(handle) }
    }

    func hasPort(_ name: String) -> Bool { rcore_jack_port_exists(handle, name) }

    /// Bridges whose ports are neither physical nor terminal.
    private static let plainBridges = "^alsa_(in|out)[^:]*:"

    /// The ports that may be a device's. One whose name is no text is none.
    func listPorts() -> [PortFacts] {
        var count: UInt32 = 0
        let ports = rcore_jack_list_ports(handle, Self.plainBridges, &count)
        defer { rcore_jack_free_ports(ports, count) }
        return UnsafeBufferPointer(start: ports, count: Int(count)).compactMap { port in
            guard let name = String(validatingCString: port.name), name.contains(":") else { return nil }
            let aliases = [port.aliases.0, port.aliases.1].compactMap { $0.flatMap { String(validatingCString: $0) } }
            return PortFacts(
                name, aliases: aliases.filter { !$0.isEmpty },
                direction: port.direction == RCORE_JACK_PLAYBACK ? .output : .input, isPhysical: port.is_physical,
                isTerminal: port.is_terminal, latencyFrames: Int(port.latency.maximum))
        }
    }

    /// The names of ports that were registered since the last call; nil when there were more than are kept.
    func takeRenewed() -> Set<String>? {
        var names: Set<String> = []
        var missed = false
        while let name = rcore_jack_next_renewed(handle, &missed) { names.insert(String(cString: name)) }
        return missed ? nil : names
    }
}

extension HardwarePort.Direction {
    fileprivate var jack: rcore_jack_direction_t { self == .output ? RCORE_JACK_PLAYBACK : RCORE_JACK_CAPTURE }
}
