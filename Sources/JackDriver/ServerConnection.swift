internal import AudioRendering
internal import CJackDriver
internal import Dispatch
internal import Platform

/// The connection of an open driver to its server: opening, recovery from the loss of the server,
/// and closing.
///
/// It uses two threads: the control thread makes every libjack call (`+Control`), the watch thread
/// waits for changes and delivers the events (`+Watch`). A lock protects the state; it is never
/// held across a call of libjack or of the handler.
final class ServerConnection: Sendable {
    enum Phase { case closed, open, lost, gone }

    struct State {
        var phase = Phase.open
        var client: JackClient?
        var isActive = false
        /// Whether the client is to be active: from `start` until `suspend`.
        var wantsActive = false
        /// Whether the client was active and is not now. (It was not if it has just been opened, or
        /// reopened after the loss of the server during a suspension.)
        var isSuspended = false
        /// Whether the client has become active since the last poll.
        var finalPollIsDue = false
        var pollIsPosted = false
        /// Whether the managed server is being started for the requested client.
        var isLaunching = false
        var wantsRendering = false
        var isRendering = false
        var format: HardwareFormat?
        var load = 0.0
        /// Events that the watch thread is to deliver, oldest first.
        var pendingEvents: [DriverEvent] = []
        /// Whether a refresh is queued on the control thread.
        var refreshIsPosted = false
        /// How that refresh scans for devices; nil: not at all.
        var scan: DeviceScan?
        var loadIsPosted = false
        /// When the load may be read again.
        var nextLoad = DispatchTime.now()
        /// The format that the handler was notified of last, initially that of `open`.
        var deliveredFormat: HardwareFormat?
        /// Fulfilled when the handler was notified of another format.
        var formatWaiters: [Promise<Void>] = []
        /// The client that recovery restores; nil before `open`.
        var identity: Identity?
        var blocks: [PortBlock] = []
        var history = ConnectionHistory()
        /// The connections that were made since the last wait for the server to adopt them.
        var newLinks: [PortLink] = []
        /// When the history must be updated again at the latest.
        var connectionCheck: DispatchTime?
        /// The ports that may belong to a device and whose registration the server has announced;
        /// nil: all ports that it lists.
        var announced: Set<String>?
        /// The devices that were reported.
        var devices: [FoundDevice] = []
        /// Whether the refresh is to report the devices, once it has connected those that have
        /// arrived.
        var reportIsDue = false
        /// Whether a query of latencies that were not read yet has timed out.
        var latenciesAreOverdue = false
        var driverSwitch: DriverSwitch
        var overrides: [DeviceOverride]
        /// The engine's own latencies.
        var latencies: [OutputLatency] = []
        var latenciesArePosted = false
        /// The icons of the client's ports, by name.
        var icons: [String: [UInt8]] = [:]
        /// Whether the nodes of other clients are of interest.
        var watchesNodes = false
        /// The nodes of other clients; nil before they were read.
        var nodes: [NodeDescription]?
        var transport = TransportRole.own
        /// Whether the client, once it is active, replaces another leader.
        var replacesLeader = false

        /// The client, if libjack does not notify it because it is not active.
        var inactiveClient: JackClient? { phase == .open && !isActive ? client : nil }
        /// The client, if it must be polled: also once more after it has become active.
        var polledClient: JackClient? { phase == .open && (!isActive || finalPollIsDue) ? client : nil }

        /// Returns true once when the connections are due to be checked.
        mutating func takeConnectionCheck() -> Bool {
            guard let connectionCheck, connectionCheck <= .now() else { return false }
            self.connectionCheck = nil
            return true
        }
    }

    /// The client's names and ports, and its server.
    struct Identity {
        var server: ReachedServer
        var clientName: String
        var outputs: Int
        var inputs: Int
        /// JACK's name of the server.
        var serverName: String
    }

