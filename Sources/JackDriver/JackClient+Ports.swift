internal import AudioRendering
internal import CJackDriver

/// Ports, connections and the ports of other clients. All calls belong on the control thread.
extension JackClient {
    /// Registers all ports of a block, or none if one of them fails.
    func register(_ block: PortBlock) throws(DriverError) {
        try check(
            rcore_jack_register_block(
                handle, block.jackDirection, UInt32(block.first), UInt32(block.count), block.prefix),
            block.title)
        // PipeWire does not request capture latencies for new ports.
        passLatenciesOnPipeWire()
    }

    /// Unregisters the ports of a block and removes their connections. If the server died, its
    /// record of them is gone with it.
    func unregister(_ block: PortBlock) {
        _ = rcore_jack_unregister_block(handle, block.jackDirection, UInt32(block.first), UInt32(block.count))
    }

    /// Returns the current connections of the ports of `blocks`.
    func readLinks(of blocks: [PortBlock]) -> Set<PortLink> {
        var links: Set<PortLink> = []
        for block in blocks {
            for (channel, own) in zip(block.channels, block.names) {
                guard let names = rcore_jack_connections(handle, block.jackDirection, UInt32(channel)) else {
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

    /// Makes a connection. Returns false if one of the ports does not exist, or if the server was
    /// lost.
    func connect(_ link: PortLink) -> Bool {
        let (source, destination) = ends(of: link)
        return rcore_jack_connect(handle, source, destination) == RCORE_JACK_OK
    }

    /// Waits until the server's cycles use these connections, for at most half a second: frames
    /// that are rendered earlier reach no device. Does not wait with PipeWire, whose libjack cannot
    /// say when that is.
    func awaitConnections(_ links: [PortLink]) {
        guard !Self.isPipeWire else { return }
        let (clock, name) = (ContinuousClock(), name)
        let end = clock.now + .milliseconds(500)
        for link in links {
            let rest = max(.zero, end - clock.now) / .milliseconds(1)
            rcore_jack_await_connection(handle, "\(name):\(link.own)", link.far, UInt32(rest))
        }
    }

    /// Removes a connection, if it exists.
    func disconnect(_ link: PortLink) {
        let (source, destination) = ends(of: link)
        _ = rcore_jack_disconnect(handle, source, destination)
    }

    private func ends(of link: PortLink) -> (source: String, destination: String) {
        let own = "\(name):\(link.own)"
        return link.direction == .output ? (own, link.far) : (link.far, own)
    }

    /// Makes connections one after the other. The client passes latencies on once: with the last
    /// connection (with PipeWire, in the refresh that follows), or explicitly if that one fails.
    func connect(_ links: [PortLink]) -> [(link: PortLink, isMade: Bool)] {
        let made = links.enumerated().map { index, link in
            rcore_jack_hold_latencies(handle, index < links.count - 1)
            return (link: link, isMade: connect(link))
        }
        if made.last?.isMade == false { rcore_jack_pass_latencies(handle) }
        return made
    }

    /// Passes latencies on if they were held since the activation, because there was nothing to
    /// connect.
    func releaseLatencies() {
        if rcore_jack_hold_latencies(handle, false) { rcore_jack_pass_latencies(handle) }
    }

    /// With PipeWire's libjack, passes latencies on, unless they are held or the client is not
    /// active. There, only the control thread may do so.
    func passLatenciesOnPipeWire() {
        if Self.isPipeWire { rcore_jack_pass_latencies(handle) }
    }

    /// Sets the engine's own latency for each output channel. The server learns of it with the next
    /// recomputation.
    func setOwnLatencies(_ latencies: [OutputLatency]) {
        for channel in 0..<Int(RCORE_JACK_MAX_PORTS) {
            let frames = latencies.first { $0.channels.contains(channel) }?.frames ?? 0...0
            rcore_jack_set_own_latency(
                handle, UInt32(channel),
                rcore_jack_latency_t(
                    minimum: UInt32(clamping: frames.lowerBound), maximum: UInt32(clamping: frames.upperBound)))
        }
    }

    /// Makes the server propagate latencies through its entire graph. A server that refuses does so
    /// with its next graph change. PipeWire propagates port latencies on its own; there, this only
    /// passes the client's own latencies on.
    func recomputeLatencies() {
        if Self.isPipeWire { rcore_jack_pass_latencies(handle) } else { _ = rcore_jack_recompute_latencies(handle) }
    }

    func hasPort(_ name: String) -> Bool { rcore_jack_port_exists(handle, name) }

    /// A regular expression for the ports of bridges to sound cards (`alsa_in`, `alsa_out`), which
    /// have neither the physical nor the terminal flag.
    private static let unflaggedBridges = "^alsa_(in|out)[^:]*:"

    /// Returns the ports that may belong to a device, with their maximum latency if `hasLatencies`.
    /// Omits ports whose name is not UTF-8 or has no client prefix.
    func listPorts(hasLatencies: Bool = true) -> [PortFacts] {
        var count: UInt32 = 0
        let ports = rcore_jack_list_ports(handle, Self.unflaggedBridges, hasLatencies, &count)
        defer { rcore_jack_free_ports(ports, count) }
        return UnsafeBufferPointer(start: ports, count: Int(count)).compactMap { port in
            guard let name = String(validatingCString: port.name), name.contains(":") else { return nil }
            let aliases = [port.aliases.0, port.aliases.1].compactMap { $0.flatMap { String(validatingCString: $0) } }
            return PortFacts(
                name, aliases: aliases.filter { !$0.isEmpty },
                direction: port.direction == RCORE_JACK_PLAYBACK ? .output : .input, isPhysical: port.is_physical,
                isTerminal: port.is_terminal, latencyFrames: hasLatencies ? Int(port.latency.maximum) : nil)
        }
    }

    /// Returns the names of the ports that were registered or renamed since the last call, or nil
    /// if there were more than the C driver keeps.
    func takeRegisteredPorts() -> Set<String>? {
        var names: Set<String> = []
        var missed = false
        while let name = rcore_jack_next_renewed(handle, &missed) { names.insert(String(cString: name)) }
        return missed ? nil : names
    }
}

extension PortBlock {
    fileprivate var jackDirection: rcore_jack_direction_t {
        switch direction {
        case .output: isMIDI ? RCORE_JACK_MIDI_OUT : RCORE_JACK_PLAYBACK
        case .input: isMIDI ? RCORE_JACK_MIDI_IN : RCORE_JACK_CAPTURE
        }
    }
}
