internal import CRenderCore

/// The render engine of a process: one core, one driver, a session bus per session, voices that play into them.
///
/// Every method is safe from any thread. Control's state is under one lock, which is never held across a call of the driver; the
/// render thread takes no lock at all.
public final class AudioEngine: Sendable {
    /// Sizes, fixed for the engine's life.
    public struct Configuration: Equatable, Sendable {
        /// Voices there are, with those that wait for their start or fade out, 1…65,536.
        public var maximumVoices: Int
        /// Voices that may play at once, 1…`maximumVoices`; one more takes the place of the oldest of the lowest priority, which fades out. nil: as
        /// many as there are, and nobody's place is ever taken.
        public var polyphony: Int?
        /// Buses at once, 1…1,024: one for each session, and those of their desks (`SessionBus.setGraph`).
        public var maximumBuses: Int
        /// Sends at once, of all desks, 0…1,024.
        public var maximumSends: Int
        /// Outputs that buses lead to at once, 1…64.
        public var maximumRoutes: Int
        /// Inputs at once, 0…64.
        public var maximumInputs: Int
        /// Command ports at once, 0…63.
        public var maximumPorts: Int
        /// Curves that are not linear at once, those that wait for their time included, 0…4,096.
        public var maximumCurves: Int
        /// Channels of an output or input, 1…64; a device with more uses its first ones.
        public var maximumChannels: Int
        /// Seconds that file streams read ahead, 0.05…60.
        public var readAhead: Double

        public init(
            maximumVoices: Int = 256, polyphony: Int? = nil, maximumBuses: Int = 64, maximumSends: Int = 64,
            maximumRoutes: Int = 8, maximumInputs: Int = 4, maximumPorts: Int = 7, maximumCurves: Int = 256,
            maximumChannels: Int = 8,
            readAhead: Double = 1
        ) {
            self.maximumVoices = maximumVoices
            self.polyphony = polyphony
            self.maximumBuses = maximumBuses
            self.maximumSends = maximumSends
            self.maximumRoutes = maximumRoutes
            self.maximumInputs = maximumInputs
            self.maximumPorts = maximumPorts
            self.maximumCurves = maximumCurves
            self.maximumChannels = maximumChannels
            self.readAhead = readAhead
        }
    }

    /// The sizes it was made with.
    public let configuration: Configuration
    /// What calls the core.
    public let driver: any RenderDriver
    let core: RenderCore
    let observers = EngineObservers()
    let retired = RetiredSounds()
    let control: Locked<Control>
    /// Held while the driver is opened, started, stopped or closed: these come one after the other. Never while handlers run.
    private let lifecycle = Locked(())
    /// Held while what is over is taken back, for whoever needs it to wait until it is. Never while handlers run.
    let reaping = Locked(())
    let background: EngineBackground

    struct Control {
        var plan: EnginePlan
        var voices: [UInt64: Voice] = [:]
        /// Taken back, and still to be told of: voices whose end somebody wants to know, and the sessions of all.
        var ended: [Voice] = []
        var endedSessions: [ObjectIdentifier: BusIdentity] = [:]
        /// A capture that the server's change ended; its summary is still to be asked for.
        var endedCapture: Capture?
        var phase = Phase.closed
        var droppedEvents: UInt64 = 0
        /// The server's rate; 0 until it was reached.
        var sampleRate = 0
        /// Some voice's speed was reckoned for another rate.
        var hasOutdatedSpeeds = false
    }

    /// Whether the render thread may be within the core: only then are commands left to it. `lost`: it will be again.
    enum Phase { case closed, open, rendering, lost }

