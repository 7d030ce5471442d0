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
        var connection: ServerConnection?
    }
    private let state = Locked(Handlers())
    /// Held while a connection is made or given up, which is bounded in time; no callback takes it.
    private let lifecycle = Locked(())

    /// Makes a driver; reaches for no server yet.
    public init(configuration: Configuration = Configuration()) { self.configuration = configuration }

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
            let (handler, fill) = state.withLock { ($0.event, $0.fill) }
            let connection = try ServerConnection(
                configuration, core: core, handler: handler, filler: StreamFiller(fill))
            let format = try connection.open()
            state.withLock { $0.connection = connection }
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
