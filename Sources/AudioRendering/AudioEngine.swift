internal import CRenderCore
internal import Platform

/// The render engine of a process: one render core, one driver, one bus for each session, and the
/// voices that play on these buses.
///
/// Every method is safe from any thread. Opening, starting, stopping, closing and requesting a
/// period may wait for the audio server; the other methods do not. The render thread takes no lock.
public final class AudioEngine: Sendable {
    /// The sizes that the engine was created with.
    public let configuration: Configuration
    /// The driver that calls the render core.
    public let driver: any RenderDriver
    /// The engine's transport.
    public let transport: AudioTransport
    let control: EngineControl
    let retired: RetiredSounds
    let pages: PageLoader
    /// The session buses by slot, for `bus`.
    let sessions = Mutex<[Int: WeakSession]>([:])
    /// Held while ended voices and sounds are reclaimed; taking it waits for a reclaim in progress.
    /// Never held while handlers run.
    let voices = Mutex(Voices())
    /// Serializes opening, starting, stopping and closing of the driver, and is held while the
    /// driver does so. Never held while the engine calls handlers.
    private let lifecycle = Mutex(())

    struct WeakSession { weak var bus: SessionBus? }

    struct Voices {
        /// The voices that were started and are not yet reclaimed, by handle.
        var started: [UInt64: Voice] = [:]
        /// Reclaimed voices with an `onEnd` handler, and the sessions of all reclaimed voices; both
        /// are still to be reported.
        var ended: [Voice] = []
        var endedSessions: [ObjectIdentifier: BusIdentity] = [:]
    }

    /// Creates an engine for a driver, without opening the driver. Throws `invalidArgument` for a
    /// size out of range, or `outOfMemory`.
    public init(
        driver: any RenderDriver, configuration: Configuration = Configuration()
    ) throws(AudioEngineError) {
        let core = try RenderCore(configuration.coreSizes)
        self.configuration = configuration
        self.driver = driver
        control = EngineControl(core: core, driver: driver)
        transport = try AudioTransport(control: control)
        retired = RetiredSounds(core: core)
        pages = PageLoader(core: core, bytes: configuration.pageCacheSize)
        // Resets what an earlier engine has set.
        driver.reportOutputLatencies([])
        try? driver.useTransport(.own, replacesLeader: false)
        driver.setEventHandler { [weak self] event in self?.handle(event) }
        driver.setPrepareHandler { [weak self] in self?.runBackgroundWork() }
        driver.setFillHandler { [weak self] in self?.fillForCycle() }
        control.background.setWork { [weak self] in self?.runBackgroundWork() }
    }

    deinit {
        control.background.end()
        driver.close()
        for port in control.withState({ $0.midi.ports }) { driver.removeMIDIPort(port) }
        // A call on a bus or an input that is in progress keeps `control` alive, but not the
        // voices.
        control.release()
    }

    // MARK: The driver

    /// The server's current format; nil while the driver is closed or the server is lost (keeps
    /// HW-1).
    public var format: HardwareFormat? { driver.format }

    /// The engine frame at which the next period begins: the number of frames rendered so far, plus
    /// the time for which the engine was suspended. While a period is rendered, this advances with
    /// each of its blocks. Timed commands use this clock. Takes a lock, so it is not for render
    /// callbacks.
    public var currentFrame: UInt64 { control.currentFrame }

    /// The driver's counters and loads.
    public var statistics: DriverStatistics { driver.statistics }

    /// The render core's counters.
    public var counters: RenderCounters { RenderCounters(rcore_read_counters(control.core.handle)) }

    /// Connects to the server without rendering, and returns the server's format. Idempotent.
    @discardableResult
    public func open() throws(DriverError) -> HardwareFormat {
        try lifecycle.withLock { _ throws(DriverError) in try openDriver() }
    }

    /// Opens the driver and applies its format, with `lifecycle` held.
    private func openDriver() throws(DriverError) -> HardwareFormat {
        let format = try driver.open(core: control.core)
        control.adopt(format)
        control.withState { if $0.phase == .closed { $0.phase = .open } }
        return format
    }

    /// Starts rendering, and opens the driver first if necessary. Idempotent.
    public func start() throws(DriverError) {
        try lifecycle.withLock { _ throws(DriverError) in
            _ = try openDriver()
            // A driver without a clock calls the prepare handler instead.
            guard !driver.hasClock || control.background.start() else {
                throw .cannotCreateThread
            }
            // Set before the driver's thread enters the core: from then on, no other thread may.
            let (before, wasSuspended) = control.withState { state in
                let before = (state.phase, state.suspendedClock != nil)
                control.endSuspension(&state)
                state.phase = .rendering
                control.updateOutdatedSpeeds(&state)
                return before
            }
            do throws(DriverError) {
                try driver.start()
            } catch {
                if wasSuspended {
                    control.beginSuspension()
                } else if before != .rendering {
                    control.withState { if $0.phase != .closed { $0.phase = before } }
                }
                throw error
            }
        }
        // A transport that rolls goes on.
        control.background.run { [weak self] in self?.runBackgroundWork() }
    }

    /// Stops rendering; voices keep their positions.
    public func stop() {
        lifecycle.withLock { _ in halt() }
        finishBackgroundWork()
    }

