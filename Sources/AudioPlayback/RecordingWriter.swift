internal import AudioRendering
internal import AudioSessions
internal import Dispatch
internal import Foundation
internal import Platform

/// The thread that writes a recording to its files, from its preparation to its end.
///
/// It takes the frames of the input from a ring buffer, 20 times a second; without an input, it
/// sleeps. Only this thread waits for the disk. It owns the recording while it runs, so that a
/// recorder that is released leaves a complete file. Any thread may call the methods.
final class RecordingWriter: Sendable {
    /// Who is notified, all on the thread.
    struct Observer: Sendable {
        var event: @Sendable (AudioRecording.Event) -> Void
        /// The recording has ended: called before `waitForEnd` returns and before the event.
        var ended: @Sendable (RecordingWriter, AudioRecording) -> Void
        /// This input does not run any longer. May be called more than once.
        var inputStopped: @Sendable (AudioSessionInput) -> Void
    }

    private struct State {
        var timeline = RecordingTimeline()
        /// The start that the last release cancelled.
        var suspendedStart: (frame: UInt64, change: RecordingChange)?
        /// The input that is read, and those that follow it once it is released.
        var inputs: [AudioSessionInput] = []
        var levels: [AudioRecording.Level] = []
        var seconds = 0.0
        var frames = 0
        /// The number of the input's gaps that are in the timeline, or before the input.
        var gapCount: UInt64 = 0
        /// The engine's clock in the last round, and since when it has had this value.
        var clock: (frame: UInt64, since: ContinuousClock.Instant) = (0, .now)
        /// When the server was lost.
        var lossTime: ContinuousClock.Instant?
        var observation: EngineObservation?
        var thread: pthread_t?
        var hasStarted = false
    }
    private let work: Mutex<RecordingWork>
    /// Taken with the lock of `work` held, and held while the engine's clock is read: a change that
    /// is added at the current frame is never behind the frames that are processed.
    private let state = Mutex(State())
    private let engine: AudioEngine
    private let observer: Observer
    private let thread = WorkerThread()
    private let wakeUp = DispatchSemaphore(value: 0)
    private let result = Promise<AudioRecording>()

    /// The time between two rounds of the thread.
    private static let interval = DispatchTimeInterval.milliseconds(50)
    /// From this time without a cycle on, nothing will show how long a gap is. The longest period
    /// at a usual sample rate is 0.2 s.
    private static let standstill = Duration.seconds(1)

    init(_ work: sending RecordingWork, engine: AudioEngine, observer: Observer) {
        self.work = Mutex(work)
        self.engine = engine
        self.observer = observer
        let observation = engine.observe { [weak self] event in self?.handle(event) }
        state.withLock { state in
            state.observation = observation
            state.gapCount = engine.inputGapCount
        }
    }

    /// Adds an input, which is read from its beginning on once the earlier ones are released.
    /// Starts the thread if it does not run. Returns false if the system cannot create a thread.
    func attach(_ input: AudioSessionInput) -> Bool {
        let isFirst = state.withLock { state in
            if !state.inputs.contains(where: { $0 === input }) { state.inputs.append(input) }
            defer { state.hasStarted = true }
            return !state.hasStarted
        }
        guard isFirst else {
            wakeUp.signal()
            return true
        }
        let isStarted = thread.start(name: "audio-recorder") { [self] in run() }
        if !isStarted { state.withLock { $0.hasStarted = false } }
        return isStarted
    }

    /// Adds a change at `frame`, or now if that has passed; nil: now. Starts, pauses and ends
    /// replace starts that are to come.
    func schedule(_ change: RecordingChange, at frame: UInt64? = nil) {
        state.withLock { state in
            let now = engine.currentFrame
            var (frame, change) = (max(frame ?? now, now), change)
            if case .resume = change, let start = state.suspendedStart {
                (frame, change) = (max(start.frame, now), start.change)
            }
            if change.replacesStarts {
                let cancelled = state.timeline.cancelStarts(after: now)
                if case .release = change { state.suspendedStart = cancelled } else { state.suspendedStart = nil }
            }
            state.timeline.insert(change, at: frame)
        }
        wakeUp.signal()
    }

    /// Ends a recording that has no frame, whether or not the thread runs.
    func discard() {
        work.withLock { $0.apply(.finish(.stopped), at: 0, lostFrames: 0) }
        wakeUp.signal()
    }

    /// Waits until the recording has ended. Returns nil if the disk takes more than `seconds`, or
    /// if the caller is this thread. For one caller.
    func waitForEnd(seconds: Double) -> AudioRecording? {
        let thread = state.withLock { $0.thread }
        if let thread, pthread_equal(thread, pthread_self()) != 0 { return nil }
        return result.wait(seconds: seconds)
    }

    /// The levels of the channels.
    var levels: [AudioRecording.Level] { state.withLock { $0.levels } }
    /// The recorded time in seconds.
    var seconds: Double { state.withLock { $0.seconds } }
    /// The recorded frames of all files.
    var frames: Int { state.withLock { $0.frames } }

