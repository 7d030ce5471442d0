internal import AudioRendering
internal import CJackDriver
internal import Platform

/// The icons of the client's ports, and the nodes of other clients (PLAY-6).
extension ServerConnection {
    // MARK: Calls from the driver

    /// The nodes of other clients; nil before `watchNodes`, and while the server is lost.
    var nodes: [NodeDescription]? { state.withLock { $0.phase == .open ? $0.nodes : nil } }

    /// Publishes the icon of a port, now and when the server returns after a loss.
    func setIcon(_ icon: [UInt8], of port: String) {
        state.withLock { $0.icons[port] = icon.isEmpty ? nil : icon }
        control.post {
            guard let client = self.state.withLock({ $0.client }), !self.monitor.snapshot.lost else { return }
            client.setIcon(icon, of: port)
        }
    }

    /// Finds the nodes of other clients, and keeps the list up to date.
    func watchNodes() {
        state.withLock { $0.watchesNodes = true }
        try? call("the request for nodes") { connection throws(DriverError) in
            if let client = connection.state.withLock({ $0.client }) { connection.updateNodes(client, .settled) }
        }
    }

    // MARK: Control thread

    /// Publishes the icons of the client's ports.
    func publishIcons(_ client: JackClient) {
        for (port, icon) in state.withLock({ $0.icons }) { client.setIcon(icon, of: port) }
    }

    /// Reads the nodes of other clients, and queues `nodesChanged` if they differ from before. A
    /// node is new only once the list of ports has been stable: its ports appear one by one.
    func updateNodes(_ client: JackClient, _ scan: DeviceScan) {
        let (isWatching, known) = state.withLock { ($0.watchesNodes, $0.nodes ?? []) }
        guard isWatching else { return }
        let nodes = client.readNodes().compactMap { found -> NodeDescription? in
            let before = known.first { $0.hasPorts(of: found) }
            // An icon may be published later than the ports.
            guard scan == .settled, before?.icon.isEmpty ?? true else { return before }
            var node = found
            node.icon = client.icon(of: found)
            return node
        }
        state.withLock { state in
            guard state.phase == .open, !monitor.snapshot.lost, state.nodes != nodes else { return }
            state.nodes = nodes
            state.pendingEvents.append(.nodesChanged(nodes))
        }
    }
}

extension NodeDescription {
    /// Whether another description is of the same node, with the same ports.
    fileprivate func hasPorts(of other: NodeDescription) -> Bool {
        (client, name, kind) == (other.client, other.name, other.kind)
            && (inputs, outputs, midiInput) == (other.inputs, other.outputs, other.midiInput)
    }
}
