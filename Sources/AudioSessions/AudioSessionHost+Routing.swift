internal import AudioRendering
internal import Dispatch
internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// Connects each session's output to the ports of its route, and its input from them (groups ROUTE,
/// MULTI). The policy selects the ports, the driver assigns channels of the render core to them,
/// and the engine routes buses to channels.
extension AudioSessionHost {
    /// Connects a session to its route. On return its sound goes to the new route, after a
    /// crossfade of 5 ms. Without a server nothing changes: the session returns with its previous
    /// ports (SRV-2).
    func applyRoute(of session: RegisteredSession) { hardware.sync { connectRoute(of: session) } }

    /// Reports the devices and connects every active session to its route. Call it when the engine
    /// has been reopened, because its channels may be connected elsewhere.
    func applyAllRoutes() {
        reportDevices()
        hardware.sync { connectRoutes() }
    }

    /// Reports the devices, makes a request that activates `session`, and connects it and every
    /// active session to its route, also if the request is refused. For the session whose
    /// activation has opened the engine: the arbiter receives the report and the request together,
    /// so this waits for it once. No sound reaches the wrong ports after the grant, because
    /// `startEngine` waits for this; if another session was faster, this one is connected before
    /// the grant.
    func applyAllRoutes(and session: RegisteredSession, requesting request: () throws -> Void) throws {
        reportDevices(waits: false)
        try hardware.sync {
            if (try? engine.get().driver.isRendering) == true {
                reportDevices()
                connectRoute(of: session)
            }
            let result = Result { try request() }
            connectRoutes(and: session)
            try result.get()
        }
    }

    /// Starts the engine.
    func startEngine() throws(DriverError) {
        guard case .success(let engine) = engine else { return }
        let result = hardware.sync { Result { () throws(DriverError) in try engine.start() } }
        idleSuspension?.update()  // the session may have become inactive meanwhile
        try result.get()
    }

    private func connectRoutes(and session: RegisteredSession? = nil) {
        for other in registeredSessions where other.usesOutput || other === session { connectRoute(of: other) }
    }

    /// Suspends and disconnects every session whose outputs the returned server does not have,
    /// before audio starts: its sources keep their positions (SRV-2). They continue when the
    /// session is connected to outputs again, or when no device is awaited any longer: outputs that
    /// are still missing then count as removed (ROUTE-4). Runs on the driver's thread.
    func suspendSessionsWithoutOutput() {
        guard case .success(let engine) = engine else { return }
        let sessions = registeredSessions.filter { hasLostOutput(of: $0) }
        let lost = sessions.compactMap { try? $0.connection.get() }
        // PLAY-4: system sounds run on silently, so that they are not heard later.
        let suspended = sessions.filter { !$0.playsSystemSounds }.compactMap { try? $0.connection.get() }
        // All are suspended before the first plan that crossfades, which later plans wait for.
        for connection in suspended where !connection.auxiliaryBuses.uids.isEmpty { connection.suspend() }
        let buses = lost.flatMap(\.routedBuses)
        try? engine.route(buses.map { BusRouting(bus: $0, outputs: [], inputs: 0..<0) })
    }

    /// Ends the suspension of every session: no device is awaited any longer.
    func resumeSessions() {
        for session in registeredSessions { (try? session.connection.get())?.resume() }
    }

    /// Connects every active session to its route, without blocking and without reporting devices.
    func applyAllRoutesAsync() {
        hardware.async { [weak self] in
            guard let self else { return }
            for session in registeredSessions where session.usesOutput { connectRoute(of: session) }
        }
    }

    /// Connects a session to its route without blocking: after a change of its category or mode, or
    /// after a route change, which the app was notified of first so that it can pause (ROUTE-4).
    func applyRouteAsync(of session: RegisteredSession) {
        hardware.async { [weak self, weak session] in
            if let session { self?.connectRoute(of: session) }
        }
    }

    /// Returns whether every output that the session was routed to is gone from the server, so that
    /// the session is inaudible.
    func hasLostOutput(of session: RegisteredSession) -> Bool {
        guard case .success(let engine) = engine, case .success(let connection) = session.connection,
            let devices = engine.driver.devices
        else { return false }
        let present = Set(devices.flatMap(\.ports).map(\.uid))
        let routed = connection.auxiliaryBuses.uids
        return !routed.contains(Self.driverPorts) && present.isDisjoint(with: routed)
    }