    // MARK: The thread

    private func run() {
        state.withLock { $0.thread = pthread_self() }
        while true {
            let isIdle = round()
            for event in work.withLock({ $0.takeEvents() }) {
                if case .ended(let recording) = event {
                    end(with: recording)
                    return observer.event(event)
                }
                observer.event(event)
            }
            if isIdle { wakeUp.wait() } else { _ = wakeUp.wait(timeout: .now() + Self.interval) }
        }
    }

    private func end(with recording: AudioRecording) {
        let released = state.withLock { state in
            defer { (state.inputs, state.observation) = ([], nil) }
            return (state.inputs, state.observation)
        }
        withExtendedLifetime(released) {}  // not released under the lock
        observer.ended(self, recording)
        result.set(recording)
    }

    /// Processes what the inputs have recorded, and applies the changes up to now. Returns whether
    /// there is nothing to do until the next wake-up.
    private func round() -> Bool {
        while true {
            guard let input = state.withLock({ $0.inputs.first }) else { return applyChangesWithoutInput() }
            guard drain(input) else {
                if !input.isRunning { observer.inputStopped(input) }
                return false
            }
            // Not released under the lock.
            let released = state.withLock { $0.inputs.first === input ? $0.inputs.removeFirst() : nil }
            withExtendedLifetime(released) {}
            if work.withLock({ $0.hasEnded }) { return false }
        }
    }

    /// Processes the frames that `input` has recorded until now. Returns whether it is to be
    /// released, or the recording has ended.
    private func drain(_ input: AudioSessionInput) -> Bool {
        let now = state.withLock { state in beginRound(&state) }
        let read = { input.capture.read().map { ($0, input.capture.lostFrames) } }
        var hasMore = true
        while hasMore {
            hasMore = work.withLock { work in
                defer { publish(work) }
                return work.process(
                    before: now, read: read, due: due, next: { state.withLock { $0.timeline.nextFrame } })
            }
        }
        return work.withLock { work in
            while !work.isReleased, !work.hasEnded, let change = due(now) {
                work.apply(change.change, at: change.frame, lostFrames: input.capture.lostFrames)
            }
            work.update()
            publish(work)
            return work.takeRelease() || work.hasEnded
        }
    }

    /// Adds new gaps of the input to the timeline. Returns the frame up to which all are known; or
    /// the current one, if the engine's clock stands still: then no cycle will show how long a gap
    /// is. [under the lock of the state]
    private func beginRound(_ state: inout State) -> UInt64 {
        let now = engine.currentFrame
        let limit = engine.inputGapLimit
        for gap in engine.inputGaps(from: &state.gapCount) {
            state.timeline.insert(.xrunGap(frames: gap.frames), at: gap.time)
        }
        if state.clock.frame != now { state.clock = (now, .now) }
        return state.clock.since.duration(to: .now) > Self.standstill ? now : min(now, limit)
    }

    /// Applies the changes up to now while there is no input: those after the next input's first
    /// frame are not among them. Returns whether there is nothing to do until the next wake-up.
    private func applyChangesWithoutInput() -> Bool {
        work.withLock { work in
            state.withLock { if $0.inputs.isEmpty { $0.gapCount = engine.inputGapCount } }
            while !work.hasEnded,
                let change = state.withLock({ state in
                    state.inputs.isEmpty ? state.timeline.take(through: engine.currentFrame) : nil
                })
            {
                work.apply(change.change, at: change.frame, lostFrames: 0)
                _ = work.takeRelease()
            }
            publish(work)
            return !work.hasEnded && state.withLock { $0.inputs.isEmpty && $0.timeline.nextFrame == nil }
        }
    }

    private func due(_ frame: UInt64) -> (frame: UInt64, change: RecordingChange)? {
        state.withLock { $0.timeline.take(through: frame) }
    }

    private func publish(_ work: RecordingWork) {
        let (progress, levels) = (work.progress, work.levels)
        state.withLock { state in
            (state.seconds, state.frames) = progress
            state.levels = levels
        }
    }

    // MARK: The engine

    /// Records changes of the server.
    private func handle(_ event: EngineEvent) {
        guard case .driver(let event) = event else { return }
        switch event {
        case .formatChanged(let format): schedule(.sampleRate(format.sampleRate))
        case .serverLost: state.withLock { $0.lossTime = .now }
        case .serverReturned(let format):
            let lossTime = state.withLock { state in
                defer { state.lossTime = nil }
                return state.lossTime
            }
            if let lossTime { schedule(.serverGap(seconds: lossTime.duration(to: .now) / .seconds(1))) }
            schedule(.sampleRate(format.sampleRate))
            schedule(.serverReturned)
        case .serverGone: schedule(.finish(.serverGone))
        case .xrun, .devicesChanged, .nodesChanged: break
        }
    }
}