    let configuration: JackDriverConfiguration
    let core: RenderCore
    let handler: @Sendable (DriverEvent) -> Void
    let filler: StreamFiller
    let monitor: ServerMonitor
    let state: Mutex<State>
    let control: ControlThread
    /// Signalled when the server has announced another rate or period.
    let formatChange = DispatchSemaphore(value: 0)
    /// Where connections are stored; nil: nowhere.
    let connectionFile: ConnectionFile?
    /// Signalled when recovery is to end.
    let recoveryEnds = DispatchSemaphore(value: 0)
    private let watcher = WorkerThread()

    init(
        _ configuration: JackDriverConfiguration, overrides: [DeviceOverride], core: RenderCore,
        handler: @escaping @Sendable (DriverEvent) -> Void, filler: StreamFiller
    ) throws(DriverError) {
        self.configuration = configuration
        state = Mutex(
            State(driverSwitch: DriverSwitch(patience: configuration.switchPatience), overrides: overrides))
        connectionFile =
            configuration.connections == .remembered
            ? ConnectionFile(
                client: configuration.clientName,
                folder: configuration.connectionFolder ?? ConnectionFile.defaultFolder) : nil
        self.core = core
        self.handler = handler
        self.filler = filler
        try JackClient.requireDescriptors()
        monitor = try ServerMonitor()
        control = try ControlThread()
    }

    // MARK: Calls from the driver

    /// Opens a client at the server. After an error nothing remains except a call that never
    /// returns.
    func open(_ setup: ClientSetup) throws(DriverError) -> HardwareFormat {
        state.withLock { state in
            state.transport = setup.transport
            state.icons = setup.icons
            state.watchesNodes = setup.watchesNodes
        }
        do throws(DriverError) {
            let format = try call("the request for a client") { connection throws(DriverError) in
                try connection.openClient(setup)
            }
            guard watcher.start(name: "audio-watch", { self.watch() }) else {
                throw .cannotCreateThread
            }
            return format
        } catch {
            var seconds = configuration.callTimeout
            if case .timedOut = error { seconds = 0 }
            close(seconds: seconds)
            throw error
        }
    }

    /// Starts rendering: attaches the core if the client is active, otherwise activates the client
    /// first.
    func start() throws(DriverError) {
        let isStarted = try state.withLock { state throws(DriverError) in
            try Self.check(state)
            state.wantsRendering = true
            state.wantsActive = true
            return attachCore(&state)
        }
        guard !isStarted else { return }
        do throws(DriverError) {
            try call("the request to activate the client") { connection throws(DriverError) in
                try connection.activateClient()
            }
        } catch {
            stop()
            throw error
        }
    }

    func stop() {
        state.withLock { state in
            state.wantsRendering = false
            detachCore(&state)
        }
    }

    /// Stops rendering and has the control thread deactivate the client. Its connections return
    /// with the next `start`.
    func suspend() {
        state.withLock { state in
            state.wantsRendering = false
            state.wantsActive = false
            detachCore(&state)
        }
        postRefresh(nil)
    }

    /// Requests a period and returns the one that the server then has. Throws `refused` outside
    /// 1…RCORE_MAX_PERIOD frames.
    func requestPeriod(frames: Int) throws(DriverError) -> Int {
        let limits = 1...Int(RCORE_MAX_PERIOD)
        guard limits.contains(frames) else {
            throw .refused(
                call: "a period of \(frames) frames", reason: "a period has 1 to \(limits.upperBound) frames")
        }
        let period = try call("the request for a period of \(frames) frames") { connection throws(DriverError) in
            try connection.setPeriod(frames: frames)
        }
        return try settledPeriod(period, requested: frames)
    }

    /// Stores the engine's latencies for the control thread to pass on. Several reports before it
    /// does so are passed on once.
    func reportOutputLatencies(_ latencies: [OutputLatency]) {
        let isNew = state.withLock { state in
            guard state.latencies != latencies else { return false }
            state.latencies = latencies
            defer { state.latenciesArePosted = true }
            return !state.latenciesArePosted
        }
        if isNew { control.post { self.passLatencies() } }
    }

