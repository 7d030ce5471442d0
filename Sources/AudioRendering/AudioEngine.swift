internal import CRenderCore
internal import Platform

/// The render engine of a process: one render core, one driver, one bus for each session, and the
/// voices that play on these buses.
///
/// Every method is safe from any thread. Opening, starting, stopping, closing and requesting a
/// period may wait for the audio server; the other methods do not. The render thread takes no lock.
public final class AudioEngine: Sendable {
    /// The engine's sizes, fixed for its life.
    public struct Configuration: Equatable, Sendable {
        /// The size of the voice pool, 1…65,536. Voices that wait for their start or fade out
        /// count.
        public var maximumVoices: Int
        /// The number of voices that may play at once, 1…`maximumVoices`. A further one steals the
        /// oldest voice of the lowest priority, which fades out. nil: all voices of the pool,
        /// without voice stealing.
        public var polyphony: Int?
        /// The maximum number of buses, 1…1,024: one for each session, and those of the sessions'
        /// mixers (`SessionBus.setGraph`).
        public var maximumBuses: Int
        /// The maximum number of sends in all mixers together, 0…1,024.
        public var maximumSends: Int
        /// The maximum number of outputs that buses are routed to at the same time, 1…64.
        public var maximumRoutes: Int
        /// The maximum number of inputs, 0…64.
        public var maximumInputs: Int
        /// The maximum number of open command queues, 0…63.
        public var maximumQueues: Int
        /// The maximum number of nonlinear curves that run or wait for their time, 0…4,096.
        public var maximumCurves: Int
        /// The maximum number of channels of an output or input, 1…64. Of a device with more
        /// channels, the engine uses the first ones.
        public var maximumChannels: Int
        /// How far file streams read ahead, in seconds, 0.05…60. Checked when a stream is created.
        public var readAhead: Double

        public init(
            maximumVoices: Int = 256, polyphony: Int? = nil, maximumBuses: Int = 64, maximumSends: Int = 64,
            maximumRoutes: Int = 8, maximumInputs: Int = 4, maximumQueues: Int = 7, maximumCurves: Int = 256,
            maximumChannels: Int = 8,
            readAhead: Double = 1
        ) {
            self.maximumVoices = maximumVoices
            self.polyphony = polyphony
            self.maximumBuses = maximumBuses
            self.maximumSends = maximumSends
            self.maximumRoutes = maximumRoutes
            self.maximumInputs = maximumInputs
            self.maximumQueues = maximumQueues
            self.maximumCurves = maximumCurves
            self.maximumChannels = maximumChannels
            self.readAhead = readAhead
        }
    }

    /// The sizes that the engine was created with.
    public let configuration: Configuration
    /// The driver that calls the render core.
    public let driver: any RenderDriver
    let core: RenderCore
    let identity = EngineIdentity()
    let observers = Broadcaster<EngineEvent>()
    let retired: RetiredSounds
    /// The control state. Its lock is never held across a driver call that may block, nor while
    /// handlers run.
    let control: Mutex<Control>
    /// Serializes opening, starting, stopping and closing of the driver, and is held while the
    /// driver does so. Never held while the engine calls handlers.
    private let lifecycle = Mutex(())
    /// Held while ended voices and sounds are reclaimed; taking it waits for a reclaim in progress.
    /// Never held while handlers run.
    let reaping = Mutex(())
    let background: EngineBackground

    struct Control {
        var plan: EnginePlan
        var voices: [UInt64: Voice] = [:]
        /// Reclaimed voices with an `onEnd` handler, and the sessions of all reclaimed voices; both
        /// are still to be reported.
        var ended: [Voice] = []
        var endedSessions: [ObjectIdentifier: BusIdentity] = [:]
        /// The recorder of a capture that a change of its output ended, kept until `stopCapture`.
        var endedRecorder: OutputRecorder?
        var phase = Phase.closed
        /// The server's sample rate in Hz; 0 until the server was first reached.
        var sampleRate = 0
        /// Whether the speed of some voice was computed for another sample rate.
        var hasOutdatedSpeeds = false
    }

    /// The engine's state. Only while `rendering` may the render thread be in the core, where it
    /// executes the commands. `lost`: rendering resumes when the server returns.
    enum Phase { case closed, open, rendering, lost }

