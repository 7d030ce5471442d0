internal import AudioRendering
internal import CJackDriver
internal import Dispatch

/// What runs on the control thread.
extension ServerConnection {
    /// Reaches the server and registers ports.
    func openClient() throws(DriverError) -> HardwareFormat {
        let (server, client) = try ReachedServer.reach(
            configuration.server, managed: configuration.managedServer, name: configuration.clientName, news: news)
        let outputs = configuration.outputs ?? Self.usualOutputs(deviceOutputs: client.deviceOutputs)
        let inputs = configuration.inputs ?? min(client.deviceInputs, 8)
        do throws(DriverError) {
            try client.registerPorts(outputs: outputs, inputs: inputs)
            client.fill(with: filler)
        } catch {
            client.close()
            throw error
        }
        let identity = Identity(server: server, clientName: client.name, outputs: outputs, inputs: inputs)
        let format = client.readFormat(outputs: outputs, inputs: inputs)
        state.withLock { state in
            state.identity = identity
            state.client = client
            state.format = format
        }
        return format
    }

    private static func usualOutputs(deviceOutputs: Int) -> Int { deviceOutputs == 0 ? 2 : min(deviceOutputs, 8) }

    /// Takes part in the cycle, connects to the device, and renders.
    func activateClient() throws(DriverError) {
        let (client, isActive) = state.withLock { ($0.client, $0.isActive) }
        guard let client else { throw .serverLost }
        if !isActive {
            try client.activate()
            client.connectToDevice()
            client.connectInputs()
        }
        state.withLock { state in
            state.isActive = true
            _ = render(&state)
        }
        refresh()
    }

    /// Asks for a period and returns the one there is.
    func setPeriod(frames: Int) throws(DriverError) -> Int {
        guard let client = state.withLock({ $0.client }) else { throw .serverLost }
        try client.setPeriod(frames: frames)
        refresh()
        return Int(news.snapshot.period_frames)
    }

    /// Reads what the server says of format and links, and has the watch thread tell what changed.
    func refresh() {
        let (client, identity, links) = state.withLock { state in
            state.refreshIsPosted = false
            return (state.client, state.identity, state.links)
        }
        guard let client, let identity, !news.snapshot.lost else { return }
        let format = client.readFormat(outputs: identity.outputs, inputs: identity.inputs)
        // A link whose far end is gone comes back with it; one that was taken apart does not. Far ends that come and go under
        // ever new names are forgotten.
        let orphans = links.filter { !client.hasDestination(of: $0) }
        let current = client.readLinks(outputs: identity.outputs).union(orphans.count <= 64 ? orphans : [])
        state.withLock { state in
            guard state.phase == .open, !news.snapshot.lost else { return }
            state.links = current
            guard state.format != format else { return }
            state.format = format
            state.untold.append(.formatChanged(format))
        }
        rcore_jack_wake(news.handle)
    }

    func readLoad() {
        let client = state.withLock { state in
            state.loadIsPosted = false
            return state.client
        }
        guard let load = client?.cpuLoad else { return }
        state.withLock { $0.load = load }
    }

    /// Gives the client up, also after the server's death.
    func closeClient() {
        let client = state.withLock { state in
            silence(&state)
            return state.client.take()
        }
        client?.close()
    }

    // MARK: Recovery (keeps SRV-2)

    /// Tries to come back, more and more seldom, until it works or the watch thread or `close` ends it.
    func recover() {
        closeClient()
        var pause = 0.005
        while state.withLock({ $0.phase == .lost }) {
            if comeBack() { return }
            guard recoveryEnds.wait(timeout: .now() + pause) == .timedOut else { return }
            pause = min(2 * pause, 0.2)
        }
    }

    private func comeBack() -> Bool {
        guard let identity = state.withLock({ $0.identity }), let client = try? reopen(identity) else { return false }
        let format = client.readFormat(outputs: identity.outputs, inputs: identity.inputs)
        let isTaken = state.withLock { state in
            // Under the lock: a loss from here on finds the phase open, and the watch thread takes it.
            guard state.phase == .lost, !news.snapshot.lost else { return false }
            state.phase = .open
            state.client = client
            state.format = format
            state.untold.append(.serverReturned(format))
            return true
        }
        if !isTaken { client.close() }
        rcore_jack_wake(news.handle)
        return isTaken
    }

    /// The same client at the same server, with the same ports and links.
    private func reopen(_ identity: Identity) throws(DriverError) -> JackClient {
        let client = try identity.server.reach(
            managed: configuration.managedServer, name: identity.clientName, news: news)
        do throws(DriverError) {
            try client.registerPorts(outputs: identity.outputs, inputs: identity.inputs)
            client.fill(with: filler)
            let (isActive, links) = state.withLock { ($0.isActive, $0.links) }
            if isActive {
                try client.activate()
                client.connectInputs()
                let made = links.filter { client.connect($0) }
                // A server with another device: its ports have other names.
                if made.isEmpty, !links.isEmpty { client.connectToDevice() }
            }
            return client
        } catch {
            client.close()
            throw error
        }
    }
}
