internal import AudioRendering
internal import CJackDriver
internal import Dispatch
internal import Platform

/// A scan for devices, by how certain the list of ports is.
enum DeviceScan: Int, Comparable {
    /// Ports may be appearing and disappearing at this moment: only departures and changed
    /// latencies are certain.
    case unsettled
    /// The list of ports has been stable for a while.
    case settled

    static func < (a: DeviceScan, b: DeviceScan) -> Bool { a.rawValue < b.rawValue }
}

/// Devices, and the blocks of ports that are connected to them.
///
/// To connect a device, `connect` (any thread) posts `makeBlock` to the control thread, which
/// registers ports, lets the cycle read the new table, and connects the ports. When ports appear or
/// disappear, libjack's notification records the change, the watch thread posts a refresh, the
/// control thread lists the ports and compares them, and the watch thread reports `devicesChanged`.
extension ServerConnection {
    // MARK: Calls from the driver

    var devices: [AudioDevice]? { state.withLock { $0.phase == .open ? $0.devices.map(\.device) : nil } }

    /// Waits for the control thread to read the latency if that has not happened yet; not again
    /// after such a wait has timed out.
    func latencyFrames(ofPort uid: String) -> Int? {
        let (latency, isRead) = state.withLock { ($0.latencyFrames(ofPort: uid), $0.hasRead(latencyOf: uid)) }
        guard !isRead else { return latency }
        do throws(DriverError) {
            try call("the latencies of devices") { connection in connection.readDeviceLatencies() }
        } catch {
            if case .timedOut = error { state.withLock { $0.latenciesAreOverdue = true } }
        }
        return state.withLock { $0.latencyFrames(ofPort: uid) }
    }

    /// Does not wait for the control thread if the port belongs to a main block, which is connected
    /// when the client is activated, and never replaced.
    func connect(_ uid: String) throws(DriverError) -> Range<Int> {
        let channels = try state.withLock { state throws(DriverError) in
            try Self.check(state)
            let block = state.blocks.first { $0.isMain && $0.uid == uid }
            return block.map { Self.channels(of: $0, state.devices.port(uid)) }
        }
        if let channels { return channels }
        return try call("a connection to '\(uid)'") { connection throws(DriverError) in
            try connection.makeBlock(for: uid)
        }
    }

    func disconnect(_ uid: String) {
        let done = Promise<Void>()
        control.post {
            self.removeBlock(for: uid)
            done.set(())
        }
        // A lost server has nothing to unregister now; the control thread does so when the server
        // returns.
        if state.withLock({ $0.phase == .open }) { _ = done.wait(seconds: configuration.callTimeout) }
    }

    func setDeviceOverrides(_ overrides: [DeviceOverride]) {
        state.withLock { $0.overrides = overrides }
        postRefresh(.settled)
    }

    // MARK: Blocks (control thread)

    /// Returns the channels of the block that is connected to a device's port; registers a block
    /// first if there is none. A block that has become too small for the device is replaced if more
    /// channels are free; a main block is never replaced.
    private func makeBlock(for uid: String) throws(DriverError) -> Range<Int> {
        guard let client = state.withLock({ $0.client }) else { throw .serverLost }
        let (all, devices, isActive) = state.withLock { ($0.blocks, $0.devices, $0.isActive) }
        let port = devices.port(uid)
        let blocks = all.filter { $0.uid != uid }
        if let block = all.first(where: { $0.uid == uid }) {
            guard let port, !block.isMain, let range = Self.freeChannels(for: port, avoiding: blocks),
                range.count > block.count
            else { return Self.channels(of: block, port) }
            removeBlock(for: uid)  // the device has more channels now
        }
        guard let port else {
            throw .refused(
                call: "a connection to '\(uid)'",
                reason: "no device has such a port; see the driver's devices")
        }
        guard let range = Self.freeChannels(for: port, avoiding: blocks) else {
            throw .refused(
                call: "ports for '\(uid)'",
                reason: "all \(RCORE_JACK_MAX_PORTS) are in use; disconnect another device first")
        }
        let block = PortBlock(
            direction: port.direction, first: range.lowerBound, count: range.count,
            prefix: PortBlock.prefix(for: port, avoiding: blocks), uid: uid)
        try client.register(block)
        state.withLock { $0.blocks.append(block) }
        if isActive { connectBlocks(client) }
        return range
    }

    private static func freeChannels(for port: DevicePort, avoiding blocks: [PortBlock]) -> Range<Int>? {
        PortBlock.freeChannels(
            port.channels, avoiding: blocks.filter { $0.direction == port.direction }, limit: Int(RCORE_JACK_MAX_PORTS))
    }

