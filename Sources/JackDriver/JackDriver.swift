public import AudioRendering
internal import Platform

/// Renders on a JACK server: jackd, PipeWire, or a server that this driver starts and shares with
/// other apps.
///
/// Every call returns within a limited time, whatever the server does; a call that the server does
/// not answer throws `timedOut` (see `Configuration.callTimeout`). When the server dies, rendering
/// ends, the driver reports `serverLost` at once, and calls throw `serverLost` (keeps SRV-1).
/// Depending on `Recovery`, the driver then reconnects under the same client, port and connection
/// names (keeps SRV-2): it reports `serverReturned` and resumes rendering when the handler has
/// returned. After `serverGone`, `open` starts from the beginning.
///
/// From `open` until `start`, and after `suspend`, the JACK client is not active: the server does
/// not call it. Changes of devices and formats are then reported up to one second late, and `open`
/// finds the latest ones.
public final class JackDriver: RenderDriver {
    public typealias Configuration = JackDriverConfiguration
    public typealias ServerChoice = Configuration.ServerChoice
    public typealias Recovery = Configuration.Recovery
    public typealias ConnectionMode = Configuration.ConnectionMode

    /// The configuration that the driver was created with.
    public let configuration: Configuration

    struct WeakDriver { weak var driver: JackDriver? }

    struct State {
        var event: @Sendable (DriverEvent) -> Void = { _ in }
        var fill: @Sendable () -> Void = {}
        var overrides: [DeviceOverride]
        var latencies: [OutputLatency] = []
        var setup = ClientSetup()
        /// The drivers of other clients of the app, which share the device overrides.
        var companions: [WeakDriver] = []
        var connection: ServerConnection?
    }
    let state: Mutex<State>
    /// Held while a connection is opened or closed, which is bounded in time. No callback takes
    /// this lock.
    let lifecycle = Mutex(())

