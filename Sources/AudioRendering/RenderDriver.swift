public import AudioSessionTypes
// Importing AudioRendering is enough to use these.
@_exported public import struct AudioSessionTypes.AudioDevice
@_exported public import struct AudioSessionTypes.DeviceOverride
@_exported public import struct AudioSessionTypes.DevicePort
@_exported public import enum AudioSessionTypes.PortType

/// A driver that calls the render core once per period: a JACK client, or the offline driver.
///
/// A driver is opened (a client with ports exists), started (cycles run and ports are connected),
/// stopped or suspended, and closed. Every call is idempotent, safe from any thread and bounded in
/// time: a call that gets no answer throws `DriverError.timedOut`.
public protocol RenderDriver: AnyObject, Sendable {
    /// Connects to the server and registers ports for `core`. Returns the server's format.
    @discardableResult
    func open(core: RenderCore) throws(DriverError) -> HardwareFormat
    /// Starts rendering and connects the ports to the device. Throws `notOpen` before `open`.
    func start() throws(DriverError)
    /// Stops rendering; keeps the client and its ports.
    func stop()
    /// Stops rendering, and has the server no longer call the process, until `start`. Keeps the
    /// client, its ports and, from `start` on, its connections; still reports devices, formats and
    /// the loss of the server.
    func suspend()
    /// Closes the client. After it returns, no thread is in the core.
    func close()

    /// The server's current format; nil while the driver is closed or the server is lost.
    var format: HardwareFormat? { get }
    /// Whether a thread may be in the core. While this is false, the engine applies commands
    /// itself.
    var isRendering: Bool { get }
    /// Whether cycles run on their own, by a clock. Without one, the app runs them, and the driver
    /// calls the prepare handler (`setPrepareHandler`) between them.
    var hasClock: Bool { get }
    /// Requests a period (buffer size), in frames, and returns the period that the server then has,
    /// or will have once the client is activated (keeps HW-1).
    func requestPeriod(frames: Int) throws(DriverError) -> Int
    /// Requests a sample rate, in Hz, and returns the rate that the server then has (keeps HW-1).
    /// Throws `refused` if clients cannot change it; the engine then resamples sources (HW-3).
    func requestSampleRate(_ sampleRate: Int) throws(DriverError) -> Int
    /// Reports to the server the latencies that the engine itself adds, so that other clients can
    /// compensate for them. Channels that are not listed have none. Never blocks on the server. The
    /// driver keeps the values for its life, so they may be reported before `open`.
    func reportOutputLatencies(_ latencies: [OutputLatency])
    /// The driver's counters and loads.
    var statistics: DriverStatistics { get }

    /// The server's devices, the earliest first. Nil if the driver knows no devices: then only the
    /// channels of `format` exist. Reads a cached list and never queries the server;
    /// `devicesChanged` reports every change.
    var devices: [AudioDevice]? { get }
    /// Returns the latency in frames between the port with this uid and its device's terminals, as
    /// the server reports it; nil if no device has such a port. Reads a cached value;
    /// until the value was read after `open`, the call waits for that, usually for one or two
    /// periods.
    func latencyFrames(ofPort uid: String) -> Int?
    /// Replaces the user's descriptions of devices. The driver reports the result with
    /// `devicesChanged`; existing connections stay.
    func setDeviceOverrides(_ overrides: [DeviceOverride])
    /// Assigns channels of the core to the port with this uid and connects them. Returns the range
    /// of these channels: of an output port, among those that `rcore_process` writes; of an input
    /// port, among those that it reads. Idempotent. The channels are connected on return, so a
    /// caller that must not be heard there has to be silent before the call. Throws `refused` if
    /// the port does not exist or the driver has no free channels.
    ///
    /// The first output and the first input that a driver opens with use the first channels, from 0
    /// on, and stay connected for the driver's life. Other ports get channels when they are first
    /// connected and keep them until they are disconnected. If such a port disappears and returns
    /// in the meantime, the driver connects it again.
    func connect(_ port: String) throws(DriverError) -> Range<Int>
    /// Releases the channels of a port; call it once nothing is routed there. The ports that the
    /// driver opened with keep their channels. Idempotent.
    func disconnect(_ port: String)

