internal import AudioRendering
internal import Dispatch
internal import Platform

/// Finds the shortest I/O buffer with which the server has no xruns, and monitors it. The tuner
/// halves the session's preferred I/O buffer duration while the buffer is free of xruns, doubles it
/// after an xrun, and settles.
///
/// <!-- Tests/Unit/AudioSessionsTests/TunerTests.swift#tuning;
/// Scripts/check examples compares them -->
/// ```swift
/// // Once: the settled duration in seconds.
/// print(try await session.tuneIOBufferDuration())
/// let tuner = try IOBufferTuner(session: session)  // or for as long as the app wants
/// tuner.start()
/// ```
///
/// The tuner uses only `setPreferredIOBufferDuration`, so the rules for preferred values apply
/// (HW-1, HW-2, HW-5): they resolve competing requests, restore the server's values, and keep the
/// playback position. It counts time in frames rendered while the session is active. An xrun is
/// what the driver counts: the server missed a deadline, whichever client caused it. Where the
/// server reports no xruns, rendering that falls behind real time counts as one.
///
/// Start the tuner when the app is under its highest load: a buffer is proven only for the load
/// under which it was tested. If the app sets its own preferred duration, even 0, the tuner ends
/// and that value stays in effect. When the tuner is stopped, its last request stays in effect.
/// Calls are safe from any thread; `steps` are delivered on a library thread.
public final class IOBufferTuner: Sendable {
    public typealias Configuration = IOBufferTuningConfiguration
    public typealias Step = IOBufferTuningStep
    public typealias Settlement = IOBufferTuningSettlement
    public typealias Ending = IOBufferTuningEnding

    /// The session whose preferred I/O buffer duration the tuner sets. The tuner keeps it alive.
    public let session: AudioSession
    public let configuration: Configuration

    private struct State {
        var tuning: IOBufferTuning
        var isRunning = false
        var isEnded = false
        /// The preferred duration that the tuner last requested or found, in seconds. If the
        /// session has another value, the app has set its own.
        var request = 0.0
        /// The number of the pending timer; timers with other numbers are out of date.
        var timer: UInt64 = 0
        var isMeasurementScheduled = false
    }
    private let state: Mutex<State>
    private let history = TuningHistory()
    /// The queue on which the tuner measures and makes requests, because neither the driver's
    /// thread nor a notification thread may wait for a server.
    private let queue = DispatchQueue(label: "audio-session.tuner")
    /// Cancels the observation of the engine and the session.
    private let observation = Mutex<(@Sendable () -> Void)?>(nil)

    /// Creates a tuner without starting it. Throws badParam for an invalid configuration, and the
    /// error for which the session could not be created.
    public init(session: AudioSession, configuration: Configuration = Configuration()) throws {
        try configuration.check()
        _ = try session.engine
        self.session = session
        self.configuration = configuration
        state = Mutex(State(tuning: IOBufferTuning(configuration)))
    }

    deinit {
        observation.withLock { $0?() }
        history.finish()
    }

    /// All steps so far, then each new step until the tuner ends, delivered to every listener.
    public var steps: AsyncStream<Step> { history.stream() }

    /// The steps so far, at most the newest 1,024: period and xruns over time, for plotting.
    public var trace: [Step] { history.trace }

    /// Starts the tuner. If the session is not active, tuning begins with its activation. A tuner
    /// that was stopped has ended and cannot be started again.
    public func start() {
        let request = session.preferredIOBufferDuration
        let isNew = state.withLock { state in
            guard !state.isRunning, !state.isEnded else { return false }
            (state.isRunning, state.request) = (true, request)
            return true
        }
        guard isNew, let engine = try? session.engine else { return }
        let engineObservation = engine.observe { [weak self] event in
            if case .driver(let event) = event { self?.handle(event) }
        }
        // Session events include the start and the end of its activity.
        let cancelSessionObservation = session.delivery.observe { [weak self] in self?.scheduleMeasurement() }
        observation.withLock {
            $0 = {
                engineObservation.cancel()
                cancelSessionObservation()
            }
        }
        scheduleMeasurement()
    }

    /// Stops the tuner. On return it makes no further requests, and the session keeps its preferred
    /// duration. Do not call from within a notification.
    public func stop() { queue.sync { end(.stopped) } }