    /// Returns whether every output that the session was last routed to is gone, and is not awaited
    /// after a return of the server. Polls the server first if the engine is suspended. If another
    /// session has just ended the suspension, its poll has found the departure, but the session's
    /// route change has not been delivered yet.
    func hasOutputLeft(of session: RegisteredSession) -> Bool {
        guard case .success(let engine) = engine,
            (try? session.connection.get())?.auxiliaryBuses.uids.isEmpty == false,
            !serverReturns.withLock({ $0.isAwaited })
        else { return false }
        if engine.isSuspended, (try? engine.open()) == nil { return false }
        return hasLostOutput(of: session)
    }

    /// Stands, among the uids of the ports that a session is routed to, for the ports that the
    /// driver opened with. Virtual devices that exist only in the policy use these ports.
    private static let driverPorts = "own"

    /// Routes the session's main bus to every output of its route and to its input, and each
    /// auxiliary bus to its own outputs. First disconnects ports that no session uses. Does nothing
    /// without a server, and for a driver that reports no devices. [hardware queue]
    private func connectRoute(of session: RegisteredSession) {
        guard case .success(let engine) = engine, let format = engine.format, engine.driver.devices != nil,
            let route = session.status?.route, case .success(let connection) = session.connection
        else { return }
        disconnectUnused(engine)
        var destinations: [BusRouting] = []
        let inputs = route.inputs.compactMap { channels(of: $0, engine.driver, format.inputChannels) }.first ?? 0..<0
        var outputs: [String: OutputRoute] = [:]
        for port in route.outputs {
            guard let range = channels(of: port, engine.driver, format.outputChannels), !range.isEmpty else { continue }
            let maximum = engine.configuration.maximumChannels
            outputs[port.uid] = OutputRoute(firstChannel: range.lowerBound, channels: min(range.count, maximum))
        }
        func routes(toPortsWhere isIncluded: (String) -> Bool) -> [OutputRoute] {
            var list: [OutputRoute] = []
            for port in route.outputs where isIncluded(port.uid) {
                if let output = outputs[port.uid], !list.contains(output) { list.append(output) }
            }
            return list
        }
        let allOutputs = routes(toPortsWhere: { _ in true })
        destinations.append(BusRouting(bus: connection.bus, outputs: allOutputs, inputs: inputs))
        for auxiliary in connection.auxiliaryBuses.living {
            guard let uids = auxiliary.uids else { continue }
            destinations.append(BusRouting(bus: auxiliary.bus, outputs: routes(toPortsWhere: uids.contains)))
        }
        // The engine refuses if the command queue is full or no output is free; the next route
        // change tries again.
        guard (try? engine.route(destinations)) != nil else { return }
        let known = Set(engine.driver.devices?.flatMap(\.ports).map(\.uid) ?? [])
        let routed = Set(outputs.keys.map { known.contains($0) ? $0 : Self.driverPorts })
        connection.auxiliaryBuses.setRouted(to: routed, from: Set(route.inputs.map(\.uid)))
        if !routed.isEmpty || !serverReturns.withLock({ $0.isAwaited }) { connection.resume() }
    }

    /// Connects a port and returns the driver's channels for it. A virtual device that exists only
    /// in the policy uses the channels that the driver opened with. Returns nil if the port is
    /// already gone, so that its removal is about to be reported, or cannot be connected.
    private func channels(of port: DevicePort, _ driver: any RenderDriver, _ driverChannels: Int) -> Range<Int>? {
        let isReal = driver.devices?.contains { $0.ports.contains { $0.uid == port.uid } } ?? false
        guard isReal else { return wasSeen(port) ? nil : 0..<driverChannels }
        connected.withLock { _ = $0.insert(port.uid) }
        return try? driver.connect(port.uid)
    }

    /// Disconnects the ports that no session uses any longer, unless a crossfade is still in
    /// progress; then a later route change does it. Without this, each new device would take
    /// further ports of the JACK client.
    private func disconnectUnused(_ engine: AudioEngine) {
        guard engine.isSettled else { return }
        let needed = registeredSessions.reduce(into: Set<String>()) { needed, session in
            if case .success(let connection) = session.connection {
                needed.formUnion(connection.auxiliaryBuses.allUIDs)
            }
        }
        let idle = connected.withLock { connected in
            defer { connected.formIntersection(needed) }
            return connected.subtracting(needed)
        }
        for port in idle { engine.driver.disconnect(port) }
    }
}
