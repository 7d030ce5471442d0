public import AudioRendering

/// Renders on a JACK server: jackd, PipeWire, or one that this driver starts and shares with others.
///
/// Every call returns within the configured time, whatever the server does; one that is not answered throws `timedOut`. When the
/// server dies, rendering ends, `serverLost` is told at once, and calls throw `serverLost` (keeps SRV-1). Then, as the recovery
/// says, the driver comes back under the same client, port and connection names (keeps SRV-2): it tells `serverReturned`
/// and renders on when the handler has returned. `open` after `serverGone` begins anew.
public final class JackDriver: RenderDriver {
    /// How it was set up.
    public let configuration: Configuration

    private struct Handlers {
        var event: @Sendable (DriverEvent) -> Void = { _ in }
        var fill: @Sendable () -> Void = {}
        var overrides: [DeviceOverride]
        var latencies: [OutputLatency] = []
        var connection: ServerConnection?
    }
    private let state: Locked<Handlers>
    /// Held while a connection is made or given up, which is bounded in time; no callback takes it.
    private let lifecycle = Locked(())

    /// Makes a driver; reaches for no server yet.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        state = Locked(Handlers(overrides: configuration.deviceOverrides))
    }

    deinit { connection?.close(seconds: configuration.callTimeout) }

    private var connection: ServerConnection? { state.withLock { $0.connection } }

    /// The connection, or why there is none to ask.
    private func requireConnection() throws(DriverError) -> ServerConnection {
        guard let connection else { throw .notOpen }
        return connection
    }

    @discardableResult
    public func open(core: RenderCore) throws(DriverError) -> HardwareFormat {
        try lifecycle.withLock { _ throws(DriverError) in
            if let connection, !connection.isGone { return try connection.requireFormat() }
            connection?.close(seconds: configuration.callTimeout)
            let (handler, fill, overrides) = state.withLock { ($0.event, $0.fill, $0.overrides) }
            let connection = try ServerConnection(
                configuration, overrides: overrides, core: core, handler: handler, filler: StreamFiller(fill))
            let format = try connection.open()
            state.withLock { state in
                state.connection = connection
                connection.tellOutputLatencies(state.latencies)
            }
            return format
        }
    }

    public func start() throws(DriverError) { try requireConnection().start() }

    public func stop() { connection?.stop() }

    public func close() {
        lifecycle.withLock { _ in
            connection?.close(seconds: configuration.callTimeout)
            state.withLock { $0.connection = nil }
        }
    }

    public var format: HardwareFormat? { connection?.format }

    public var isRendering: Bool { connection?.isRendering ?? false }

    public func requestPeriod(frames: Int) throws(DriverError) -> Int {
        try requireConnection().requestPeriod(frames: frames)
    }

    /// The devices whose ports the server has, the one that was there first in front; none of those whose ports are hidden; nil while closed or
    /// lost.
    public var devices: [HardwareDevice]? { connection?.devices }

    /// Connections that come back with the server, or with their far ends, as far as the driver has seen them: "OWN FAR".
    package var restorableLinks: Set<String> {
        Set(connection?.state.withLock { $0.patch.restorable.map { "\($0.own) \($0.far)" } } ?? [])
    }

    /// Whether it is known of all connections that vanished who took them apart.
    package var isPatchDecided: Bool { connection?.state.withLock { !$0.patch.isUndecided } ?? true }

    /// Makes channels lead to a device's port. Other ports than those the driver opened with get ports of their own, called after the device
    /// (`headphones_1`…), at the first free channels; at most 64 per direction in all: fewer than the device has where no more are free. They
    /// persist while the device is away.
    ///
    /// Whoever takes a connection apart, or makes another one, has the last word for as long as the ports are there.
    public func connect(_ port: String) throws(DriverError) -> Range<Int> { try requireConnection().connect(port) }

    /// Takes the ports back that `connect` made.
    public func disconnect(_ port: String) { connection?.disconnect(port) }

    /// What the user says of devices from now on, in place of the configuration's; `devicesChanged` tells what came of it. Connections that
    /// are there stay.
    public func setDeviceOverrides(_ overrides: [DeviceOverride]) {
        let connection = state.withLock { state in
            state.overrides = overrides
            return state.connection
        }
        connection?.setDeviceOverrides(overrides)
    }

    /// The managed server is asked by its control socket, PipeWire by its metadata; any other keeps the rate it was started with, and `refused` says
    /// what to do. 8,000…384,000 Hz. Waits until the new rate has been told.
    public func requestSampleRate(_ sampleRate: Int) throws(DriverError) -> Int {
        try requireConnection().requestSampleRate(sampleRate)
    }

    /// Other JACK clients see it in the latencies of this one's ports, and of theirs.
    public func tellOutputLatencies(_ latencies: [OutputLatency]) {
        // Under the lock: the last one told is the last one that a connection is told.
        state.withLock { state in
            state.latencies = latencies
            state.connection?.tellOutputLatencies(latencies)
        }
    }

    /// Counters. The load is that of the previous call; asking never waits for the server.
    public var statistics: DriverStatistics { connection?.statistics ?? DriverStatistics() }

    public func setEventHandler(_ handler: @escaping @Sendable (DriverEvent) -> Void) {
        state.withLock { $0.event = handler }
    }

    /// Ignored: a server's clock waits for nobody.
    public func setPrepareHandler(_ handler: @escaping @Sendable () -> Void) {}

    /// Called before each cycle while the server freewheels.
    public func setFillHandler(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.fill = handler }
    }
}