    /// Adds a MIDI port, whose messages the driver passes to the core (`rcore_midi_receive`) or
    /// takes from it (`rcore_midi_event_at`) in each cycle. The driver keeps it until it is
    /// removed, also over `close` and `open`. Throws `refused` if the driver has no MIDI or the
    /// name is taken; then there is no such port.
    func addMIDIPort(_ port: MIDIPort) throws(DriverError)
    /// Removes a MIDI port. Idempotent.
    func removeMIDIPort(_ port: MIDIPort)

    /// Adds audio ports for other programs, and returns their channels: of outputs, among those
    /// that `rcore_process` writes; of inputs, among those that it reads. The driver keeps the
    /// ports, at these channels, until they are removed, also over `close` and `open`. Throws
    /// `refused` if the driver has no such ports, a name is taken, or fewer channels are free; then
    /// there are none.
    func addPorts(_ group: PortGroup) throws(DriverError) -> Range<Int>
    /// Removes ports that were added. Idempotent.
    func removePorts(_ group: PortGroup)
    /// Connects the ports of a group, or a MIDI port, to those of other clients, and removes their
    /// other connections: `ports` has the full names for each port. Connections to ports that do
    /// not exist are made when they appear. The driver restores connections as those of its other
    /// ports.
    func connectPorts(named name: String, to ports: [[String]]) throws(DriverError)
    /// Makes further connections of such ports, or removes some, and leaves the others alone.
    func addConnections(ofPortsNamed name: String, to ports: [[String]]) throws(DriverError)
    func removeConnections(ofPortsNamed name: String, from ports: [[String]]) throws(DriverError)
    /// The ports of other clients to which each port of a group, or a MIDI port, is connected.
    /// Reads a cached list; empty while the driver is closed or the server is lost.
    func connections(ofPortsNamed name: String) -> [[String]]

    /// Publishes an icon, a PNG file, for a port that was added; empty: none. The driver keeps it
    /// with the port. Does not wait for the server.
    func setIcon(_ icon: [UInt8], ofPort name: String)
    /// The nodes of other clients of the server (`NodeDescription.portPrefix`). Nil while the
    /// driver is closed or the server is lost, or before `watchNodes`. Reads a cached list;
    /// `nodesChanged` reports every change.
    var nodes: [NodeDescription]? { get }
    /// Has the driver find the nodes of other clients, from now on.
    func watchNodes()
    /// Creates a driver for another client at the same server, whose name is that of this one with
    /// `suffix`, and which records no device; with `connects`, it plays to devices as this one
    /// does. Nil if the driver cannot have one. A client is called once in each cycle: sound that
    /// is sent to another program and returns in the same cycle needs two.
    func makeCompanion(named suffix: String, connects: Bool) -> (any RenderDriver)?

    /// Selects what the driver does with the server's transport: `own` (nothing), `follower` or
    /// `leader`. A follower or leader reports the
    /// transport to the core in each cycle (`rcore_follow_transport`), and has the server wait for
    /// the core before its transport rolls (`rcore_is_prepared`); a leader also gives the server
    /// the beats (`rcore_lead_transport`). The driver keeps the role over `close` and `open`.
    /// Throws `refused` if the driver has no transport, or if another client is its leader and is
    /// not to be replaced; then nothing changes.
    func useTransport(_ role: TransportRole, replacesLeader: Bool) throws(DriverError)
    /// Whether the server takes the beats of its transport from this driver.
    var isTransportLeader: Bool { get }
    /// Starts the server's transport.
    func startTransport() throws(DriverError)
    /// Stops the server's transport.
    func stopTransport() throws(DriverError)
    /// Moves the server's transport to a frame.
    func locateTransport(to frame: UInt32) throws(DriverError)