    /// Creates an engine for a driver, without opening the driver. Throws `invalidArgument` for a
    /// size out of range, or `outOfMemory`.
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
        // One more for the engine's own commands.
        sizes.max_queues = UInt32(clamping: configuration.maximumQueues) &+ 1
        sizes.max_curves = UInt32(clamping: configuration.maximumCurves)
        core = try RenderCore(sizes)
        self.configuration = configuration
        self.driver = driver
        control = Mutex(Control(plan: EnginePlan(maximumChannels: configuration.maximumChannels)))
        background = EngineBackground(core: core)
        retired = RetiredSounds(core: core)
        driver.reportOutputLatencies([])  // resets those of an earlier engine
        driver.setEventHandler { [weak self] event in self?.handle(event) }
        driver.setPrepareHandler { [weak self] in self?.runBackgroundWork() }
        driver.setFillHandler { [weak self] in self?.fillStreams() }
        background.setWork { [weak self] in self?.runBackgroundWork() }
    }

    deinit {
        background.end()
        driver.close()
    }

    // MARK: The driver

    /// The server's current format; nil while the driver is closed or the server is lost (keeps
    /// HW-1).
    public var format: HardwareFormat? { driver.format }

    /// The number of frames rendered so far, which is the engine frame at which the next period
    /// begins. Timed commands use this clock.
    public var currentFrame: UInt64 { rcore_time(core.handle) }

    /// The driver's counters and loads.
    public var statistics: DriverStatistics { driver.statistics }

    /// The render core's counters.
    public var counters: RenderCounters { RenderCounters(rcore_read_counters(core.handle)) }

    /// Connects to the server without rendering, and returns the server's format. Idempotent.
    @discardableResult
    public func open() throws(DriverError) -> HardwareFormat {
        try lifecycle.withLock { _ throws(DriverError) in try openDriver() }
    }

    /// Opens the driver and applies its format, with `lifecycle` held.
    private func openDriver() throws(DriverError) -> HardwareFormat {
        let format = try driver.open(core: core)
        adopt(format)
        control.withLock { if $0.phase == .closed { $0.phase = .open } }
        return format
    }

    /// Starts rendering, and opens the driver first if necessary. Idempotent.
    public func start() throws(DriverError) {
        try lifecycle.withLock { _ throws(DriverError) in
            _ = try openDriver()
            // A driver without a clock calls the prepare handler instead.
            guard !driver.hasClock || background.start() else {
                throw .cannotCreateThread
            }
            // Set before the driver's thread enters the core: from then on, no other thread may.
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
        }
    }

    /// Stops rendering; voices keep their positions.
    public func stop() {
        lifecycle.withLock { _ in halt() }
        runBackgroundWork()
    }

    /// Stops the driver, with `lifecycle` held.
    private func halt() {
        driver.stop()
        control.withLock { control in
            if control.phase != .closed { control.phase = .open }
        }
    }

    /// Closes the driver and ends every voice.
    public func close() {
        lifecycle.withLock { _ in
            halt()
            driver.close()
            control.withLock { control in
                control.phase = .closed
                applyCommandsIfIdle(&control)  // makes room in the queue for the next command
                _ = rcore_post_stop_all(core.queue, UInt32.max, 0, 0)
                applyCommandsIfIdle(&control)
            }
            background.end()
        }
        runBackgroundWork()
    }

    /// Requests a period (buffer size), in frames, and returns the period that the server then has
    /// (keeps HW-1).
    public func requestPeriod(frames: Int) throws(DriverError) -> Int {
        try driver.requestPeriod(frames: frames)
    }

    /// Calls `handler` for every event until the returned observation is canceled or released: on a
    /// thread of the engine or the driver, or of the caller that opens, stops or closes the engine.
    /// The handler must not wait for the driver: it must neither activate the session nor request
    /// preferred values. It may do both on another thread.
    public func observe(_ handler: @escaping @Sendable (EngineEvent) -> Void) -> EngineObservation {
        EngineObservation(onCancel: observers.add(handler))
    }

    // MARK: Outputs

    /// Returns the greatest magnitude of a sample in a channel of an output since the last call
    /// (linear, full scale is 1), and resets it. `route` is the output's index in `routes`. For one
    /// reader; use an `AudioMeter` for several.
    public func takeOutputPeak(channel: Int, route: Int = 0) -> Float {
        let slot = control.withLock { control in
            let used = control.plan.usedRoutes
            return used.indices.contains(route) ? control.plan.slot(of: used[route]) : nil
        }
        guard channel >= 0, let slot else { return 0 }
        return rcore_take_route_peak(core.handle, UInt32(clamping: slot), UInt32(clamping: channel))
    }

    // MARK: Capture of an output

    /// Starts a capture: records the exact signal of the first output in `routes` to a file at
    /// `path`, whose extension selects the format (`AudioFileWriter.knownExtensions`). Ends a
    /// running capture without a summary. To record an input, use `makeInput`.
    ///
    /// Throws `CaptureError` if the engine is not open, the file cannot be created, or the engine
    /// cannot add the capture.
    public func startCapture(path: String) throws(CaptureError) {
        guard let format = driver.format else { throw .notOpen }
        let channels = control.withLock { $0.plan.usedRoutes.first?.channels ?? $0.plan.deviceChannels }
        let recorder = try OutputRecorder(path: path, channels: channels, sampleRate: format.sampleRate)
        do throws(AudioEngineError) {
            try replaceRecorder(with: recorder)
        } catch {
            throw .engine(error)
        }
    }

    /// Ends the capture, completes its file and returns a summary, also of a capture that has ended
    /// early; nil if there was none. To include the last period, stop the engine first.
    public func stopCapture() -> CaptureSummary? {
        let recorder = control.withLock { control in
            defer { control.endedRecorder = nil }
            return control.plan.outputRecorder ?? control.endedRecorder
        }
        try? replaceRecorder(with: nil)
        return recorder?.finish()
    }

    private func replaceRecorder(with recorder: OutputRecorder?) throws(AudioEngineError) {
        try control.withLock { control throws(AudioEngineError) in
            let before = control.plan.outputRecorder
            control.plan.outputRecorder = recorder
            do throws(AudioEngineError) {
                try post(&control)
            } catch {
                control.plan.outputRecorder = before
                throw error
            }
            applyCommandsIfIdle(&control)
        }
    }

    // MARK: Inside

    /// Posts one command, under the control lock: the queue has one producer at a time.
    func command(
        _ what: @autoclosure () -> String, _ body: (OpaquePointer) -> rcore_status_t
    ) throws(AudioEngineError) {
        let status = control.withLock { control in
            let status = body(core.queue)
            applyCommandsIfIdle(&control)
            return status
        }
        guard status == RCORE_OK else { throw AudioEngineError(status, what()) }
    }

    /// Applies the queued commands, with a cycle of zero frames, if no thread renders: otherwise
    /// they would accumulate in the queue. Then releases the plans that the core no longer uses.
    func applyCommandsIfIdle(_ control: inout Control) {
        if control.phase != .rendering, !driver.isRendering {
            rcore_process(core.handle, nil, 0, nil, 0, 0)
        }
        control.plan.collect(from: core.handle)
    }

    /// Applies the driver's format: updates the speeds of voices, posts the plan again if it
    /// depends on what changed, and ends a capture that no longer fits its output.
    private func adopt(_ format: HardwareFormat) {
        _ = rcore_set_sample_rate(core.handle, UInt32(clamping: format.sampleRate))
        let channels = max(1, min(format.outputChannels, configuration.maximumChannels))
        let ended: OutputRecorder? = control.withLock { control in
            adopt(sampleRate: format.sampleRate, &control)
            let isRateOutdated = control.plan.sampleRate != format.sampleRate && control.plan.dependsOnSampleRate
            let isPlanOutdated = control.plan.deviceChannels != channels || isRateOutdated
            control.plan.deviceChannels = channels
            control.plan.sampleRate = format.sampleRate
            let ended = endUnfitRecorder(&control, sampleRate: format.sampleRate)
            guard ended != nil || isPlanOutdated else { return nil }
            try? post(&control)
            applyCommandsIfIdle(&control)
            return ended
        }
        guard let ended else { return }
        let failure = ended.fail(becauseOfChangeTo: format)
        // On the background queue: `lifecycle` may be held.
        background.run { [observers] in observers.send(.captureFailed(failure)) }
    }

    /// Removes the capture's recorder from the plan, and returns it, if its sample rate or channel
    /// count is no longer that of the first output.
    func endUnfitRecorder(_ control: inout Control, sampleRate: Int) -> OutputRecorder? {
        guard let recorder = control.plan.outputRecorder,
            recorder.sampleRate != sampleRate || recorder.channels != control.plan.usedRoutes.first?.channels
        else { return nil }
        control.endedRecorder = recorder
        control.plan.outputRecorder = nil
        return recorder
    }

    /// Posts the current plan, and reports its output latencies to the driver if they changed.
    func post(_ control: inout Control) throws(AudioEngineError) {
        let before = control.plan.outputLatencies
        try control.plan.post(to: core.queue, limit: configuration.maximumRoutes)
        let latencies = control.plan.outputLatencies
        // Reported on the background queue: not under the lock, and in the order in which the plans
        // were posted.
        if latencies != before { background.run { [driver] in driver.reportOutputLatencies(latencies) } }
    }

    private func changePhase(from before: Phase, to after: Phase) {
        control.withLock { control in
            guard control.phase == before else { return }
            control.phase = after
            applyCommandsIfIdle(&control)
        }
    }

    /// Handles an event of the driver, on the driver's thread, then delivers it to observers.
    private func handle(_ event: DriverEvent) {
        switch event {
        case .formatChanged(let format): adopt(format)
        case .serverLost: changePhase(from: .rendering, to: .lost)
        case .serverReturned(let format):
            // The driver delivers this event before its thread enters the core again.
            changePhase(from: .lost, to: .rendering)
            adopt(format)
        case .serverGone: control.withLock { $0.phase = .closed }
        case .xrun, .devicesChanged: break
        }
        observers.send(.driver(event))
    }
}
