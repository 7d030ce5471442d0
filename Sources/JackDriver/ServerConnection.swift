internal import AudioRendering
internal import CJackDriver
internal import Dispatch
internal import Platform

/// One opened driver: from reaching a server, over its deaths and returns, to giving it up.
///
/// Two threads: control makes every libjack call (`+Control`), watch waits for news and tells the events (`+Watch`). The state
/// is under a lock that is never held across a call of libjack or of the handler.
final class ServerConnection: Sendable {
    enum Phase { case closed, open, lost, gone }

    struct State {
        var phase = Phase.open
        var client: JackClient?
        var isActive = false
        /// The managed server is being started for the client that is asked for.
        var isLaunching = false
        var wantsRendering = false
        var isRendering = false
        var format: HardwareFormat?
        var load = 0.0
        /// Events for the watch thread to tell, oldest first.
        var untold: [DriverEvent] = []
        /// A refresh is under way to the control thread.
        var refreshIsPosted = false
        /// It is to look for devices.
        var look: DeviceLook?
        var loadIsPosted = false
        /// The one that the handler was told last, beyond that of the opening.
        var toldFormat: HardwareFormat?
        /// Told when it was told another.
        var formatWaiters: [Answer<Void>] = []
        /// What recovery brings back.
        var identity: Identity?
        var blocks: [PortBlock] = []
        var patch = PatchMemory()
        /// When it is to be looked at again, whatever happens.
        var patchLook: DispatchTime?
        /// The ports that may be a device's and whose registration the server has told; nil: all that it lists.
        var announced: Set<String>?
        /// The devices that were told.
        var devices: [FoundDevice] = []
        var driverSwitch: DriverSwitch
        var overrides: [DeviceOverride]
        /// What the engine itself delays.
        var latencies: [OutputLatency] = []
        var latenciesArePosted = false

        /// Whether the patch is to be looked at now; once.
        mutating func takePatchLook() -> Bool {
            guard let patchLook, patchLook <= .now() else { return false }
            self.patchLook = nil
            return true
        }
    }

    /// Who the client is, at whose server.
    struct Identity {
        var server: ReachedServer
        var clientName: String
        var outputs: Int
        var inputs: Int
        /// What JACK calls the server.
        var serverName: String
    }

    let configuration: JackDriver.Configuration
    let core: RenderCore
    let handler: @Sendable (DriverEvent) -> Void
    let filler: StreamFiller
    let news: ServerNews
    let state: Locked<State>
    let control: ControlThread
    /// Signalled when the server has told another rate or period.
    let formatNews = DispatchSemaphore(value: 0)
    /// Where connections are kept; nil: nowhere.
    let connectionFile: ConnectionFile?
    /// Signalled when recovery is to end.
    let recoveryEnds = DispatchSemaphore(value: 0)
    private let watcher = WorkerThread()

    init(
        _ configuration: JackDriver.Configuration, overrides: [DeviceOverride], core: RenderCore,
        handler: @escaping @Sendable (DriverEvent) -> Void, filler: StreamFiller
    ) throws(DriverError) {
        self.configuration = configuration
        state = Locked(
            State(driverSwitch: DriverSwitch(patience: configuration.switchPatience), overrides: overrides))
        connectionFile =
            configuration.connections == .remembered
            ? ConnectionFile(
                client: configuration.clientName,
                folder: configuration.connectionFolder ?? ConnectionFile.usualFolder) : nil
        self.core = core
        self.handler = handler
        self.filler = filler
        try JackClient.requireDescriptors()
        news = try ServerNews()
        control = try ControlThread()
    }

    // MARK: Calls of the driver

    /// Reaches the server. On an error nothing is left behind but a call that never returns.
    func open() throws(DriverError) -> HardwareFormat {
        do throws(DriverError) {
            let format = try call("the request for a client") { connection throws(DriverError) in
                try connection.openClient()
            }
            guard watcher.start(name: "audio-watch", { self.watch() }) else {
                throw .refused(call: "a thread", reason: "the system has no more threads to give")
            }
            return format
        } catch {
            var seconds = configuration.callTimeout
            if case .timedOut = error { seconds = 0 }
            close(seconds: seconds)
            throw error
        }
    }

