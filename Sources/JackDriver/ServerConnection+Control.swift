internal import AudioRendering
internal import CJackDriver
internal import Dispatch

/// What runs on the control thread.
extension ServerConnection {
    /// Reaches the server, looks for devices and registers ports.
    func openClient() throws(DriverError) -> HardwareFormat {
        defer { state.withLock { $0.isLaunching = false } }
        let (server, client) = try ReachedServer.reach(
            configuration.server, managed: configuration.managedServer, name: configuration.clientName, news: news,
            onLaunch: { state.withLock { $0.isLaunching = true } })
        let devices = findDevices(client)
        let outputs = configuration.outputs ?? min(devices.first(.output)?.channels ?? 2, 8)
        let inputs = configuration.inputs ?? min(devices.first(.input)?.channels ?? 0, 8)
        do throws(DriverError) {
            try client.registerPorts(outputs: outputs, inputs: inputs)
            client.fill(with: filler)
        } catch {
            client.close()
            throw error
        }
        let identity = Identity(
            server: server, clientName: client.name, outputs: outputs, inputs: inputs,
            serverName: server.name(managed: configuration.managedServer))
        // Nothing is connected yet, and libjack would sleep for a period until its graph has taken the new ports in.
        let format = client.readFormat(identity, hasLatencies: false)
        state.withLock { state in
            state.identity = identity
            state.client = client
            state.format = format
            state.toldFormat = format
            state.devices = devices
            state.blocks = Self.mainBlocks(identity)
            bindMainBlocks(&state)
        }
        return format
    }

    private static func mainBlocks(_ identity: Identity) -> [PortBlock] {
        let blocks = [
            PortBlock(direction: .output, first: 0, count: identity.outputs, prefix: "out", isMain: true),
            PortBlock(direction: .input, first: 0, count: identity.inputs, prefix: "in", isMain: true),
        ]
        return blocks.filter { $0.count > 0 }
    }

    /// Takes part in the cycle, connects to the devices, and renders.
    func activateClient() throws(DriverError) {
        let (client, isActive) = state.withLock { ($0.client, $0.isActive) }
        guard let client else { throw .serverLost }
        if !isActive {
            try client.activate()
            lead(client)
        }
        state.withLock { state in
            // From here on ports are announced; those that came since the driver was opened were not.
            if !state.isActive { state.announced = nil }
            state.isActive = true
            state.look = .settled
            _ = render(&state)
        }
        refresh()
    }

    /// Asks for a period and returns the one there is.
    func setPeriod(frames: Int) throws(DriverError) -> Int {
        guard let client = state.withLock({ $0.client }) else { throw .serverLost }
        let before = news.snapshot.period_frames
        try client.setPeriod(frames: frames)
        if JackClient.isPipeWire { awaitPeriod(frames: frames, before: Int(before)) }
        refresh()
        return Int(news.snapshot.period_frames)
    }

    /// PipeWire says yes, takes the power of two below, and tells it some milliseconds later; or does not, where another's wish stands.
    private func awaitPeriod(frames: Int, before: Int) {
        let expected = 1 << (Int.bitWidth - 1 - frames.leadingZeroBitCount)
        let limit = DispatchTime.now() + .milliseconds(100)
        var period = before
        while period == before, period != expected, formatNews.wait(timeout: limit) == .success {
            period = Int(news.snapshot.period_frames)
        }
    }

    /// Reads what the server says of format, links and devices, and has the watch thread tell what changed.
    func refresh() {
        let (client, identity, isActive, look) = state.withLock { state in
            state.refreshIsPosted = false
            return (state.client, state.identity, state.isActive, state.look.take())
        }
        guard let client, let identity, !news.snapshot.lost else { return }
        let format = client.readFormat(identity)
        state.withLock { state in
            guard state.phase == .open, !news.snapshot.lost, state.format != format else { return }
            state.format = format
            state.untold.append(.formatChanged(format))
        }
        let renewed = takeRenewed(client)
        if let look { takeDevices(client, look) }
        if isActive {
            if look != nil { lead(client) }
            mend(client, renewed: renewed)
        }
        rcore_jack_wake(news.handle)
    }

    /// Tells the server what the engine itself delays.
    func passLatencies() {
        let (client, latencies) = state.withLock { state in
            state.latenciesArePosted = false
            return (state.client, state.latencies)
        }
        guard let client else { return }
        client.setOwnLatencies(latencies)
        client.recomputeLatencies()
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
        let isLongAgo = DispatchTime.now() + 30
        var pause = 0.005
        while state.withLock({ $0.phase == .lost }) {
            if comeBack() { return }
            guard recoveryEnds.wait(timeout: .now() + pause) == .timedOut else { return }
            pause = min(2 * pause, .now() < isLongAgo ? 0.2 : 2)
        }
    }

    private func comeBack() -> Bool {
        guard let identity = state.withLock({ $0.identity }), let client = try? reopen(identity) else { return false }
        let format = client.readFormat(identity)
        let isTaken = state.withLock { state in
            // Under the lock: a loss from here on finds the phase open, and the watch thread takes it.
            guard state.phase == .lost, !news.snapshot.lost else { return false }
            state.phase = .open
            state.client = client
            state.format = format
            state.untold.append(.serverReturned(format))
            state.untold.append(.devicesChanged(state.devices.map(\.device)))
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
            client.setOwnLatencies(state.withLock { $0.latencies })
            for block in state.withLock({ $0.blocks }) where !block.isMain { try client.register(block) }
            let isActive = state.withLock { $0.isActive }
            if isActive { try client.activate() }
            state.withLock { $0.announced = nil }
            let devices = findDevices(client)
            state.withLock { state in
                state.devices = devices
                state.driverSwitch = DriverSwitch(patience: configuration.switchPatience)
            }
            if isActive {
                restoreLinks(client)
                lead(client)
            }
            return client
        } catch {
            client.close()
            throw error
        }
    }

    /// As they were. A server with another device has none of a main block's old ports: it is led to the first one then.
    private func restoreLinks(_ client: JackClient) {
        let (links, blocks, devices) = state.withLock { state in
            state.patch.moveToNewServer()
            return (Array(state.patch.restorable), state.blocks, state.devices)
        }
        let made = client.connect(links)
        state.withLock { state in
            for (link, isMade) in made { state.patch.note(link, isMade: isMade) }
        }
        for (index, block) in blocks.enumerated() where block.isMain {
            let own = made.filter { Set(block.names).contains($0.link.own) }
            let isThere = devices.contains { $0.channels.keys.contains(block.uid ?? "") }
            guard !isThere, !own.contains(where: \.isMade) else { continue }
            state.withLock { state in
                state.blocks[index].uid = nil
                state.blocks[index].far = []
            }
        }
    }
}

extension JackClient {
    fileprivate func readFormat(_ identity: ServerConnection.Identity, hasLatencies: Bool = true) -> HardwareFormat {
        readFormat(
            outputs: identity.outputs, inputs: identity.inputs, serverName: identity.serverName,
            hasLatencies: hasLatencies)
    }
}
