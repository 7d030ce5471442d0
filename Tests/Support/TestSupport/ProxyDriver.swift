public import AudioRendering
public import AudioSessionTypes

/// A driver that forwards every call to another one. A fake derives from it and overrides what it
/// changes.
///
/// Unchecked `Sendable`: immutable; derived classes synchronize what they add.
open class ProxyDriver<Target: RenderDriver>: RenderDriver, @unchecked Sendable {
    public let inner: Target

    public init(_ inner: Target) { self.inner = inner }

    @discardableResult
    open func open(core: RenderCore) throws(DriverError) -> HardwareFormat { try inner.open(core: core) }
    open func start() throws(DriverError) { try inner.start() }
    open func stop() { inner.stop() }
    open func suspend() { inner.suspend() }
    open func close() { inner.close() }

    open var format: HardwareFormat? { inner.format }
    open var isRendering: Bool { inner.isRendering }
    open var hasClock: Bool { inner.hasClock }
    open func requestPeriod(frames: Int) throws(DriverError) -> Int { try inner.requestPeriod(frames: frames) }
    open func requestSampleRate(_ sampleRate: Int) throws(DriverError) -> Int {
        try inner.requestSampleRate(sampleRate)
    }
    open func reportOutputLatencies(_ latencies: [OutputLatency]) { inner.reportOutputLatencies(latencies) }
    open var statistics: DriverStatistics { inner.statistics }

    open var devices: [AudioDevice]? { inner.devices }
    open func latencyFrames(ofPort uid: String) -> Int? { inner.latencyFrames(ofPort: uid) }
    open func setDeviceOverrides(_ overrides: [DeviceOverride]) { inner.setDeviceOverrides(overrides) }
    open func connect(_ port: String) throws(DriverError) -> Range<Int> { try inner.connect(port) }
    open func disconnect(_ port: String) { inner.disconnect(port) }

    open func addMIDIPort(_ port: MIDIPort) throws(DriverError) { try inner.addMIDIPort(port) }
    open func removeMIDIPort(_ port: MIDIPort) { inner.removeMIDIPort(port) }

    open func useTransport(_ role: TransportRole, replacesLeader: Bool) throws(DriverError) {
        try inner.useTransport(role, replacesLeader: replacesLeader)
    }
    open var isTransportLeader: Bool { inner.isTransportLeader }
    open func startTransport() throws(DriverError) { try inner.startTransport() }
    open func stopTransport() throws(DriverError) { try inner.stopTransport() }
    open func locateTransport(to frame: UInt32) throws(DriverError) { try inner.locateTransport(to: frame) }

    open func setEventHandler(_ handler: @escaping @Sendable (DriverEvent) -> Void) { inner.setEventHandler(handler) }
    open func setPrepareHandler(_ handler: @escaping @Sendable () -> Void) { inner.setPrepareHandler(handler) }
    open func setFillHandler(_ handler: @escaping @Sendable () -> Void) { inner.setFillHandler(handler) }
}
