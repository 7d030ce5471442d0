public import AudioRendering
internal import CJackDriver
internal import Platform

/// MIDI ports, audio ports for other programs, and nodes.
extension JackDriver {
    /// Registers a MIDI port of this name, in the next `open` or at once. Throws `refused` if the
    /// client already has a port of that name. The driver restores its connections as those of the
    /// client's other ports; it makes none on its own.
    public func addMIDIPort(_ port: MIDIPort) throws(DriverError) {
        let parts = port.name.split(separator: "_", omittingEmptySubsequences: false)
        if parts.count == 2, ["in", "out"].contains(parts[0]), parts[1].allSatisfy(\.isNumber) {
            throw .refused(call: "a MIDI port '\(port.name)'", reason: "audio ports have names of this form")
        }
        try lifecycle.withLock { _ throws(DriverError) in try add(PortBlock(port)) }
    }

    /// Unregisters a MIDI port.
    public func removeMIDIPort(_ port: MIDIPort) { remove(PortBlock(port)) }

    /// Registers audio ports for other programs, in the next `open` or at once, at the highest free
    /// channels of 64: the ports for devices use the lowest ones. Throws `refused` if the client
    /// already has ports of that name, or if fewer channels are free.
    public func addPorts(_ group: PortGroup) throws(DriverError) -> Range<Int> {
        guard (1...Int(RCORE_JACK_MAX_PORTS)).contains(group.channels) else {
            throw .refused(
                call: "\(group.channels) ports '\(group.name)_…'", reason: "a client has 1 to \(RCORE_JACK_MAX_PORTS)")
        }
        guard !["in", "out"].contains(group.name) else {
            throw .refused(call: "ports '\(group.name)_…'", reason: "the ports of the device have names of this form")
        }
        return try lifecycle.withLock { _ throws(DriverError) in
            let own = state.withLock { $0.setup.blocks }
            let others = connection?.state.withLock { $0.blocks } ?? []
            let taken = (own + others).filter { $0.direction == group.direction }
            let limit = Int(RCORE_JACK_MAX_PORTS)
            guard let range = PortBlock.highestFreeChannels(group.channels, avoiding: taken, limit: limit) else {
                throw .refused(
                    call: "\(group.channels) ports '\(group.name)_…'",
                    reason: "fewer of the client's \(limit) are free; remove others first")
            }
            try add(PortBlock(group, first: range.lowerBound))
            return range
        }
    }

    /// Unregisters audio ports that `addPorts` registered.
    public func removePorts(_ group: PortGroup) { remove(PortBlock(group, first: 0)) }

    /// Connects ports that were added. While the driver is closed, throws `notOpen`. If the driver
    /// is closed and opened again, `open` makes these connections.
    public func connectPorts(named name: String, to ports: [[String]]) throws(DriverError) {
        let connection = try requireConnection()
        state.withLock { $0.setup.links[name] = ports }
        try connection.change(linksOfBlockNamed: name, .replace, ports)
    }

    public func addConnections(ofPortsNamed name: String, to ports: [[String]]) throws(DriverError) {
        try requireConnection().change(linksOfBlockNamed: name, .add, ports)
    }

    public func removeConnections(ofPortsNamed name: String, from ports: [[String]]) throws(DriverError) {
        try requireConnection().change(linksOfBlockNamed: name, .remove, ports)
    }

    /// Reads the connections as of the last notification of the server.
    public func connections(ofPortsNamed name: String) -> [[String]] {
        connection?.connections(ofBlockNamed: name) ?? []
    }

    /// Creates a driver for a second client of the process. With jackd2, both reconnect only when
    /// both have noticed the loss of the server.
    public func makeCompanion(named suffix: String, connects: Bool) -> (any RenderDriver)? {
        var companion = configuration
        if let identity = connection?.state.withLock({ $0.identity }) {
            companion.server = identity.server.choice
            companion.clientName = identity.clientName
        }
        companion.clientName = companion.clientName.prefix(bytes: 63 - suffix.utf8.count) + suffix
        companion.inputs = 0
        if !connects { (companion.outputs, companion.connections) = (1, .none) }
        let driver = JackDriver(configuration: companion)
        state.withLock { state in
            driver.setDeviceOverrides(state.overrides)
            state.companions = state.companions.filter { $0.driver != nil } + [WeakDriver(driver: driver)]
        }
        return driver
    }

    // MARK: Nodes

    /// Publishes the icon of a port by the metadata of PipeWire; does nothing with jackd.
    public func setIcon(_ icon: [UInt8], ofPort name: String) {
        lifecycle.withLock { _ in
            state.withLock { $0.setup.icons[name] = icon.isEmpty ? nil : icon }
            connection?.setIcon(icon, of: name)
        }
    }

    /// The nodes of other clients, sorted by client.
    public var nodes: [NodeDescription]? { connection?.nodes }

    public func watchNodes() {
        lifecycle.withLock { _ in
            state.withLock { $0.setup.watchesNodes = true }
            connection?.watchNodes()
        }
    }

    // MARK: Blocks

    /// Registers a block now, unless the driver is closed; `open` registers it as well. [with the
    /// lifecycle lock]
    private func add(_ block: PortBlock) throws(DriverError) {
        let names = Set(block.names)
        let other = state.withLock { state in
            state.setup.blocks.first { $0.prefix == block.prefix || !names.isDisjoint(with: $0.names) }
        }
        if let other {
            throw .refused(call: block.title, reason: "the client has \(other.title)")
        }
        // After the loss of a server that did not return, `open` registers it.
        if let connection, !connection.isGone {
            do throws(DriverError) {
                try connection.add(block)
            } catch {
                connection.discard(block)
                throw error
            }
        }
        state.withLock { $0.setup.blocks.append(block) }
    }

    private func remove(_ block: PortBlock) {
        lifecycle.withLock { _ in
            state.withLock { state in
                state.setup.blocks.removeAll { $0.prefix == block.prefix && $0.isMIDI == block.isMIDI }
                for name in block.names { state.setup.icons[name] = nil }
                state.setup.links[block.prefix] = nil
            }
            connection?.removeBlock(named: block.prefix, isMIDI: block.isMIDI)
        }
    }
}

extension String {
    /// Returns the longest beginning of whole characters that has at most `limit` bytes.
    fileprivate func prefix(bytes limit: Int) -> String {
        var text = self
        while text.utf8.count > limit { text.removeLast() }
        return text
    }
}
