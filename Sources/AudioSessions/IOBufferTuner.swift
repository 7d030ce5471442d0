internal import AudioRendering
internal import Dispatch

/// Finds the shortest I/O buffer in which the server has no xruns, and watches it: it has the session wish for half as long a buffer as long as all is
/// clean, for a longer one after an xrun, and settles.
///
/// ```swift
/// let tuner = try IOBufferTuner(session: session)
/// tuner.start()
/// for await step in tuner.steps { print(step.periodFrames, step.kind) }
/// ```
///
/// It does so by `setPreferredIOBufferDuration` alone, so all that holds for wishes holds for it (HW-1, HW-2, HW-5): what others wish for, who gets what back,
/// and that nothing that plays loses its place. It counts while the session is active, in frames of sound. An xrun is what the driver counts: the server was
/// late, through whoever's fault. Where it tells of none, sound that takes longer than it lasts counts like one.
///
/// Begin when what the app does at its busiest is under way: a buffer is only as clean as it was under the load that it has seen. A wish of the app's own
/// (also 0) ends it and stands. What it wished for last stays when it is stopped. Safe from any thread; `steps` come on a thread of the library's.
public final class IOBufferTuner: Sendable {
    /// Whose wish it is. The tuner keeps it alive.
    public let session: AudioSession
    public let configuration: Configuration

    private struct State {
        var tuning: IOBufferTuning
        var isRunning = false
        var isEnded = false
        /// What the session wishes for while nobody but us has wished.
        var wish = 0.0
        /// The alarm that counts; others that still ring are out of date.
        var alarm: UInt64 = 0
        var isLookPosted = false
    }
    private let state: Locked<State>
    private let diary = TuningDiary()
    /// Where it looks and asks. Neither the driver's thread nor a notification's may wait for a server.
    private let queue = DispatchQueue(label: "audio-session.tuner")
    /// Ends what tells it of news.
    private let observation = Locked<(@Sendable () -> Void)?>(nil)

    /// Throws badParam for a configuration that nothing can be tuned with, and what the session could not be made for. Begins nothing yet.
    public init(session: AudioSession, configuration: Configuration = Configuration()) throws {
        try configuration.check()
        _ = try session.engine
        self.session = session
        self.configuration = configuration
        state = Locked(State(tuning: IOBufferTuning(configuration)))
    }

    deinit {
        observation.withLock { $0?() }
        diary.finish()
    }

    /// All that has happened so far and then whatever happens, to its end; each for every listener.
    public var steps: AsyncStream<Step> { diary.stream() }

    /// What has happened so far, the newest 1,024 of it: period and xruns against time, to be plotted.
    public var trace: [Step] { diary.trace }

    /// Begins; waits for an activation if the session is not active. Once: a tuner that was stopped has ended.
    public func start() {
        let wish = session.preferredIOBufferDuration
        let isNew = state.withLock { state in
            guard !state.isRunning, !state.isEnded else { return false }
            (state.isRunning, state.wish) = (true, wish)
            return true
        }
        guard isNew, let engine = try? session.engine else { return }
        let ofEngine = engine.observe { [weak self] event in
            if case .driver(let event) = event { self?.note(event) }
        }
        // Its activity, above all.
        let ofSession = session.streams.observe { [weak self] in self?.lookSoon() }
        observation.withLock {
            $0 = {
                ofEngine.cancel()
                ofSession()
            }
        }
        lookSoon()
    }

    /// Ends; on return it asks for nothing more, and the session keeps the wish it has. Not from within a notification.
    public func stop() { queue.sync { end(.stopped) } }

    /// The same without blocking.
    func stopped() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.end(.stopped)
                continuation.resume()
            }
        }
    }

    /// Forgets what had xruns and begins again with the present buffer: when the app's load has become less.
    public func restart() {
        state.withLock { $0.tuning.restart() }
        lookSoon()
    }

    /// Returns when it has looked at all that was told so far: for drivers without a clock. Not from within a notification.
    package func settle() { queue.sync {} }

    // MARK: Inside

    /// On the driver's thread.
    private func note(_ event: DriverEvent) {
        switch event {
        case .serverReturned: restart()
        case .serverGone: queue.async { [weak self] in self?.end(.serverGone) }
        case .formatChanged, .xrun, .serverLost, .devicesChanged: lookSoon()
        }
    }

    private func lookSoon() {
        let isPosted = state.withLock { state in
            defer { state.isLookPosted = true }
            return state.isLookPosted
        }
        guard !isPosted else { return }
        queue.async { [weak self] in
            guard let self else { return }
            state.withLock { $0.isLookPosted = false }
            look()
        }
    }

    /// On the queue, as all below.
    private func look() {
        while true {
            let (isRunning, wish) = state.withLock { ($0.isRunning, $0.wish) }
            guard isRunning else { return }
            guard abs(session.preferredIOBufferDuration - wish) < 1e-9 else { return end(.wishChanged) }
            let facts = facts()
            let next = advance(facts)
            switch next {
            case .rest: return arm(after: facts == nil && session.isActive ? Self.patience : nil)
            case .look(let frames):
                // Where nothing is rendered the frames do not come nearer: not in a hurry, then.
                let seconds = facts.map { Double(frames) / Double($0.sampleRate) } ?? 0
                return arm(after: max(.milliseconds(20), .seconds(seconds)))
            case .ask(let frames):
                guard let facts, ask(Double(frames) / Double(facts.sampleRate)) else { return }
            }
        }
    }

    private func advance(_ facts: IOBufferTuning.Facts?) -> IOBufferTuning.Next {
        let (next, steps) = state.withLock { state in
            let next = state.tuning.advance(facts)
            return (next, state.tuning.takeSteps())
        }
        diary.note(steps)
        return next
    }

    /// Nil while the session is not active or nothing is rendered.
    private func facts() -> IOBufferTuning.Facts? {
        guard session.isActive, let engine = try? session.engine, let format = engine.format, engine.driver.isRendering
        else { return nil }
        // Before the frame: were this thread away between the two, the sound would seem early, not late.
        let time = session.host.clock.now
        return IOBufferTuning.Facts(
            frame: engine.currentFrame, xruns: engine.statistics.xruns, sampleRate: format.sampleRate,
            periodFrames: format.periodFrames, server: format.serverName + "\n" + format.server,
            time: time)
    }

    /// Returns whether the session took the wish.
    private func ask(_ duration: Double) -> Bool {
        do {
            try session.setPreferredIOBufferDuration(duration)
            state.withLock { $0.wish = duration }
            return true
        } catch {
            end(.refused((error as? AudioSessionError)?.description ?? "\(error)"))
            return false
        }
    }

    /// Looks again after so long; others than the newest alarm are out of date.
    private func arm(after delay: Duration?) {
        let alarm = state.withLock { state in
            state.alarm += 1
            return state.alarm
        }
        guard let delay else { return }
        session.host.clock.call(after: delay) { [weak self] in
            guard let self, state.withLock({ $0.alarm == alarm }) else { return }
            lookSoon()
        }
    }

    /// Until an active session's engine is looked at again that does not render: nobody tells of its start.
    private static let patience = Duration.milliseconds(250)

    private func end(_ ending: Ending) {
        let steps: [Step]? = state.withLock { state in
            guard !state.isEnded else { return nil }
            (state.isRunning, state.isEnded) = (false, true)
            state.tuning.end(ending)
            return state.tuning.takeSteps()
        }
        guard let steps else { return }
        observation.withLock { $0.take() }?()
        diary.note(steps)
        diary.finish()
    }
}
