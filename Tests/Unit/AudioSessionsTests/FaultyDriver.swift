import AudioRendering
import Platform
import TestSupport

/// A driver that fails on demand, and reports events as a server would.
final class FaultyDriver: ProxyDriver<OfflineDriver>, @unchecked Sendable {
    let openFailure = Mutex<DriverError?>(nil)
    let startFailure = Mutex<DriverError?>(nil)
    /// The devices that the driver lists, without reporting a change.
    let seen = Mutex<[AudioDevice]?>(nil)
    private let clocked: Bool
    private let handler = Mutex<@Sendable (DriverEvent) -> Void>({ _ in })

    /// `hasClock`: whether the engine considers it as one that a server calls, so that a host
    /// suspends it.
    init(hasClock: Bool = false) {
        clocked = hasClock
        super.init(OfflineDriver(channels: 1))
    }

    override var hasClock: Bool { clocked }

    func notify(_ event: DriverEvent) { handler.withLock { $0 }(event) }

    override func open(core: RenderCore) throws(DriverError) -> HardwareFormat {
        if let failure = openFailure.withLock({ $0 }) { throw failure }
        return try super.open(core: core)
    }

    override func start() throws(DriverError) {
        if let failure = startFailure.withLock({ $0 }) { throw failure }
        try super.start()
    }

    override var devices: [AudioDevice]? { seen.withLock { $0 } }
    override func connect(_ port: String) throws(DriverError) -> Range<Int> { 0..<1 }
    override func disconnect(_ port: String) {}

    override func setEventHandler(_ handler: @escaping @Sendable (DriverEvent) -> Void) {
        self.handler.withLock { $0 = handler }
        super.setEventHandler(handler)
    }
}