    func start() throws(DriverError) {
        let isStarted = try state.withLock { state throws(DriverError) in
            try Self.check(state)
            state.wantsRendering = true
            return render(&state)
        }
        guard !isStarted else { return }
        do throws(DriverError) {
            try call("the request to take part in its cycle") { connection throws(DriverError) in
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
            silence(&state)
        }
    }

    func requestPeriod(frames: Int) throws(DriverError) -> Int {
        let limits = 1...Int(RCORE_MAX_PERIOD)
        guard limits.contains(frames) else {
            throw .refused(
                call: "a period of \(frames) frames", reason: "a period has 1 to \(limits.upperBound) frames")
        }
        let period = try call("the request for a period of \(frames) frames") { connection throws(DriverError) in
            try connection.setPeriod(frames: frames)
        }
        return try settledPeriod(period, askedFor: frames)
    }

    func tellOutputLatencies(_ latencies: [OutputLatency]) {
        let isNew = state.withLock { state in
            guard state.latencies != latencies else { return false }
            state.latencies = latencies
            defer { state.latenciesArePosted = true }
            return !state.latenciesArePosted
        }
        if isNew { control.post { self.passLatencies() } }
    }

    /// Gives everything up, waiting at most `seconds` for the server. Idempotent.
    func close(seconds: Double) {
        state.withLock { state in
            state.phase = .closed
            state.wantsRendering = false
            state.format = nil
            silence(&state)
            wakeFormatWaiters(&state)
        }
        recoveryEnds.signal()
        rcore_jack_wake(news.handle)
        watcher.join(seconds: seconds)
        control.end(after: { self.closeClient() }, seconds: seconds)
    }

    var isGone: Bool { state.withLock { $0.phase == .gone || $0.phase == .closed } }
    var isRendering: Bool { state.withLock { $0.isRendering } }
    var format: HardwareFormat? { state.withLock { $0.format } }

    func requireFormat() throws(DriverError) -> HardwareFormat {
        try state.withLock { state throws(DriverError) in
            try Self.check(state)
            guard let format = state.format else { throw .serverLost }
            return format
        }
    }

    var statistics: DriverStatistics {
        let (load, isPosted) = state.withLock { state in
            defer { state.loadIsPosted = true }
            return (state.load, state.loadIsPosted)
        }
        if !isPosted { control.post { self.readLoad() } }
        let snapshot = news.snapshot
        return DriverStatistics(
            xruns: Int(snapshot.xruns), cpuLoad: load, cycleLoad: snapshot.lost ? 0 : Double(snapshot.cycle_load))
    }

    // MARK: Rendering: under the state's lock

    /// Lets the cycle reach the core, if all is there for it. Returns whether it does.
    func render(_ state: inout State) -> Bool {
        guard state.phase == .open, state.wantsRendering, state.isActive, let client = state.client else {
            return false
        }
        state.isRendering = true
        client.attach(core)
        return true
    }

    /// Takes the core from the cycle: afterwards no thread is within. Waits for the rest of one cycle at most.
    func silence(_ state: inout State) {
        if state.isRendering { state.client?.detach() }
        state.isRendering = false
    }

    // MARK: Calls with a deadline

    private static func check(_ state: State) throws(DriverError) {
        switch state.phase {
        case .open: break
        case .closed: throw .notOpen
        case .lost, .gone: throw .serverLost
        }
    }

    /// Makes a call on the control thread and waits for it, at most for the configured time; longer where the managed server is being started.
    func call<Value: Sendable>(
        _ what: String, _ body: @escaping @Sendable (ServerConnection) throws(DriverError) -> Value
    ) throws(DriverError) -> Value {
        let reply = Answer<Result<Value, DriverError>>()
        // Posted under the lock: a call comes before the recovery from a loss that it did not see.
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
