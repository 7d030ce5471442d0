internal import AudioRendering
internal import CJackDriver
internal import Platform

/// The client's MIDI ports, and its audio ports for other programs. They persist like the ports for
/// devices: when the server or the far port returns, the driver restores them and their connections
/// (keeps SRV-2).
extension ServerConnection {
    // MARK: Calls from the driver

    /// While the server is lost, the ports are registered when it has returned.
    func add(_ block: PortBlock) throws(DriverError) {
        if state.withLock({ $0.phase == .lost }) {
            return control.post { try? self.registerAndRefresh(block) }
        }
        try call(block.title) { connection throws(DriverError) in try connection.registerAndRefresh(block) }
    }

    /// Removes a block whose registration has failed or may take effect later. Does not wait.
    func discard(_ block: PortBlock) {
        control.post { self.unregisterBlock(named: block.prefix, isMIDI: block.isMIDI) }
    }

    /// Removes the block whose ports are called `prefix`. Returns when they no longer exist, unless
    /// the server does not answer in time.
    func removeBlock(named prefix: String, isMIDI: Bool) {
        let done = Promise<Void>()
        control.post {
            self.unregisterBlock(named: prefix, isMIDI: isMIDI)
            done.set(())
        }
        if state.withLock({ $0.phase == .open }) { _ = done.wait(seconds: configuration.callTimeout) }
    }

    /// How a call changes the connections of a block.
    enum LinkChange { case replace, add, remove }

    /// Changes the connections of the ports of the block called `prefix`. While the server is lost,
    /// the connections are made when it has returned.
    func change(
        linksOfBlockNamed prefix: String, _ change: LinkChange, _ ports: [[String]]
    ) throws(DriverError) {
        let (block, isLost) = state.withLock { state in
            (state.blocks.first { $0.prefix == prefix && !$0.isMain && $0.uid == nil }, state.phase == .lost)
        }
        guard let block else {
            throw .refused(call: "a connection of '\(prefix)'", reason: "the client has no such ports")
        }
        if isLost { return state.withLock { $0.history.apply(change, block.links(to: ports), of: block, made: []) } }
        try call("the connections of '\(prefix)'") { connection throws(DriverError) in
            try connection.apply(change, block, block.links(to: ports))
        }
    }

    /// Returns the ports to which each port of the block called `prefix` is connected.
    func connections(ofBlockNamed prefix: String) -> [[String]] {
        state.withLock { state in
            let block = state.blocks.first { $0.prefix == prefix && !$0.isMain && $0.uid == nil }
            guard state.phase == .open, let block else { return [] }
            return block.names.map { name in state.history.made.filter { $0.own == name }.map(\.far).sorted() }
        }
    }

    // MARK: Control thread

    private func registerAndRefresh(_ block: PortBlock) throws(DriverError) {
        guard let client = state.withLock({ $0.client }) else { throw .serverLost }
        try register([block], client)
        postRefresh(nil)
    }

    /// Registers ports with a client, and has the driver make their remembered connections.
    func register(_ blocks: [PortBlock], _ client: JackClient) throws(DriverError) {
        for block in blocks {
            // PipeWire does not refuse a second port of a name.
            let taken = state.withLock { Set($0.blocks.flatMap(\.names)) }
            if let name = block.names.first(where: taken.contains) {
                throw .refused(call: block.title, reason: "the client has a port '\(name)'")
            }
            try client.register(block)
            let remembered = configuration.connections == .remembered ? connectionFile?.links(of: block) : nil
            state.withLock { state in
                state.blocks.append(block)
                for link in remembered ?? [] { state.history.record(link, isMade: false) }
            }
        }
    }

    private func unregisterBlock(named prefix: String, isMIDI: Bool) {
        let (client, block) = state.withLock { state -> (JackClient?, PortBlock?) in
            let index = state.blocks.firstIndex {
                $0.prefix == prefix && $0.isMIDI == isMIDI && !$0.isMain && $0.uid == nil
            }
            guard let index else { return (nil, nil) }
            let block = state.blocks.remove(at: index)
            for name in block.names { state.icons[name] = nil }
            state.history.forget(Set(block.names))
            return (state.client, block)
        }
        if let block { client?.unregister(block) }
    }

    /// Makes and removes connections. An inactive client makes them when it is activated.
    private func apply(_ change: LinkChange, _ block: PortBlock, _ links: [PortLink]) throws(DriverError) {
        let (client, isActive) = state.withLock { ($0.client, $0.isActive) }
        guard let client else { throw .serverLost }
        let current = client.readLinks(of: [block])
        let removed =
            switch change {
            case .replace: current.subtracting(links)
            case .add: Set<PortLink>()
            case .remove: current.intersection(links)
            }
        for link in removed { client.disconnect(link) }
        var made = current.subtracting(removed)
        if change != .remove, isActive {
            for (link, isMade) in client.connect(links.filter { !current.contains($0) }) where isMade {
                made.insert(link)
            }
        }
        state.withLock { [made] in $0.history.apply(change, links, of: block, made: made) }
        guard !monitor.snapshot.lost else { throw .serverLost }
        postRefresh(nil)
    }

    /// Ends the notes that MIDI inputs play if an input has lost its last connection: a keyboard
    /// that is unplugged sends no note-offs.
    func endNotes(of blocks: [PortBlock], before: Set<PortLink>, now: Set<PortLink>) {
        let inputs = Set(blocks.filter { $0.isMIDI && $0.direction == .input }.map(\.prefix))
        let wereConnected = Set(before.map(\.own)).intersection(inputs)
        if !wereConnected.isSubset(of: now.map(\.own)) { rcore_end_received_notes(core.handle) }
    }
}

extension ConnectionHistory {
    /// Records a change of the connections of a block: those in `made` exist, the others await
    /// their far ports.
    mutating func apply(
        _ change: ServerConnection.LinkChange, _ links: [PortLink], of block: PortBlock, made: Set<PortLink>
    ) {
        switch change {
        case .replace: forget(Set(block.names))
        case .add: break
        case .remove: return forget(links: Set(links))
        }
        for link in links { record(link, isMade: made.contains(link)) }
    }
}

extension PortBlock {
    /// The block as errors name it.
    var title: String { isMIDI ? "a MIDI port '\(prefix)'" : "\(count) ports '\(prefix)_…'" }
}