    /// Returns the channels of a block that are connected to `port`: a mono device takes the first
    /// channel of a main block.
    private static func channels(of block: PortBlock, _ port: DevicePort?) -> Range<Int> {
        block.channels.prefix(max(1, port?.channels ?? block.count))
    }

    /// Unregisters the ports of the block that is connected to a device's port. Does nothing for a
    /// main block.
    private func removeBlock(for uid: String) {
        let (client, block) = state.withLock { state -> (JackClient?, PortBlock?) in
            guard let index = state.blocks.firstIndex(where: { $0.uid == uid && !$0.isMain }) else { return (nil, nil) }
            let block = state.blocks.remove(at: index)
            state.history.forget(Set(block.names))
            return (state.client, block)
        }
        if let block { client?.unregister(block) }
    }

    /// Connects the blocks whose device has arrived or has other ports than before. Blocks that are
    /// already connected to their device's ports are left alone.
    func connectBlocks(_ client: JackClient) {
        let (blocks, devices) = state.withLock { state in
            bindMainBlocks(&state)
            return (state.blocks, state.devices)
        }
        let due = blocks.enumerated().compactMap { index, block -> (index: Int, ports: [String], links: [PortLink])? in
            guard let uid = block.uid, let ports = devices.lazy.compactMap({ $0.channels[uid] }).first,
                ports != block.far
            else { return nil }
            return (index, ports, firstLinks(of: block, to: ports))
        }
        let made = client.connect(due.flatMap(\.links))
        state.withLock { state in
            state.record(made)
            for (index, ports, _) in due where index < state.blocks.count { state.blocks[index].setFar(ports) }
        }
    }

    /// Returns the connections to make when a block's device first appears with `ports`: the stored
    /// ones in mode `remembered`, otherwise channel by channel. Omits the ports of a device that
    /// returns in parts: their previous connections are restored instead.
    private func firstLinks(of block: PortBlock, to ports: [String]) -> [PortLink] {
        let kept =
            configuration.connections == .remembered && block.far.isEmpty ? connectionFile?.links(of: block) : nil
        if let kept { return kept }
        guard configuration.connections != .none else { return [] }
        return block.firstLinks(to: ports, besides: state.withLock { $0.history.restorable })
    }

    /// Assigns the first free output and the first free input to the main blocks that have no
    /// device.
    func bindMainBlocks(_ state: inout State) {
        for index in state.blocks.indices where state.blocks[index].isMain && state.blocks[index].uid == nil {
            let direction = state.blocks[index].direction
            let taken = Set(state.blocks.compactMap(\.uid))
            state.blocks[index].uid = state.devices.first(direction, excluding: taken)?.uid
        }
    }

    // MARK: Finding devices (control thread)

    /// Returns the current devices, with those that were reported before first.
    func findDevices(_ client: JackClient, hasLatencies: Bool = true) -> [FoundDevice] {
        findDevices(client, in: announcedPorts(of: client, hasLatencies: hasLatencies))
    }

    /// Reads the latencies of the reported devices that have none yet.
    private func readDeviceLatencies() {
        guard let client = state.withLock({ $0.client }) else { return }
        let found = findDevices(client, in: client.listPorts())
        state.withLock { state in
            guard state.phase == .open, !monitor.snapshot.lost else { return }
            for index in state.devices.indices where state.devices[index].latencies.isEmpty {
                let uid = state.devices[index].device.uid
                state.devices[index].latencies = found.first { $0.device.uid == uid }?.latencies ?? [:]
            }
            if state.latenciesAreOverdue { state.reportDevices() }
        }
        rcore_jack_wake(monitor.handle)
    }

    /// Returns the listed ports that may belong to a device and, if the client is active, that the
    /// server has announced.
    private func announcedPorts(of client: JackClient, hasLatencies: Bool = true) -> [PortFacts] {
        let ports = client.listPorts(hasLatencies: hasLatencies)
        let (isActive, announced) = state.withLock { state in
            // The server announces ports to active clients only, and jackd2 also lists the ports of
            // a client that is still registering them.
            let announced = state.announced?.intersection(ports.map(\.name)) ?? Set(ports.map(\.name))
            state.announced = announced
            return (state.isActive, announced)
        }
        return isActive ? ports.filter { announced.contains($0.name) } : ports
    }

    /// Returns the devices that the ports belong to, with those that were reported before first.
    private func findDevices(_ client: JackClient, in ports: [PortFacts]) -> [FoundDevice] {
        let (overrides, known) = state.withLock { ($0.overrides, $0.devices) }
        let found = FoundDevice.find(
            in: ports, cards: SoundCards(), overrides: overrides, server: JackClient.serverDescription, before: known)
        let uids = known.map(\.device.uid)
        let old = uids.compactMap { uid in found.first { $0.device.uid == uid } }
        return old + found.filter { !uids.contains($0.device.uid) }
    }

