internal import AudioRendering
internal import CJackDriver
internal import Dispatch
internal import Platform

/// The work of the control thread.
extension ServerConnection {
    /// Opens a client at the server, finds devices and registers ports.
    func openClient(_ setup: ClientSetup) throws(DriverError) -> HardwareFormat {
        defer { state.withLock { $0.isLaunching = false } }
        let (server, client) = try ReachedServer.openClient(
            configuration.server, managed: configuration.managedServer, name: configuration.clientName,
            monitor: monitor,
            onLaunch: { state.withLock { $0.isLaunching = true } })
        // Reads no latencies yet, neither of devices nor of ports: libjack would sleep for a
        // period, until the server's graph contains the client.
        let devices = findDevices(client, hasLatencies: false)
        let outputs = configuration.outputs ?? min(devices.first(.output)?.channels ?? 2, 8)
        let inputs = configuration.inputs ?? min(devices.first(.input)?.channels ?? 0, 8)
        do throws(DriverError) {
            try client.registerPorts(outputs: outputs, inputs: inputs)
            client.setFiller(filler)
            client.followsTransport = state.withLock { $0.transport } != .own
        } catch {
            client.close()
            throw error
        }
        let identity = Identity(
            server: server, clientName: client.name, outputs: outputs, inputs: inputs,
            serverName: server.name(managed: configuration.managedServer))
        let format = client.readFormat(identity, hasLatencies: false)
        state.withLock { state in
            state.identity = identity
            state.client = client
            state.format = format
            state.deliveredFormat = format
            state.devices = devices
            state.blocks = Self.mainBlocks(identity)
            bindMainBlocks(&state)
        }
        // If one of them fails, the caller closes the connection, and with it the client.
        try register(setup.blocks, client)
        state.withLock { state in
            for block in setup.blocks {
                for link in block.links(to: setup.links[block.prefix] ?? []) {
                    state.history.record(link, isMade: false)
                }
            }
        }
        publishIcons(client)
        updateNodes(client, .settled)
        return format
    }

    private static func mainBlocks(_ identity: Identity) -> [PortBlock] {
        let blocks = [
            PortBlock(direction: .output, first: 0, count: identity.outputs, prefix: "out", isMain: true),
            PortBlock(direction: .input, first: 0, count: identity.inputs, prefix: "in", isMain: true),
        ]
        return blocks.filter { $0.count > 0 }
    }

    /// Activates the client, connects it to the devices and, after a suspension, to all that it was
    /// connected to; then starts rendering. Latencies and connections are read afterwards: jackd's
    /// graph is about to change, and libjack would sleep for a period in each of these calls.
    func activateClient() throws(DriverError) {
        let (client, isActive) = state.withLock { ($0.client, $0.isActive) }
        guard let client else { throw .serverLost }
        if !isActive {
            try client.activate()
            makeLinks(client)
            connectBlocks(client)
            client.releaseLatencies()
        }
        state.withLock { state in
            // The server announces ports from here on; it did not announce those registered while
            // the client was not active.
            if !state.isActive { state.announced = nil }
            state.isActive = true
            state.finalPollIsDue = state.isSuspended
            state.isSuspended = false
            _ = attachCore(&state)
        }
        postLeader()
        postRefresh(.settled)
    }

    /// Deactivates the client after a suspension, unless rendering was started again. The client
    /// stays active while it is not certain whether a connection that vanished was removed
    /// deliberately, because only then does the server announce what decides that; and while the
    /// server freewheels.
    private func deactivateIfSuspended(_ client: JackClient) {
        let isDue = state.withLock { state in
            guard state.phase == .open, state.isActive, !state.wantsActive, !state.history.isUndecided,
                !client.freewheels
            else { return false }
            // A start that follows waits for this thread, instead of attaching the core.
            state.isActive = false
            state.isSuspended = true
            return true
        }
        guard isDue else { return }
        // The server would keep the beats of a leader that is not active.
        if state.withLock({ $0.transport == .leader }) { client.resignLeader() }
        // If the server refuses, the client cannot be used again, and recovery opens another one.
        try? client.deactivate()
    }