    /// Creates a driver. Does not connect to a server yet.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        state = Mutex(State(overrides: configuration.deviceOverrides))
    }

    deinit { connection?.close(seconds: configuration.callTimeout) }

    var connection: ServerConnection? { state.withLock { $0.connection } }

    /// Returns the connection; throws `notOpen` if there is none.
    func requireConnection() throws(DriverError) -> ServerConnection {
        guard let connection else { throw .notOpen }
        return connection
    }

    @discardableResult
    public func open(core: RenderCore) throws(DriverError) -> HardwareFormat {
        try lifecycle.withLock { _ throws(DriverError) in
            if let connection, !connection.isGone { return try connection.currentFormat() }
            connection?.close(seconds: configuration.callTimeout)
            let (handler, fill, overrides, setup) = state.withLock {
                ($0.event, $0.fill, $0.overrides, $0.setup)
            }
            let connection = try ServerConnection(
                configuration, overrides: overrides, core: core, handler: handler, filler: StreamFiller(fill))
            let format = try connection.open(setup)
            state.withLock { state in
                state.connection = connection
                connection.reportOutputLatencies(state.latencies)
            }
            return format
        }
    }

    public func start() throws(DriverError) { try requireConnection().start() }

    public func stop() { connection?.stop() }

    public func suspend() { connection?.suspend() }

    public func close() {
        lifecycle.withLock { _ in
            connection?.close(seconds: configuration.callTimeout)
            state.withLock { $0.connection = nil }
        }
    }

    public var format: HardwareFormat? { connection?.format }

    public var isRendering: Bool { connection?.isRendering ?? false }

    public var hasClock: Bool { true }

    public func requestPeriod(frames: Int) throws(DriverError) -> Int {
        try requireConnection().requestPeriod(frames: frames)
    }

    /// The devices whose ports the server has, oldest first; devices with hidden ports are left
    /// out. nil while the driver is closed or the server is lost.
    public var devices: [AudioDevice]? { connection?.devices }

    /// The latency in frames between a port and its device's terminals, by the port's uid; nil
    /// while no device has such a port.
    public func latencyFrames(ofPort uid: String) -> Int? { connection?.latencyFrames(ofPort: uid) }

    /// The known connections that the driver restores when the server or the far port returns, as
    /// "OWN FAR": the client's port and the port at the other end.
    package var restorableLinks: Set<String> {
        Set(connection?.state.withLock { $0.history.restorable.map { "\($0.own) \($0.far)" } } ?? [])
    }

    /// Whether the driver has decided, for every connection that vanished, if it was removed
    /// deliberately.
    package var areConnectionsDecided: Bool { connection?.state.withLock { !$0.history.isUndecided } ?? true }

    /// The number of the server's calls so far, with and without a core.
    package var cycleCount: UInt64 { connection?.cycleCount ?? 0 }

    /// Connects channels to the port of a device and returns them. The client ports that the driver
    /// opened with belong to the first output and the first input; any other port of a device gets
    /// client ports of its own, named after the device (`headphones_1`…), at the first free
    /// channels. At most 64 channels per direction exist in all; if fewer are free than the device
    /// has, the port gets those. The client ports persist while the device is away.
    ///
    /// While the ports exist, the driver does not undo what users or other programs connect or
    /// disconnect.
    public func connect(_ port: String) throws(DriverError) -> Range<Int> { try requireConnection().connect(port) }

    /// Unregisters the client ports that `connect` registered.
    public func disconnect(_ port: String) { connection?.disconnect(port) }

    /// Follows the server's transport, or is its leader. On an open client, the call throws if
    /// another client is the leader and is not to be replaced; with PipeWire, after a second. A
    /// client that is opened or activated later becomes the leader if no other client is then
    /// (`isTransportLeader`).
    public func useTransport(_ role: TransportRole, replacesLeader: Bool) throws(DriverError) {
        try lifecycle.withLock { _ throws(DriverError) in
            if let connection, !connection.isGone {
                try connection.useTransport(role, replacesLeader: replacesLeader)
            }
            state.withLock { $0.setup.transport = role }
        }
    }

    public var isTransportLeader: Bool { connection?.isTransportLeader ?? false }

    public func startTransport() throws(DriverError) { try requireConnection().startTransport() }

    public func stopTransport() throws(DriverError) { try requireConnection().stopTransport() }

    public func locateTransport(to frame: UInt32) throws(DriverError) {
        try requireConnection().locateTransport(to: frame)
    }

    /// Replaces the configuration's device overrides. The driver reports the result with
    /// `devicesChanged`; existing connections stay.
    public func setDeviceOverrides(_ overrides: [DeviceOverride]) {
        let (connection, companions) = state.withLock { state in
            state.overrides = overrides
            return (state.connection, state.companions.compactMap(\.driver))
        }
        connection?.setDeviceOverrides(overrides)
        for companion in companions { companion.setDeviceOverrides(overrides) }
    }

    /// Changes the server's sample rate, 8,000…384,000 Hz, and returns the rate that the server
    /// then has; PipeWire may keep another than the requested one. Sends the request to the managed
    /// server through its control socket, to PipeWire through its metadata; any other server keeps
    /// the rate that it was started with, and the call throws `refused` with advice. Waits until
    /// the new rate has been reported.
    public func requestSampleRate(_ sampleRate: Int) throws(DriverError) -> Int {
        try requireConnection().requestSampleRate(sampleRate)
    }

    /// Reports the engine's own latencies. Other JACK clients see them in the latencies of this
    /// client's ports and of their own.
    public func reportOutputLatencies(_ latencies: [OutputLatency]) {
        // Under the lock, so that a connection receives the latest report last.
        state.withLock { state in
            state.latencies = latencies
            state.connection?.reportOutputLatencies(latencies)
        }
    }

    /// Counters of the driver. Never waits for the server: `cpuLoad` is a value read after an
    /// earlier access. An access has it read again if that was more than 0.5 s ago.
    public var statistics: DriverStatistics { connection?.statistics ?? DriverStatistics() }

    public func setEventHandler(_ handler: @escaping @Sendable (DriverEvent) -> Void) {
        state.withLock { $0.event = handler }
    }

    /// Does nothing: a server's clock does not wait for sources.
    public func setPrepareHandler(_ handler: @escaping @Sendable () -> Void) {}

    /// Sets the handler that is called before each cycle while the server freewheels.
    public func setFillHandler(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.fill = handler }
    }
}