    /// Stops the tuner without blocking a thread.
    func stopped() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.end(.stopped)
                continuation.resume()
            }
        }
    }

    /// Discards the results and starts again with the current buffer. Call it when the app's load
    /// has decreased.
    public func restart() {
        state.withLock { $0.tuning.restart() }
        scheduleMeasurement()
    }

    /// Returns when the tuner has processed all events reported so far. For drivers whose cycles
    /// the caller runs. Do not call from within a notification.
    package func settle() { queue.sync {} }

    // MARK: Private

    /// Handles an event of the driver, on the driver's thread.
    private func handle(_ event: DriverEvent) {
        switch event {
        case .serverReturned: restart()
        case .serverGone: queue.async { [weak self] in self?.end(.serverGone) }
        case .formatChanged, .xrun, .serverLost, .devicesChanged: scheduleMeasurement()
        case .nodesChanged: break
        }
    }

    /// Measures soon on the queue, unless that is already scheduled.
    private func scheduleMeasurement() {
        let isPosted = state.withLock { state in
            defer { state.isMeasurementScheduled = true }
            return state.isMeasurementScheduled
        }
        guard !isPosted else { return }
        queue.async { [weak self] in
            guard let self else { return }
            state.withLock { $0.isMeasurementScheduled = false }
            measureAndAct()
        }
    }

    /// Measures, and carries out actions until it has to wait for a timer or an event. Runs on the
    /// queue, as do the methods below.
    private func measureAndAct() {
        while true {
            let (isRunning, request) = state.withLock { ($0.isRunning, $0.request) }
            guard isRunning else { return }
            guard abs(session.preferredIOBufferDuration - request) < 1e-9 else { return end(.requestChanged) }
            let facts = facts()
            let next = advance(facts)
            switch next {
            case .rest: return startTimer(after: facts == nil && session.isActive ? Self.renderingPollInterval : nil)
            case .look(let frames):
                // At least 20 ms: if nothing is rendered, the frame count does not advance, and
                // shorter waits would be a busy loop.
                let seconds = facts.map { Double(frames) / Double($0.sampleRate) } ?? 0
                return startTimer(after: max(.milliseconds(20), .seconds(seconds)))
            case .ask(let frames):
                guard let facts, requestDuration(Double(frames) / Double(facts.sampleRate)) else { return }
            }
        }
    }

    /// Passes the measurements to the algorithm, delivers its steps and returns its next action.
    private func advance(_ facts: IOBufferTuning.Facts?) -> IOBufferTuning.Next {
        let (next, steps) = state.withLock { state in
            let next = state.tuning.advance(facts)
            return (next, state.tuning.takeSteps())
        }
        history.append(steps)
        return next
    }

    /// Returns the current measurements; nil while the session is not active or nothing is
    /// rendered.
    private func facts() -> IOBufferTuning.Facts? {
        guard session.isActive, let engine = try? session.engine, let format = engine.format, engine.driver.isRendering
        else { return nil }
        // The time is read before the frame count: if this thread is preempted between the two,
        // rendering seems to be ahead of real time, never behind it.
        let time = session.host.clock.now
        return IOBufferTuning.Facts(
            frame: engine.currentFrame, xruns: engine.statistics.xruns, sampleRate: format.sampleRate,
            periodFrames: format.periodFrames, server: format.serverName + "\n" + format.server,
            time: time)
    }

    /// Requests a duration in seconds. If the session refuses it, ends the tuner and returns false.
    private func requestDuration(_ duration: Double) -> Bool {
        do {
            try session.setPreferredIOBufferDuration(duration)
            state.withLock { $0.request = duration }
            return true
        } catch {
            end(.refused((error as? AudioSessionError)?.description ?? "\(error)"))
            return false
        }
    }

    /// Schedules the next measurement and invalidates any pending timer; nil schedules none.
    private func startTimer(after delay: Duration?) {
        let timer = state.withLock { state in
            state.timer += 1
            return state.timer
        }
        guard let delay else { return }
        session.host.clock.call(after: delay) { [weak self] in
            guard let self, state.withLock({ $0.timer == timer }) else { return }
            scheduleMeasurement()
        }
    }

    /// How long the tuner waits before it checks again whether the engine of an active session
    /// renders: no event reports the start of rendering.
    private static let renderingPollInterval = Duration.milliseconds(250)

    /// Ends the tuner, unless it has ended: stops observing, and delivers the last step.
    private func end(_ ending: Ending) {
        let steps: [Step]? = state.withLock { state in
            guard !state.isEnded else { return nil }
            (state.isRunning, state.isEnded) = (false, true)
            state.tuning.end(ending)
            return state.tuning.takeSteps()
        }
        guard let steps else { return }
        observation.withLock { $0.take() }?()
        history.append(steps)
        history.finish()
    }
}