    /// Makes an engine for a driver; opens nothing yet.
    public init(
        driver: any RenderDriver, configuration: Configuration = Configuration()
    ) throws(AudioEngineError) {
        var sizes = rcore_config_default()
        sizes.max_voices = UInt32(clamping: configuration.maximumVoices)
        sizes.max_playing = configuration.polyphony.map { UInt32(clamping: $0) } ?? sizes.max_voices
        sizes.max_buses = UInt32(clamping: configuration.maximumBuses)
        sizes.max_sends = UInt32(clamping: configuration.maximumSends)
        sizes.max_channels = UInt32(clamping: configuration.maximumChannels)
        sizes.max_routes = UInt32(clamping: configuration.maximumRoutes)
        sizes.max_inputs = UInt32(clamping: configuration.maximumInputs)
        sizes.max_ports = UInt32(clamping: configuration.maximumPorts) &+ 1  // and the engine's own
        sizes.max_curves = UInt32(clamping: configuration.maximumCurves)
        core = try RenderCore(sizes)
        self.configuration = configuration
        self.driver = driver
        control = Locked(Control(plan: EnginePlan(maximumChannels: configuration.maximumChannels)))
        background = EngineBackground()
        driver.tellOutputLatencies([])  // whoever had the driver before may have told others
        driver.setEventHandler { [weak self] event in self?.handle(event) }
        driver.setPrepareHandler { [weak self] in self?.runBackgroundWork() }
        driver.setFillHandler { [weak self] in self?.fillStreams() }
        background.setWork { [weak self] in self?.runBackgroundWork() }
    }

    deinit {
        background.stop()
        driver.close()
    }

    // MARK: The driver

    /// The server's present values; nil while closed or lost (keeps HW-1).
    public var format: HardwareFormat? { driver.format }

    /// Frames rendered so far: the time of the next period, for timed commands.
    public var currentFrame: UInt64 { rcore_time(core.handle) }

    /// Counters of the driver.
    public var statistics: DriverStatistics { driver.statistics }

    /// Counters of the core.
    public var counters: RenderCounters { RenderCounters(rcore_read_counters(core.handle)) }

    /// Reaches the server; nothing is heard yet. Idempotent.
    @discardableResult
    public func open() throws(DriverError) -> HardwareFormat {
        try lifecycle.withLock { _ throws(DriverError) in try reach() }
    }

    private func reach() throws(DriverError) -> HardwareFormat {
        let format = try driver.open(core: core)
        adopt(format)
        control.withLock { if $0.phase == .closed { $0.phase = .open } }
        return format
    }

    /// Begins to render, opening the driver if need be. Idempotent.
    public func start() throws(DriverError) {
        try lifecycle.withLock { _ throws(DriverError) in
            _ = try reach()
            // Before the driver's thread enters the core: from now on nobody else may.
            let before = control.withLock { control in
                defer { control.phase = .rendering }
                return control.phase
            }
            do throws(DriverError) {
                try driver.start()
            } catch {
                if before != .rendering { control.withLock { $0.phase = before } }
                throw error
            }
            background.start()
        }
    }

    /// Ends rendering; voices stay where they are.
    public func stop() {
        lifecycle.withLock { _ in halt() }
        runBackgroundWork()
    }

    private func halt() {
        driver.stop()
        control.withLock { control in
            if control.phase != .closed { control.phase = .open }
        }
        background.stop()
    }

    /// Gives the driver up and ends every voice.
    public func close() {
        lifecycle.withLock { _ in
            halt()
            driver.close()
            control.withLock { control in
                control.phase = .closed
                settle(&control)  // makes room for the one command
                _ = rcore_post_stop_all(core.port, UInt32.max, 0, 0)
                settle(&control)
            }
        }
        runBackgroundWork()
    }

    /// Asks for a period and returns the one the server has now (keeps HW-1).
    public func requestPeriod(frames: Int) throws(DriverError) -> Int {
        try driver.requestPeriod(frames: frames)
    }

    /// Tells `handler` what happens, on a thread of the engine's or the driver's, until the observation is let go. The handler must not wait for the driver,
    /// and so call neither the session's activation nor its wishes: what it wants of them it asks for on a thread of its own.
    public func observe(_ handler: @escaping @Sendable (EngineEvent) -> Void) -> EngineObservation {
        observers.add(handler)
    }

    // MARK: Outputs

    /// Greatest magnitude that a channel of an output has put out since the last call; `route` is its place among `routes`. One reader.
    public func takeOutputPeak(channel: Int, route: Int = 0) -> Float {
        let slot = control.withLock { control in
            let used = control.plan.usedRoutes
            return used.indices.contains(route) ? control.plan.slot(of: used[route]) : nil
        }
        guard channel >= 0, let slot else { return 0 }
        return rcore_take_route_peak(core.handle, UInt32(clamping: slot), UInt32(clamping: channel))
    }

    // MARK: Capture