    /// Stops rendering, and has the server no longer wake the process in each period, until
    /// `start`: an app that is not heard for a while then costs next to no energy. Voices keep
    /// their positions; the clock continues, so that timed commands that fall into the suspension
    /// are late (INT-8). Devices and formats are still reported, and the loss of the server.
    /// Connections that other programs made return with `start`.
    ///
    /// `AudioSessionHost` suspends its engine while no session is active. A capture in progress
    /// does not record the suspension.
    public func suspend() {
        lifecycle.withLock { _ in
            control.silenceMIDIOutputs()
            driver.suspend()
            control.beginSuspension()
        }
        // Not on this thread: handlers may activate sessions, which wait for the queue on which a
        // host suspends its engine.
        control.background.run { [weak self] in self?.runBackgroundWork() }
    }

    /// Whether the engine is suspended.
    package var isSuspended: Bool { control.withState { $0.suspendedClock != nil } }

    /// Stops the driver, with `lifecycle` held.
    private func halt() {
        control.silenceMIDIOutputs()
        driver.stop()
        control.withState { state in
            control.endSuspension(&state)
            if state.phase == .rendering { rcore_end_received_notes(control.core.handle) }
            rcore_end_keys(control.core.handle)
            if state.phase != .closed { state.phase = .open }
        }
    }

    /// Closes the driver and ends every voice.
    public func close() {
        lifecycle.withLock { _ in
            halt()
            driver.close()
            control.withState { state in
                state.phase = .closed
                control.applyCommandsIfIdle(&state)  // makes room in the queue for the next command
                _ = rcore_post_stop_all(control.core.queue, UInt32.max, 0, 0)
                control.applyCommandsIfIdle(&state)
            }
            control.background.end()
        }
        finishBackgroundWork()
    }

    /// Requests a period (buffer size), in frames, and returns the period that the server then has
    /// (keeps HW-1).
    public func requestPeriod(frames: Int) throws(DriverError) -> Int {
        try driver.requestPeriod(frames: frames)
    }

    /// Calls `handler` for every event until the returned observation is canceled or released: on a
    /// thread of the engine or the driver, or of the caller that opens, stops or closes the engine.
    /// The handler must not wait for the driver: it must neither activate the session nor request
    /// preferred values, nor query latencies. It may do all that on another thread.
    public func observe(_ handler: @escaping @Sendable (EngineEvent) -> Void) -> EngineObservation {
        EngineObservation(onCancel: control.observers.add(handler))
    }

    // MARK: Capture of an output

    /// Whether a capture is in progress.
    package var isCapturing: Bool { control.read { $0.outputRecorder != nil } }

    /// Starts a capture: records the exact signal of the first output in `routes` to a file at
    /// `path`, whose extension selects the format (`AudioFileWriter.knownExtensions`). Ends a
    /// running capture without a summary. To record an input, use `makeInput`.
    ///
    /// Throws `CaptureError` if the engine is not open, the file cannot be created, or the engine
    /// cannot add the capture.
    public func startCapture(path: String) throws(CaptureError) { try startCapture(path: AudioFilePath(path)) }

    /// Starts a capture to a file whose name need not be valid UTF-8, like the other method.
    public func startCapture(path: AudioFilePath) throws(CaptureError) {
        guard let format = driver.format else { throw .notOpen }
        let channels = control.read { $0.usedRoutes.first?.channels ?? $0.deviceChannels }
        let recorder = try OutputRecorder(path: path, channels: channels, sampleRate: format.sampleRate)
        do throws(AudioEngineError) {
            try control.changePlan { $0.outputRecorder = recorder }
        } catch {
            throw .engine(error)
        }
    }

    /// Ends the capture, completes its file and returns a summary, also of a capture that has ended
    /// early; nil if there was none. To include the last period, stop the engine first.
    public func stopCapture() -> CaptureSummary? {
        let recorder = control.withState { state in
            defer { state.endedRecorder = nil }
            return state.plan.outputRecorder ?? state.endedRecorder
        }
        try? control.changePlan { $0.outputRecorder = nil }
        return recorder?.finish()
    }

    // MARK: Inside

    /// Handles an event of the driver, on the driver's thread, then delivers it to observers.
    private func handle(_ event: DriverEvent) {
        switch event {
        case .formatChanged(let format): control.adopt(format)
        case .serverLost:
            rcore_end_received_notes(control.core.handle)
            rcore_silence_midi_outputs(control.core.handle)  // in the first cycle after its return
            control.changePhase(from: .rendering, to: .lost)
        case .serverReturned(let format):
            // The driver delivers this event before its thread enters the core again: what
            // observers change until then applies from the first frame on.
            control.adopt(format)
            control.observers.send(.driver(event))
            return control.changePhase(from: .lost, to: .rendering)
        case .serverGone:
            control.withState { state in
                control.endSuspension(&state)
                state.phase = .closed
            }
            // No bus has signal any longer.
            control.background.run { [weak self] in self?.runBackgroundWork() }
        case .xrun, .devicesChanged, .nodesChanged: break
        }
        control.observers.send(.driver(event))
    }
}