    /// Sets the handler for events. The engine sets it before `open`. The driver calls the handler
    /// on a thread of its own, one event at a time, never on the render thread. The handler must
    /// not call the driver on that thread.
    func setEventHandler(_ handler: @escaping @Sendable (DriverEvent) -> Void)
    /// Sets the handler for the engine's background work, which includes filling streams, before
    /// each cycle and after the last one. Only a driver without a clock calls it, so that rendering
    /// never outruns the disk and results do not depend on other threads; a real-time driver
    /// ignores it.
    func setPrepareHandler(_ handler: @escaping @Sendable () -> Void)
    /// Sets the handler that fills streams, calls schedulers and writes the capture before each
    /// cycle that has no deadline: the cycles of a real-time server while it freewheels.
    func setFillHandler(_ handler: @escaping @Sendable () -> Void)
}

extension RenderDriver {
    /// Stops: the default for drivers that are not called when nothing is rendered.
    public func suspend() { stop() }

    /// Does nothing: the default for drivers that never freewheel.
    public func setFillHandler(_ handler: @escaping @Sendable () -> Void) {}

    /// Returns the current rate if it is the requested one, and throws `refused` otherwise: the
    /// default for drivers whose rate cannot be changed.
    public func requestSampleRate(_ sampleRate: Int) throws(DriverError) -> Int {
        guard let format else { throw .notOpen }
        guard format.sampleRate != sampleRate else { return sampleRate }
        throw .refused(
            call: "a rate of \(sampleRate) Hz",
            reason: "clients cannot change its rate of \(format.sampleRate) Hz")
    }

    /// Does nothing: the default for drivers whose server does not query latencies.
    public func reportOutputLatencies(_ latencies: [OutputLatency]) {}

    /// Nil: the default for drivers without devices.
    public var devices: [AudioDevice]? { nil }

    /// Nil: the default for drivers without devices.
    public func latencyFrames(ofPort uid: String) -> Int? { nil }

    /// Does nothing: the default for drivers that do not detect devices.
    public func setDeviceOverrides(_ overrides: [DeviceOverride]) {}

    /// Throws `refused`: the default for drivers without devices.
    public func connect(_ port: String) throws(DriverError) -> Range<Int> {
        throw .refused(call: "a connection to '\(port)'", reason: "this driver has no devices")
    }

    /// Does nothing: the default for drivers without devices.
    public func disconnect(_ port: String) {}

    /// Throws `refused`: the default for drivers without MIDI.
    public func addMIDIPort(_ port: MIDIPort) throws(DriverError) {
        throw .refused(call: "a MIDI port '\(port.name)'", reason: "this driver has no MIDI")
    }

    /// Does nothing: the default for drivers without MIDI.
    public func removeMIDIPort(_ port: MIDIPort) {}

    /// Throws `refused`: the default for drivers without other programs.
    public func addPorts(_ group: PortGroup) throws(DriverError) -> Range<Int> {
        throw .refused(call: "ports '\(group.name)'", reason: "no other program can connect to this driver")
    }

    /// Does nothing: the default for drivers without other programs.
    public func removePorts(_ group: PortGroup) {}

    /// Throws `refused`: the default for drivers without other programs.
    public func connectPorts(named name: String, to ports: [[String]]) throws(DriverError) {
        throw .refused(call: "a connection of '\(name)'", reason: "no other program can connect to this driver")
    }

    /// Throws `refused`: the default for drivers without other programs.
    public func addConnections(ofPortsNamed name: String, to ports: [[String]]) throws(DriverError) {
        try connectPorts(named: name, to: ports)
    }

    /// Does nothing: the default for drivers without other programs.
    public func removeConnections(ofPortsNamed name: String, from ports: [[String]]) throws(DriverError) {}

    /// Empty: the default for drivers without other programs.
    public func connections(ofPortsNamed name: String) -> [[String]] { [] }

    /// Does nothing: the default for drivers without other programs.
    public func setIcon(_ icon: [UInt8], ofPort name: String) {}

    /// Nil: the default for drivers without other programs.
    public var nodes: [NodeDescription]? { nil }

    /// Does nothing: the default for drivers without other programs.
    public func watchNodes() {}

    /// Nil: the default for drivers without other programs.
    public func makeCompanion(named suffix: String, connects: Bool) -> (any RenderDriver)? { nil }

