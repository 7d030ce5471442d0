/// What calls the render core: JACK's process callback, or the offline driver's caller.
///
/// A driver is opened (a client with ports exists), started (cycles run, ports are connected), stopped and closed; each call is
/// idempotent, safe from any thread, and bounded in time: one that cannot be answered throws `DriverError.timedOut`.
public protocol RenderDriver: AnyObject, Sendable {
    /// Reaches the server and registers ports for `core`. Returns what the server is.
    @discardableResult
    func open(core: RenderCore) throws(DriverError) -> HardwareFormat
    /// Begins to render and connects the ports to the device. Throws `notOpen` before `open`.
    func start() throws(DriverError)
    /// Ends rendering; the client and its ports stay.
    func stop()
    /// Gives the client up. On return no thread is within the core.
    func close()

    /// The server's present values; nil while closed or lost.
    var format: HardwareFormat? { get }
    /// Whether some thread may be within the core. While false, the engine applies commands itself.
    var isRendering: Bool { get }
    /// Asks the server for a period, in frames, and returns the one it has now (keeps HW-1).
    func requestPeriod(frames: Int) throws(DriverError) -> Int
    /// Asks the server for a rate, in Hz, and returns the one it has now (keeps HW-1). Throws `refused` where no client can change it: sources
    /// are resampled then (HW-3).
    func requestSampleRate(_ sampleRate: Int) throws(DriverError) -> Int
    /// Tells the server what the engine itself delays, so that others can make up for it; channels that are not named have none. Never waits for the server. What was told
    /// holds for the driver's life, also where it is opened only later.
    func tellOutputLatencies(_ latencies: [OutputLatency])
    /// Counters of the running driver.
    var statistics: DriverStatistics { get }

    /// The devices of the server, the one that was there first in front; nil where the driver knows of none: then all there is are the channels of
    /// `format`. Asks nobody: `devicesChanged` has told them.
    var devices: [HardwareDevice]? { get }
    /// Makes channels of the core lead to the port of that uid (or come from it) and returns which: of an output among those that
    /// `rcore_process` puts out, of an input among those it is given. Idempotent. They are connected on return, so whoever must not be heard there
    /// is silent before. Throws `refused` for a port that is not there, or where the server has no more to give.
    ///
    /// The first output and the first input that a driver opens with are its own channels, from 0 on; they stay connected for its life. Others get
    /// channels when they are connected first, and keep them until they are disconnected; a port that leaves and returns meanwhile finds them
    /// connected again.
    func connect(_ port: String) throws(DriverError) -> Range<Int>
    /// Takes the channels of a port back, once nothing leads there any more; those that a driver opened with stay. Idempotent.
    func disconnect(_ port: String)

    /// Hands over who is told of events; called before `open`. The handler is called on a thread of the driver's, one event at a
    /// time, never on the render thread; it must not call the driver back on that thread.
    func setEventHandler(_ handler: @escaping @Sendable (DriverEvent) -> Void)
    /// Hands over who prepares streamed sources before each cycle. Only a driver without a clock calls it (rendering then never
    /// outruns the disk); a real-time driver ignores it.
    func setPrepareHandler(_ handler: @escaping @Sendable () -> Void)
    /// Hands over who fills streams, and does nothing else, before a cycle that has no deadline: a real-time server's while it freewheels.
    func setFillHandler(_ handler: @escaping @Sendable () -> Void)
}

extension RenderDriver {
    /// For drivers that never freewheel.
    public func setFillHandler(_ handler: @escaping @Sendable () -> Void) {}

    /// For drivers whose rate nobody changes.
    public func requestSampleRate(_ sampleRate: Int) throws(DriverError) -> Int {
        guard let format else { throw .notOpen }
        guard format.sampleRate != sampleRate else { return sampleRate }
        throw .refused(
            call: "a rate of \(sampleRate) Hz",
            reason: "its rate of \(format.sampleRate) Hz is not a client's to change")
    }

    /// For drivers whose server asks nobody.
    public func tellOutputLatencies(_ latencies: [OutputLatency]) {}

    /// For drivers without devices.
    public var devices: [HardwareDevice]? { nil }

    /// For drivers without devices.
    public func connect(_ port: String) throws(DriverError) -> Range<Int> {
        throw .refused(call: "a connection to '\(port)'", reason: "this driver knows of no devices")
    }

    /// For drivers without devices.
    public func disconnect(_ port: String) {}
}

/// What a driver counts.
public struct DriverStatistics: Equatable, Sendable {
    /// Cycles the server could not finish in time, since `open`.
    public var xruns: Int
    /// The server's load, 0…1: of all its clients.
    public var cpuLoad: Double
    /// The longest that a cycle of this client alone took in the last one to two seconds, as a share of its period, 0…; from 1 on it cannot have
    /// been in time. 0 without a clock.
    public var cycleLoad: Double

    public init(xruns: Int = 0, cpuLoad: Double = 0, cycleLoad: Double = 0) {
        self.xruns = xruns
        self.cpuLoad = cpuLoad
        self.cycleLoad = cycleLoad
    }
}

/// What happens to a driver without being asked.
public enum DriverEvent: Equatable, Sendable {
    /// Rate, period, latency or channels are now these (also before the first cycle of a new period).
    case formatChanged(HardwareFormat)
    /// These are the server's devices now: one came, went, or is another than it was.
    case devicesChanged([HardwareDevice])
    /// The server could not finish a cycle in time; the count since `open`.
    case xrun(count: Int)
    /// The server died; calls throw `serverLost` until it returns (SRV-1).
    case serverLost
    /// The server is back, and with it ports and connections (SRV-2).
    case serverReturned(HardwareFormat)
    /// The server did not come back within the driver's limit.
    case serverGone
}

/// Why a driver refuses.
public enum DriverError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No server of that name runs (nil: the default one).
    case noServer(name: String?)
    /// A server could not be started.
    case cannotStartServer(reason: String)
    /// The server did not answer in time.
    case timedOut(call: String, seconds: Double)
    /// The server said no.
    case refused(call: String, reason: String)
    /// The server died and is not back.
    case serverLost
    /// The driver is not open.
    case notOpen
    /// Fewer file descriptors are free than a JACK client needs; the driver opened nothing.
    case tooFewDescriptors(free: Int, limit: Int, needed: Int)

    public var description: String {
        switch self {
        case .noServer(let name?):
            "No JACK server named '\(name)' is running; start it with 'jackd -n \(name) -d dummy', or let the managed server be used."
        case .noServer(nil):
            "No JACK server is running; start one with 'jackd -d alsa', or let the managed server be used."
        case .cannotStartServer(let reason):
            "The managed JACK server could not be started: \(reason)."
        case .timedOut(let call, let seconds):
            "The JACK server did not answer \(call) within \(seconds) s; it may hang: restart it."
        case .refused(let call, let reason):
            "The JACK server refused \(call): \(reason)."
        case .serverLost:
            "The JACK server died and is not back; start it again, or wait until it returns."
        case .notOpen:
            "The audio driver is not open; open it first."
        case .tooFewDescriptors(let free, let limit, let needed):
            "A JACK client needs \(needed) free file descriptors, and \(free) of \(limit) are free; close files, or raise the limit (ulimit -n)."
        }
    }
}