    // MARK: Polls, while the client is not active

    /// Has the monitor record what has changed. The watch thread then handles it like the server's
    /// notifications.
    func poll() {
        let client = state.withLock { state in
            defer { (state.pollIsPosted, state.finalPollIsDue) = (false, false) }
            return state.polledClient
        }
        client?.poll()
    }

    /// Polls and scans for devices at once: an earlier poll may have found a change that the watch
    /// thread has not handled yet.
    func pollAndRefresh() {
        guard let client = state.withLock({ $0.inactiveClient }) else { return }
        client.poll()
        state.withLock { $0.scan = .settled }
        refresh()
    }

    /// Requests a period and returns the period that the server then has.
    func setPeriod(frames: Int) throws(DriverError) -> Int {
        guard let client = state.withLock({ $0.client }) else { throw .serverLost }
        let before = monitor.snapshot.period_frames
        try client.setPeriod(frames: frames)
        if state.withLock({ $0.inactiveClient != nil }) {
            client.poll()
        } else if JackClient.isPipeWire {
            awaitPeriod(frames: frames, before: Int(before))
        }
        refresh()
        return Int(monitor.snapshot.period_frames)
    }

    /// Waits up to 100 ms for PipeWire's new period. PipeWire accepts the request, takes the next
    /// lower power of two, and announces it some milliseconds later, or not at all if another
    /// client's request takes precedence.
    private func awaitPeriod(frames: Int, before: Int) {
        let expected = 1 << (Int.bitWidth - 1 - frames.leadingZeroBitCount)
        let limit = DispatchTime.now() + .milliseconds(100)
        var period = before
        while period == before, period != expected, formatChange.wait(timeout: limit) == .success {
            period = Int(monitor.snapshot.period_frames)
        }
    }

    /// Reads format, connections and devices from the server, makes the connections that are due,
    /// and has the watch thread report the changes.
    func refresh() {
        let (client, identity, isActive, scan) = state.withLock { state in
            state.refreshIsPosted = false
            return (state.client, state.identity, state.isActive, state.scan.take())
        }
        guard let client, let identity, !monitor.snapshot.lost else { return }
        client.passLatenciesOnPipeWire()
        var format = client.readFormat(identity, hasLatencies: isActive)
        state.withLock { state in
            // Without connections, the ports have no latencies; those of the route are unchanged.
            if !isActive, let last = state.format {
                (format.outputLatencyFrames, format.inputLatencyFrames) =
                    (last.outputLatencyFrames, last.inputLatencyFrames)
            }
            guard state.phase == .open, !monitor.snapshot.lost, state.format != format else { return }
            state.format = format
            state.pendingEvents.append(.formatChanged(format))
        }
        let registered = takeRegisteredPorts(client)
        if let scan {
            updateDevices(client, scan)
            updateNodes(client, scan)
            // The ports may have changed since the poll that has caused this scan: the next poll
            // compares them with those that were scanned.
            if !isActive { client.poll() }
        }
        if isActive {
            if scan != nil { connectBlocks(client) }
            awaitConnections(client)
            updateConnections(client, registered: registered)
            deactivateIfSuspended(client)
        }
        reportDevicesIfDue()
        rcore_jack_wake(monitor.handle)
    }

    /// Reports the engine's own latencies to the server.
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

    /// Closes the client, also after the server's death.
    func closeClient() {
        let client = state.withLock { state in
            detachCore(&state)
            return state.client.take()
        }
        client?.close()
    }

    // MARK: Recovery (keeps SRV-2)

    /// Tries to reconnect, until that succeeds or the watch thread or `close` ends the attempts.
    /// The pause between attempts doubles from 5 ms up to 200 ms, and after 30 s up to 2 s.
    func recover() {
        closeClient()
        let slowdownTime = DispatchTime.now() + 30
        var pause = 0.005
        while state.withLock({ $0.phase == .lost }) {
            if tryToReconnect() { return }
            guard recoveryEnds.wait(timeout: .now() + pause) == .timedOut else { return }
            pause = min(2 * pause, .now() < slowdownTime ? 0.2 : 2)
        }
    }

