internal import AudioRendering
internal import Dispatch
internal import SessionArbiter
internal import SessionPolicy

/// Leading each session's sound to the ports of its route, and from them (groups ROUTE, MULTI). The policy says which ports, the driver which
/// channels of the core lead there, the engine leads buses to channels.
extension AudioSessionHost {
    /// Leads a session to its route; on return what it plays goes there, after the 5 ms in which old and new cross-fade. Without a server nothing
    /// is changed: it comes back with the ports it had (SRV-2).
    func patch(_ session: AudioSession) { hardware.sync { lead(session) } }

    /// Tells which devices there are, and leads every active session, and this one: the engine has been opened again, and its channels may lead elsewhere.
    func patchAll(and session: AudioSession? = nil) {
        noteDevices()
        hardware.sync {
            for other in livingSessions where other.isActive || other === session { lead(other) }
        }
    }

    /// The server is back, perhaps without what a session was led to: that session is led nowhere before anything sounds, and to its route once that is
    /// known (ROUTE-4). On the driver's thread.
    func silenceLost() {
        guard case .success(let engine) = engine else { return }
        for session in livingSessions {
            guard lostOutput(of: session), case .success(let connection) = session.connection else { continue }
            try? engine.lead(connection.buses.map { BusDestination(bus: $0, outputs: [], inputs: 0..<0) })
        }
    }

    /// Leads every active session, without waiting.
    func patchAllLater() {
        hardware.async { [weak self] in
            guard let self else { return }
            for session in livingSessions where session.isActive { lead(session) }
        }
    }

    /// The same, without waiting: for the thread that tells. Those who were told a change have paused by then, if they wanted (ROUTE-4).
    func patchLater(_ session: AudioSession) {
        hardware.async { [weak self, weak session] in
            if let session { self?.lead(session) }
        }
    }

    /// Whether what the session was led to is gone from the server, so that nobody hears what still goes there.
    func lostOutput(of session: AudioSession) -> Bool {
        guard case .success(let engine) = engine, case .success(let connection) = session.connection,
            let devices = engine.driver.devices
        else { return false }
        let present = Set(devices.flatMap(\.ports).map(\.uid))
        let led = connection.sides.uids
        return !led.contains(Self.ownPorts) && present.isDisjoint(with: led)
    }

    /// What a stand-in of the policy alone sounds through, among the ports that a session is led to.
    private static let ownPorts = "own"

    private func lead(_ session: AudioSession) {
        guard case .success(let engine) = engine, let format = engine.format, engine.driver.devices != nil,
            let route = session.status?.route, case .success(let connection) = session.connection
        else { return }
        giveBack(engine)
        var destinations: [BusDestination] = []
        let inputs = route.inputs.compactMap { channels(of: $0, engine.driver, format.inputChannels) }.first ?? 0..<0
        var outputs: [String: OutputRoute] = [:]
        for port in route.outputs {
            guard let range = channels(of: port, engine.driver, format.outputChannels), !range.isEmpty else { continue }
            let most = engine.configuration.maximumChannels
            outputs[port.uid] = OutputRoute(firstChannel: range.lowerBound, channels: min(range.count, most))
        }
        func leading(to isWanted: (String) -> Bool) -> [OutputRoute] {
            var list: [OutputRoute] = []
            for port in route.outputs where isWanted(port.uid) {
                if let output = outputs[port.uid], !list.contains(output) { list.append(output) }
            }
            return list
        }
        destinations.append(BusDestination(bus: connection.bus, outputs: leading { _ in true }, inputs: inputs))
        for side in connection.sides.living {
            destinations.append(BusDestination(bus: side.bus, outputs: leading(to: side.uids.contains)))
        }
        // Refused for want of room on the command ring, or of outputs: the next change of the route tries again.
        guard (try? engine.lead(destinations)) != nil else { return }
        let known = Set(engine.driver.devices?.flatMap(\.ports).map(\.uid) ?? [])
        let led = Set(outputs.keys.map { known.contains($0) ? $0 : Self.ownPorts })
        connection.sides.lead(to: led, from: Set(route.inputs.map(\.uid)))
    }

    /// The driver's channels of a port. A stand-in of the policy alone sounds through what the driver opened with. Nil where the port is gone
    /// already: its leaving is about to be told.
    private func channels(of port: DevicePort, _ driver: any RenderDriver, _ own: Int) -> Range<Int>? {
        let isReal = driver.devices?.contains { $0.ports.contains { $0.uid == port.uid } } ?? false
        guard isReal else { return wasSeen(port) ? nil : 0..<own }
        connected.withLock { _ = $0.insert(port.uid) }
        return try? driver.connect(port.uid)
    }

    /// Takes back what no session is led to any more: at the next change, when what was fading there is silent. One device after the other would use
    /// up the client's ports.
    private func giveBack(_ engine: AudioEngine) {
        guard engine.isSettled else { return }
        let needed = livingSessions.reduce(into: Set<String>()) { needed, session in
            if case .success(let connection) = session.connection { needed.formUnion(connection.sides.allUIDs) }
        }
        let idle = connected.withLock { connected in
            defer { connected.formIntersection(needed) }
            return connected.subtracting(needed)
        }
        for port in idle { engine.driver.disconnect(port) }
    }
}