    /// Throws `refused`, except for the engine's own transport: the default for drivers without a
    /// transport.
    public func useTransport(_ role: TransportRole, replacesLeader: Bool) throws(DriverError) {
        if role != .own { throw Self.hasNoTransport }
    }

    /// False: the default for drivers without a transport.
    public var isTransportLeader: Bool { false }

    /// Throws `refused`: the default for drivers without a transport.
    public func startTransport() throws(DriverError) { throw Self.hasNoTransport }

    /// Throws `refused`: the default for drivers without a transport.
    public func stopTransport() throws(DriverError) { throw Self.hasNoTransport }

    /// Throws `refused`: the default for drivers without a transport.
    public func locateTransport(to frame: UInt32) throws(DriverError) { throw Self.hasNoTransport }

    private static var hasNoTransport: DriverError {
        .refused(call: "a transport", reason: "this driver has none")
    }
}

/// Counters and loads of a driver.
public struct DriverStatistics: Equatable, Sendable {
    /// The number of cycles since `open` that the server could not finish in time.
    public var xruns: Int
    /// The server's load, including all its clients, 0…1.
    public var cpuLoad: Double
    /// The longest cycle of this client alone in the last one to two seconds, as a fraction of the
    /// period. From 1 on, the cycle missed its deadline. 0 for drivers without a clock.
    public var cycleLoad: Double

    public init(xruns: Int = 0, cpuLoad: Double = 0, cycleLoad: Double = 0) {
        self.xruns = xruns
        self.cpuLoad = cpuLoad
        self.cycleLoad = cycleLoad
    }
}

/// An event that a driver reports to the engine.
public enum DriverEvent: Equatable, Sendable {
    /// The sample rate, period, latency or channel count changed to these values. Also reported
    /// before the first cycle of a new period.
    case formatChanged(HardwareFormat)
    /// The server's devices changed to these: a device was added, removed or changed, or the
    /// latency of one of its ports changed.
    case devicesChanged([AudioDevice])
    /// The nodes of other clients changed to these.
    case nodesChanged([NodeDescription])
    /// The server could not finish a cycle in time; `count` is the number since `open`.
    case xrun(count: Int)
    /// The server was lost; calls throw `serverLost` until it returns (SRV-1).
    case serverLost
    /// The server returned, and its ports and connections are restored (SRV-2).
    case serverReturned(HardwareFormat)
    /// The server did not return within the driver's time limit.
    case serverGone
}

/// An error of a driver.
public enum DriverError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No server with this name is running; nil is the default server. `advice` says how to start
    /// one: a clause without a full stop.
    case noServer(name: String?, advice: String)
    /// The server could not be started.
    case cannotStartServer(reason: String)
    /// The server did not answer in time.
    case timedOut(call: String, seconds: Double)
    /// The server refused the request.
    case refused(call: String, reason: String)
    /// The server was lost and has not returned.
    case serverLost
    /// The driver is not open.
    case notOpen
    /// Fewer file descriptors are free than the driver needs; it opened nothing.
    case tooFewDescriptors(free: Int, limit: Int, needed: Int)
    /// The system cannot create a thread that the engine or the driver needs.
    case cannotCreateThread

    public var description: String {
        switch self {
        case .noServer(let name, let advice):
            "No audio server\(name.map { " named '\($0)'" } ?? "") is running; \(advice)."
        case .cannotStartServer(let reason):
            "The managed audio server could not be started: \(reason)."
        case .timedOut(let call, let seconds):
            "The audio server did not answer \(call) within \(seconds) s and may have hung; restart it."
        case .refused(let call, let reason):
            "The audio server refused \(call): \(reason)."
        case .serverLost:
            "The audio server was lost and has not returned; start it again, or wait until it returns."
        case .notOpen:
            "The audio driver is not open; open it first."
        case .tooFewDescriptors(let free, let limit, let needed):
            "A client of the audio server needs \(needed) free file descriptors, but \(free) of \(limit) are free; close files, or raise the limit (ulimit -n)."
        case .cannotCreateThread:
            "The system cannot create another thread; end other programs, or raise the limit (ulimit -u)."
        }
    }
}