    /// Reopens the client and makes it current. Returns false if that failed, or if the connection
    /// was closed or the server was lost again meanwhile.
    private func tryToReconnect() -> Bool {
        guard let identity = state.withLock({ $0.identity }), let client = try? reopen(identity) else { return false }
        let format = client.readFormat(identity)
        let isTaken = state.withLock { state in
            // Under the lock: the watch thread handles a loss that happens after this, because it
            // finds the phase open.
            guard state.phase == .lost, !monitor.snapshot.lost else { return false }
            state.phase = .open
            state.client = client
            state.format = format
            state.pendingEvents.append(.serverReturned(format))
            state.pendingEvents.append(.devicesChanged(state.devices.map(\.device)))
            state.reportIsDue = false
            return true
        }
        if isTaken {
            postLeader()
            publishIcons(client)
            updateNodes(client, .settled)
        } else {
            client.close()
        }
        rcore_jack_wake(monitor.handle)
        return isTaken
    }

    /// Opens a client of the same name at the same server, with the same ports and connections.
    private func reopen(_ identity: Identity) throws(DriverError) -> JackClient {
        let client = try identity.server.openClient(
            managed: configuration.managedServer, name: identity.clientName, monitor: monitor)
        do throws(DriverError) {
            try client.registerPorts(outputs: identity.outputs, inputs: identity.inputs)
            client.setFiller(filler)
            client.followsTransport = state.withLock { $0.transport } != .own
            client.setOwnLatencies(state.withLock { $0.latencies })
            for block in state.withLock({ $0.blocks }) where !block.isMain { try client.register(block) }
            let isActive = state.withLock { state in
                state.isActive = state.isActive && state.wantsActive
                state.isSuspended = false
                return state.isActive
            }
            if isActive { try client.activate() }
            state.withLock { $0.announced = nil }
            let devices = findDevices(client)
            state.withLock { state in
                state.devices = devices
                state.driverSwitch = DriverSwitch(patience: configuration.switchPatience)
            }
            if isActive {
                restoreLinks(client)
                connectBlocks(client)
                client.releaseLatencies()
                awaitConnections(client)
            } else {
                prepareLinks(client)
            }
            return client
        } catch {
            client.close()
            throw error
        }
    }

    /// Makes all connections of the history; those that fail await their far port.
    @discardableResult
    private func makeLinks(_ client: JackClient) -> [(link: PortLink, isMade: Bool)] {
        let made = client.connect(Array(state.withLock { $0.history.restorable }))
        state.withLock { $0.record(made) }
        return made
    }

    /// Restores the connections.
    private func restoreLinks(_ client: JackClient) {
        state.withLock { $0.moveToNewServer() }
        let made = makeLinks(client)
        releaseMainBlocks(connected: made.filter(\.isMade).map(\.link))
    }

    /// Prepares the connections that the next activation makes.
    private func prepareLinks(_ client: JackClient) {
        let links = state.withLock { state in
            state.moveToNewServer()
            return state.history.restorable
        }
        releaseMainBlocks(connected: links.filter { client.hasPort($0.far) })
    }

    /// Releases the main blocks that have neither their device nor one of these connections, so
    /// that `connectBlocks` connects them to the first device: a server with another device has
    /// none of the old ports.
    private func releaseMainBlocks(connected links: [PortLink]) {
        let (blocks, devices) = state.withLock { ($0.blocks, $0.devices) }
        for (index, block) in blocks.enumerated() where block.isMain {
            let isPresent = devices.contains { $0.channels.keys.contains(block.uid ?? "") }
            guard !isPresent, !links.contains(where: { Set(block.names).contains($0.own) }) else { continue }
            state.withLock { state in
                state.blocks[index].uid = nil
                state.blocks[index].forgetFar()
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
