internal import AudioRendering
internal import CJackDriver
internal import Dispatch
internal import Platform

/// How devices are looked for.
enum DeviceLook: Int, Comparable {
    /// Ports may be coming and going at this moment: only departures, and other latencies, are sure.
    case unsettled
    /// All is as it will stay for now.
    case settled

    static func < (a: DeviceLook, b: DeviceLook) -> Bool { a.rawValue < b.rawValue }
}

/// Devices, and the blocks of ports that lead to them.
///
/// A connect goes: `connect` (any thread) posts `makeBlock` to control, which registers ports, has the cycle read the new table, and connects.
/// A port that goes comes back as: libjack's notification notes `devices` → watch posts a refresh → control lists the ports and compares →
/// watch tells `devicesChanged`.
extension ServerConnection {
    // MARK: Calls of the driver

    var devices: [HardwareDevice]? { state.withLock { $0.phase == .open ? $0.devices.map(\.device) : nil } }

    func connect(_ uid: String) throws(DriverError) -> Range<Int> {
        try call("a connection to '\(uid)'") { connection throws(DriverError) in try connection.makeBlock(for: uid) }
    }

    func disconnect(_ uid: String) {
        let done = Answer<Void>()
        control.post {
            self.removeBlock(for: uid)
            done.set(())
        }
        // A server that is lost has nothing to take back now; control does so when it returns.
        if state.withLock({ $0.phase == .open }) { _ = done.wait(seconds: configuration.callTimeout) }
    }

    func setDeviceOverrides(_ overrides: [DeviceOverride]) {
        state.withLock { $0.overrides = overrides }
        postRefresh(.settled)
    }

    // MARK: Blocks: on the control thread

    private func makeBlock(for uid: String) throws(DriverError) -> Range<Int> {
        guard let client = state.withLock({ $0.client }) else { throw .serverLost }
        let (all, devices, isActive) = state.withLock { ($0.blocks, $0.devices, $0.isActive) }
        let port = devices.lazy.flatMap(\.device.ports).first { $0.uid == uid }
        let blocks = all.filter { $0.uid != uid }
        if let block = all.first(where: { $0.uid == uid }) {
            guard let port, !block.isMain, let place = Self.freeChannels(for: port, besides: blocks),
                place.count > block.count
            else { return Self.channels(of: block, port) }
            removeBlock(for: uid)  // the device has got more channels
        }
        guard let port else {
            throw .refused(
                call: "a connection to '\(uid)'",
                reason: "no device has such a port; the driver's devices tell those there are")
        }
        guard let place = Self.freeChannels(for: port, besides: blocks) else {
            throw .refused(
                call: "ports for '\(uid)'",
                reason: "all \(RCORE_JACK_MAX_PORTS) are in use; disconnect another device first")
        }
        let block = PortBlock(
            direction: port.direction, first: place.lowerBound, count: place.count,
            prefix: PortBlock.prefix(for: port, besides: blocks), uid: uid)
        try client.register(block)
        state.withLock { $0.blocks.append(block) }
        if isActive { lead(client) }
        return place
    }

    private static func freeChannels(for port: HardwarePort, besides blocks: [PortBlock]) -> Range<Int>? {
        PortBlock.freeChannels(
            port.channels, besides: blocks.filter { $0.direction == port.direction }, limit: Int(RCORE_JACK_MAX_PORTS))
    }

    /// Of a main block, those that lead there: a mono device takes the first.
    private static func channels(of block: PortBlock, _ port: HardwarePort?) -> Range<Int> {
        block.channels.prefix(max(1, port?.channels ?? block.count))
    }

    private func removeBlock(for uid: String) {
        let (client, block) = state.withLock { state -> (JackClient?, PortBlock?) in
            guard let index = state.blocks.firstIndex(where: { $0.uid == uid && !$0.isMain }) else { return (nil, nil) }
            let block = state.blocks.remove(at: index)
            state.patch.forget(Set(block.names))
            return (state.client, block)
        }
        if let block { client?.unregister(block) }
    }