    /// Updates the devices if the result is certain now, and queues `devicesChanged` if they differ
    /// from before; if one has arrived, requests it for when that is connected. Latencies that were
    /// read for the first time are no difference.
    func updateDevices(_ client: JackClient, _ scan: DeviceScan) {
        let ports = announcedPorts(of: client)
        let present = findDevices(client, in: ports)
        state.withLock { state in
            guard state.phase == .open, !monitor.snapshot.lost else { return }
            let found =
                JackClient.isPipeWire
                ? present
                : state.driverSwitch.complete(present, from: Set(ports.map(\.name)), known: state.devices)
            guard found != state.devices else { return }
            let known = Set(state.devices.map(\.structure))
            guard scan == .settled || found.allSatisfy({ known.contains($0.structure) }) else { return }
            let isNotified = !state.devices.elementsEqual(found) {
                $0.device == $1.device && ($0.latencies == $1.latencies || $0.latencies.isEmpty)
            }
            let isArrival = !Set(state.devices.map(\.device.uid)).isSuperset(of: found.map(\.device.uid))
            state.devices = found
            guard isNotified || state.latenciesAreOverdue else { return }
            if isArrival { state.reportIsDue = true } else { state.reportDevices() }
        }
    }

    /// Returns the ports that were registered or renamed since the last call; nil if unknown, and
    /// therefore possibly all of them. Counts them as announced.
    func takeRegisteredPorts(_ client: JackClient) -> Set<String>? {
        let registered = client.takeRegisteredPorts()
        state.withLock { state in
            if let registered { state.announced?.formUnion(registered) } else { state.announced = nil }
        }
        return registered
    }

    /// Queues `devicesChanged` if a report is due.
    func reportDevicesIfDue() {
        state.withLock { state in
            if state.reportIsDue, state.phase == .open { state.reportDevices() }
            state.reportIsDue = false
        }
    }

    /// Waits until the server's cycles use the new connections, so that what is rendered after the
    /// event that follows reaches its device (keeps SRV-2).
    func awaitConnections(_ client: JackClient) {
        let links = state.withLock { state in
            defer { state.newLinks = [] }
            return state.newLinks
        }
        client.awaitConnections(links)
    }

    /// Restores connections whose far ports returned, and stores the current connections.
    func updateConnections(_ client: JackClient, registered: Set<String>?) {
        let (blocks, before) = state.withLock { ($0.blocks, $0.history) }
        let current = client.readLinks(of: blocks)
        var history = before
        let toRestore = history.update(
            with: current, exists: client.hasPort, wasRegistered: { registered?.contains($0) ?? true })
        let restored = toRestore.map { (link: $0, isMade: client.connect($0)) }
        for (link, isMade) in restored { history.record(link, isMade: isMade) }
        client.awaitConnections(restored.filter(\.isMade).map(\.link))
        guard !monitor.snapshot.lost else { return }
        endNotes(of: blocks, before: before.made, now: current)
        state.withLock { state in
            state.history = history
            let decision = DispatchTime.now() + ConnectionHistory.graceSeconds + 0.05
            state.connectionCheck = history.isUndecided ? decision : nil
        }
        if history.restorable != before.restorable { connectionFile?.write(history.restorable, of: blocks) }
    }
}

extension ServerConnection.State {
    /// Records attempts to make connections.
    mutating func record(_ attempts: [(link: PortLink, isMade: Bool)]) {
        for (link, isMade) in attempts {
            history.record(link, isMade: isMade)
            if isMade { newLinks.append(link) }
        }
    }

    /// Prepares the connections for another server.
    mutating func moveToNewServer() {
        history.moveToNewServer()
        newLinks = []
    }

    fileprivate func latencyFrames(ofPort uid: String) -> Int? {
        phase == .open ? devices.lazy.compactMap { $0.latencies[uid] }.first : nil
    }

    /// Returns whether a query need not wait for the latency of the port.
    fileprivate func hasRead(latencyOf uid: String) -> Bool {
        phase != .open || latenciesAreOverdue
            || !devices.contains { $0.latencies.isEmpty && $0.channels.keys.contains(uid) }
    }

    /// Queues `devicesChanged`.
    fileprivate mutating func reportDevices() {
        latenciesAreOverdue = false
        pendingEvents.append(.devicesChanged(devices.map(\.device)))
    }
}

extension [FoundDevice] {
    /// Returns the port with that uid.
    fileprivate func port(_ uid: String) -> DevicePort? { lazy.flatMap(\.device.ports).first { $0.uid == uid } }

    /// Returns the first port of a direction whose uid is not in `taken`.
    func first(_ direction: DevicePort.Direction, excluding taken: Set<String> = []) -> DevicePort? {
        lazy.flatMap(\.device.ports).first { $0.direction == direction && !taken.contains($0.uid) }
    }
}