    /// Closes the client and ends both threads; waits at most `seconds` for each of them.
    /// Idempotent.
    func close(seconds: Double) {
        state.withLock { state in
            state.phase = .closed
            state.wantsRendering = false
            state.format = nil
            detachCore(&state)
            wakeFormatWaiters(&state)
        }
        recoveryEnds.signal()
        rcore_jack_wake(monitor.handle)
        watcher.join(seconds: seconds)
        control.end(after: { self.closeClient() }, seconds: seconds)
    }

    var cycleCount: UInt64 { monitor.snapshot.cycles }
    var isGone: Bool { state.withLock { $0.phase == .gone || $0.phase == .closed } }
    var isRendering: Bool { state.withLock { $0.isRendering } }
    var format: HardwareFormat? { state.withLock { $0.format } }

    /// Returns the format; if the client is suspended, polls the server first. `devices` are then
    /// current, too.
    func currentFormat() throws(DriverError) -> HardwareFormat {
        if state.withLock({ $0.inactiveClient != nil && $0.isSuspended }) {
            try call("the request for devices") { connection throws(DriverError) in connection.pollAndRefresh() }
        }
        return try requireFormat()
    }

    func requireFormat() throws(DriverError) -> HardwareFormat {
        try state.withLock { state throws(DriverError) in
            try Self.check(state)
            guard let format = state.format else { throw .serverLost }
            return format
        }
    }

    /// The counters, and the load as it was last read. Posts the next reading, unless one is posted
    /// or the last access that posted one was less than 0.5 s ago.
    var statistics: DriverStatistics {
        let (load, isDue) = state.withLock { state in
            let now = DispatchTime.now()
            guard !state.loadIsPosted, now >= state.nextLoad else { return (state.load, false) }
            (state.loadIsPosted, state.nextLoad) = (true, now + .milliseconds(500))
            return (state.load, true)
        }
        if isDue { control.post { self.readLoad() } }
        let snapshot = monitor.snapshot
        return DriverStatistics(
            xruns: Int(snapshot.xruns), cpuLoad: load, cycleLoad: snapshot.lost ? 0 : Double(snapshot.cycle_load))
    }

    // MARK: Rendering (with the state's lock held)

    /// Attaches the core to the process cycle if all conditions are met. Returns whether it did.
    func attachCore(_ state: inout State) -> Bool {
        guard state.phase == .open, state.wantsRendering, state.isActive, let client = state.client else {
            return false
        }
        state.isRendering = true
        client.attach(core)
        return true
    }

    /// Detaches the core from the process cycle; afterwards no thread is within the core. Waits at
    /// most for the rest of one cycle.
    func detachCore(_ state: inout State) {
        if state.isRendering { state.client?.detach() }
        state.isRendering = false
    }

    // MARK: Calls with a deadline

    static func check(_ state: State) throws(DriverError) {
        switch state.phase {
        case .open: break
        case .closed: throw .notOpen
        case .lost, .gone: throw .serverLost
        }
    }

    /// Makes a call on the control thread and waits for it at most for the configured time; longer
    /// while the managed server is being started.
    func call<Value: Sendable>(
        _ what: String, _ body: @escaping @Sendable (ServerConnection) throws(DriverError) -> Value
    ) throws(DriverError) -> Value {
        let reply = Promise<Result<Value, DriverError>>()
        // Posted under the lock, so that a call precedes the recovery from a loss that it did not
        // see.
        try state.withLock { state throws(DriverError) in
            try Self.check(state)
            control.post {
                reply.set(Result { () throws(DriverError) in try body(self) })
            }
        }
        var limit = configuration.callTimeout
        var result = reply.wait(seconds: limit)
        if result == nil, state.withLock({ $0.isLaunching }) {
            limit += ManagedServer.launchLimit
            result = reply.wait(seconds: ManagedServer.launchLimit)
        }
        guard let result else {
            throw .timedOut(call: what, seconds: limit)
        }
        return try result.get()
    }
}