    /// Connects the blocks whose device has come, or has other ports than before; those that are there already are left as they are.
    func lead(_ client: JackClient) {
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
            for (link, isMade) in made { state.patch.note(link, isMade: isMade) }
            for (index, ports, _) in due where index < state.blocks.count { state.blocks[index].far = ports }
        }
    }

    /// What a block is connected to that has not been before. A device that comes back in parts has its old connections, not first ones.
    private func firstLinks(of block: PortBlock, to ports: [String]) -> [PortLink] {
        let kept =
            configuration.connections == .remembered && block.far.isEmpty ? connectionFile?.links(of: block) : nil
        if let kept { return kept }
        guard configuration.connections != .none else { return [] }
        let restored = state.withLock { $0.patch.restorable }
        let patched = block.far.isEmpty ? [] : Set(restored.filter { ports.contains($0.far) }.map(\.own))
        return block.links(to: ports).filter { !block.far.contains($0.far) && !patched.contains($0.own) }
    }

    /// The first output and the first input that there are belong to the main blocks.
    func bindMainBlocks(_ state: inout State) {
        for index in state.blocks.indices where state.blocks[index].isMain && state.blocks[index].uid == nil {
            let direction = state.blocks[index].direction
            let taken = Set(state.blocks.compactMap(\.uid))
            state.blocks[index].uid = state.devices.first(direction, besides: taken)?.uid
        }
    }

    // MARK: Looking: on the control thread

    /// The devices there are, those that were told before in front.
    func findDevices(_ client: JackClient) -> [FoundDevice] { findDevices(client, in: announcedPorts(of: client)) }

    private func announcedPorts(of client: JackClient) -> [PortFacts] {
        let ports = client.listPorts()
        let (isActive, announced) = state.withLock { state in
            // Ports are announced to clients that take part in the cycle, and jackd2 lists those of a client that is still making them.
            let announced = state.announced?.intersection(ports.map(\.name)) ?? Set(ports.map(\.name))
            state.announced = announced
            return (state.isActive, announced)
        }
        return isActive ? ports.filter { announced.contains($0.name) } : ports
    }

    private func findDevices(_ client: JackClient, in ports: [PortFacts]) -> [FoundDevice] {
        let (overrides, known) = state.withLock { ($0.overrides, $0.devices) }
        let found = FoundDevice.find(
            in: ports, cards: SoundCards(), overrides: overrides, server: JackClient.serverDescription, before: known)
        let uids = known.map(\.device.uid)
        let old = uids.compactMap { uid in found.first { $0.device.uid == uid } }
        return old + found.filter { !uids.contains($0.device.uid) }
    }

    /// Takes in the devices there are, if that is sure now. Has them told when they are others than before.
    func takeDevices(_ client: JackClient, _ look: DeviceLook) {
        let ports = announcedPorts(of: client)
        let present = findDevices(client, in: ports)
        state.withLock { state in
            guard state.phase == .open, !news.snapshot.lost else { return }
            let found =
                JackClient.isPipeWire
                ? present
                : state.driverSwitch.complete(present, from: Set(ports.map(\.name)), known: state.devices)
            guard found != state.devices else { return }
            let known = Set(state.devices.map(\.structure))
            guard look == .settled || found.allSatisfy({ known.contains($0.structure) }) else { return }
            let isTold = state.devices.map(\.device) != found.map(\.device)
            state.devices = found
            if isTold { state.untold.append(.devicesChanged(found.map(\.device))) }
        }
    }

    /// Which ports were registered since the last look; nil: not known, and so perhaps all.
    func takeRenewed(_ client: JackClient) -> Set<String>? {
        let renewed = client.takeRenewed()
        state.withLock { state in
            if let renewed { state.announced?.formUnion(renewed) } else { state.announced = nil }
        }
        return renewed
    }

    /// Has connections come back whose far ends did, and keeps what there is.
    func mend(_ client: JackClient, renewed: Set<String>?) {
        let (blocks, before) = state.withLock { ($0.blocks, $0.patch) }
        let current = client.readLinks(of: blocks)
        var patch = before
        let again = patch.look(
            at: current, exists: client.hasPort, isRenewed: { renewed?.contains($0) ?? true })
        for link in again { patch.note(link, isMade: client.connect(link)) }
        guard !news.snapshot.lost else { return }
        state.withLock { state in
            state.patch = patch
            let decision = DispatchTime.now() + PatchMemory.graceSeconds + 0.05
            state.patchLook = patch.isUndecided ? decision : nil
        }
        if patch.restorable != before.restorable { connectionFile?.write(patch.restorable, of: blocks) }
    }
}

extension [FoundDevice] {
    /// The first port of a direction whose uid is not among `taken`.
    func first(_ direction: HardwarePort.Direction, besides taken: Set<String> = []) -> HardwarePort? {
        lazy.flatMap(\.device.ports).first { $0.direction == direction && !taken.contains($0.uid) }
    }
}