    /// Writes to `path` from now on exactly what goes to the first of `routes`; the format follows the extension. Replaces a capture
    /// that runs. Throws when the engine is not open or the file cannot be made.
    public func startCapture(path: String) throws(CaptureError) {
        guard let format = driver.format else { throw .notOpen }
        let channels = control.withLock { $0.plan.usedRoutes.first?.channels ?? $0.plan.deviceChannels }
        let capture = try Capture(path: path, channels: channels, sampleRate: format.sampleRate)
        do throws(AudioEngineError) {
            try replaceCapture(by: capture)
        } catch {
            throw .engine(error)
        }
    }

    /// Ends a capture and completes its file; nil when none ran. To have the last period in it, stop the engine first.
    public func stopCapture() -> CaptureSummary? {
        let capture = control.withLock { control in
            defer { control.endedCapture = nil }
            return control.plan.capture ?? control.endedCapture
        }
        try? replaceCapture(by: nil)
        return capture?.finish()
    }

    private func replaceCapture(by capture: Capture?) throws(AudioEngineError) {
        try control.withLock { control throws(AudioEngineError) in
            let before = control.plan.capture
            control.plan.capture = capture
            do throws(AudioEngineError) {
                try post(&control)
            } catch {
                control.plan.capture = before
                throw error
            }
            settle(&control)
        }
    }

    // MARK: Inside

    /// Posts one command, under control's lock: the ring has one producer at a time.
    func command(
        _ what: @autoclosure () -> String, _ body: (OpaquePointer) -> rcore_status_t
    ) throws(AudioEngineError) {
        let status = control.withLock { control in
            let status = body(core.port)
            settle(&control)
            return status
        }
        guard status == RCORE_OK else { throw AudioEngineError(status, what()) }
    }

    /// While no thread renders, commands take effect here: a cycle of no frames. Otherwise they would pile up.
    func settle(_ control: inout Control) {
        if control.phase != .rendering, !driver.isRendering {
            rcore_process(core.handle, nil, 0, nil, 0, 0)
        }
        control.plan.collect(from: core.handle)
    }

    private func adopt(_ format: HardwareFormat) {
        _ = rcore_set_sample_rate(core.handle, UInt32(clamping: format.sampleRate))
        let channels = max(1, min(format.outputChannels, configuration.maximumChannels))
        let ended: Capture? = control.withLock { control in
            adopt(sampleRate: format.sampleRate, &control)
            let isOtherRate = control.plan.sampleRate != format.sampleRate && control.plan.knowsRate
            let isOther = control.plan.deviceChannels != channels || isOtherRate
            control.plan.deviceChannels = channels
            control.plan.sampleRate = format.sampleRate
            let ended = endUnfitCapture(&control, sampleRate: format.sampleRate)
            guard ended != nil || isOther else { return nil }
            try? post(&control)
            settle(&control)
            return ended
        }
        if let ended { observers.tell(.captureFailed(ended.end(at: format))) }
    }

    /// Takes a capture from the plan that what is put out does not fit any more.
    func endUnfitCapture(_ control: inout Control, sampleRate: Int) -> Capture? {
        guard let capture = control.plan.capture,
            capture.sampleRate != sampleRate || capture.channels != control.plan.usedRoutes.first?.channels
        else { return nil }
        control.endedCapture = capture
        control.plan.capture = nil
        return capture
    }

    /// Posts the plan as it stands.
    func post(_ control: inout Control) throws(AudioEngineError) {
        let before = control.plan.outputLatencies
        try control.plan.post(to: core.port, limit: configuration.maximumRoutes)
        let latencies = control.plan.outputLatencies
        // Elsewhere: not under the lock. One after the other, as they were posted.
        if latencies != before { background.tell { [driver] in driver.tellOutputLatencies(latencies) } }
    }

    private func change(from before: Phase, to after: Phase) {
        control.withLock { control in
            guard control.phase == before else { return }
            control.phase = after
            settle(&control)
        }
    }

    private func handle(_ event: DriverEvent) {
        switch event {
        case .formatChanged(let format): adopt(format)
        case .serverLost: change(from: .rendering, to: .lost)
        case .serverReturned(let format):
            // Told before the driver's thread enters the core again.
            change(from: .lost, to: .rendering)
            adopt(format)
        case .serverGone: control.withLock { $0.phase = .closed }
        case .xrun, .devicesChanged: break
        }
        observers.tell(.driver(event))
    }
}
