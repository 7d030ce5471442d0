internal import AudioRendering
internal import CJackDriver
internal import Platform

/// The client's MIDI ports. They persist like the ports for devices: when the server or the far
/// port returns, the driver restores them and their connections (keeps SRV-2).
extension ServerConnection {
    // MARK: Calls from the driver

    /// While the server is lost, the port is registered when it has returned.
    func addMIDIPort(_ port: MIDIPort) throws(DriverError) {
        if state.withLock({ $0.phase == .lost }) {
            return control.post { try? self.registerMIDIPort(port) }
        }
        try call("a MIDI port '\(port.name)'") { connection throws(DriverError) in
            try connection.registerMIDIPort(port)
        }
    }

    /// Returns when the port no longer exists, unless the server does not answer in time.
    func removeMIDIPort(_ port: MIDIPort) {
        let done = Promise<Void>()
        control.post {
            self.unregisterMIDIPort(port)
            done.set(())
        }
        if state.withLock({ $0.phase == .open }) { _ = done.wait(seconds: configuration.callTimeout) }
    }

    // MARK: Control thread

    private func registerMIDIPort(_ port: MIDIPort) throws(DriverError) {
        guard let client = state.withLock({ $0.client }) else { throw .serverLost }
        try register([port], client)
        postRefresh(nil)
    }

    /// Registers ports with a client, and has the driver make their remembered connections.
    func register(_ ports: [MIDIPort], _ client: JackClient) throws(DriverError) {
        for port in ports {
            let block = PortBlock(port)
            // PipeWire does not refuse a second port of a name.
            guard !state.withLock({ $0.blocks.flatMap(\.names).contains(port.name) }) else {
                throw .refused(call: "a MIDI port '\(port.name)'", reason: "the client has a port of this name")
            }
            try client.register(block)
            let remembered = configuration.connections == .remembered ? connectionFile?.links(of: block) : nil
            state.withLock { state in
                state.blocks.append(block)
                for link in remembered ?? [] { state.history.record(link, isMade: false) }
            }
        }
    }

    private func unregisterMIDIPort(_ port: MIDIPort) {
        let (client, block) = state.withLock { state -> (JackClient?, PortBlock?) in
            let name = PortBlock(port).prefix
            guard let index = state.blocks.firstIndex(where: { $0.isMIDI && $0.prefix == name }) else {
                return (nil, nil)
            }
            let block = state.blocks.remove(at: index)
            state.history.forget(Set(block.names))
            return (state.client, block)
        }
        if let block { client?.unregister(block) }
    }

    /// Ends the notes that MIDI inputs play if an input has lost its last connection: a keyboard
    /// that is unplugged sends no note-offs.
    func endNotes(of blocks: [PortBlock], before: Set<PortLink>, now: Set<PortLink>) {
        let inputs = Set(blocks.filter { $0.isMIDI && $0.direction == .input }.map(\.prefix))
        let wereConnected = Set(before.map(\.own)).intersection(inputs)
        if !wereConnected.isSubset(of: now.map(\.own)) { rcore_end_received_notes(core.handle) }
    }
}
