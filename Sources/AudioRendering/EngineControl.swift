internal import CRenderCore
internal import Dispatch
internal import Platform

/// The control side of an engine: its plan, and the queue by which plans and commands reach the
/// render core.
///
/// The engine owns it. The handles of buses, inputs and voices act through it, and refer to it
/// weakly, because the engine holds voices, and voices hold their bus.
final class EngineControl: Sendable {
    let identity = EngineIdentity()
    let core: RenderCore
    let driver: any RenderDriver
    let background: EngineBackground
    let observers = Broadcaster<EngineEvent>()
    /// Serializes the driver's calls for ports of other programs.
    let portRemovals = DispatchQueue(label: "audio-engine.port-removals")
    /// Its lock, the control lock, is never held across a driver call that may block, nor while
    /// handlers run or objects of the app are released.
    private let state: Mutex<State>

    struct State {
        var plan: EnginePlan
        var midi = MIDIRouting()
        /// The voices that were started and are not yet reclaimed, by handle.
        var voices: [UInt64: StartedVoice] = [:]
        /// The recorder of a capture that a change of its output ended, kept until `stopCapture`.
        var endedRecorder: OutputRecorder?
        /// The slots of the session buses that had signal when the engine last reported it.
        var slotsWithSignal: Set<Int> = []
        var audibleSlots: Set<Int> = []
        var phase = Phase.closed
        /// The server's sample rate in Hz; 0 until the server was first reached.
        var sampleRate = 0
        /// The engine's clock while the engine is suspended; nil: the core counts its frames.
        var suspendedClock: SuspendedClock?
        /// Whether the speed of some voice was computed for another sample rate.
        var hasOutdatedSpeeds = false
    }

    /// The engine's state. Only while `rendering` may the render thread be in the core, where it
    /// executes the commands. `lost`: rendering resumes when the server returns. `released`: the
    /// engine no longer exists, and with it the sources of its voices, which the core refers to.
    /// Only a call that was in progress meanwhile still finds this phase.
    enum Phase { case closed, open, rendering, lost, released }

    init(core: RenderCore, driver: any RenderDriver) {
        self.core = core
        self.driver = driver
        background = EngineBackground(core: core)
        state = Mutex(State(plan: EnginePlan(maximumChannels: Int(core.sizes.max_channels))))
    }

    /// Accesses the state under the control lock. Afterwards, releases the objects that only
    /// replaced plans referred to: their `deinit` may call the engine, or release it.
    func withState<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var unused: [any AnyObject & Sendable] = []
        defer { withExtendedLifetime(unused) {} }
        return try state.withLock { state throws(Failure) in
            defer {
                unused = state.plan.unused + state.midi.unused
                (state.plan.unused, state.midi.unused) = ([], [])
            }
            return try body(&state)
        }
    }

    /// Ends the use of the core, once the driver is closed: no thread enters it afterwards.
    func release() { withState { $0.phase = .released } }

    func changePhase(from before: Phase, to after: Phase) {
        withState { state in
            guard state.phase == before else { return }
            state.phase = after
            if after == .lost { rcore_end_keys(core.handle) }
            applyCommandsIfIdle(&state)
        }
    }

    // MARK: Commands

    /// Posts one command, under the lock: the queue has one producer at a time.
    func command(
        _ what: @autoclosure () -> String, _ body: (OpaquePointer) -> rcore_status_t
    ) throws(AudioEngineError) {
        let status = withState { state in
            let status = body(core.queue)
            applyCommandsIfIdle(&state)
            return status
        }
        guard status == RCORE_OK else { throw AudioEngineError(status, what()) }
    }

    /// Applies the queued commands, with a cycle of zero frames, if no thread renders: otherwise
    /// they would accumulate in the queue. Then releases the plans that the core no longer uses.
    func applyCommandsIfIdle(_ state: inout State) {
        if state.phase != .rendering, state.phase != .released, !driver.isRendering {
            rcore_process(core.handle, nil, 0, nil, 0, 0)
        }
        state.plan.collect(from: core.handle)
        state.midi.collect(from: core.handle)
        _ = rcore_collect_tempo_maps(core.handle)
    }

    /// Posts commands all together or not at all; called under the lock.
    func transaction(_ commands: (OpaquePointer) -> rcore_status_t) throws(AudioEngineError) {
        var status = rcore_transaction_begin(core.queue)
        if status == RCORE_OK { status = commands(core.queue) }
        if status == RCORE_OK { status = rcore_transaction_commit(core.queue) }
        guard status == RCORE_OK else {
            rcore_transaction_cancel(core.queue)
            throw AudioEngineError(status, "a transaction of several commands")
        }
    }

    /// Checks that the queue has room for these commands and for one more, the plan, by posting
    /// them in a transaction that it cancels. No other thread posts through this queue.
    private func checkRoom(for commands: (OpaquePointer) -> rcore_status_t) throws(AudioEngineError) {
        var status = rcore_transaction_begin(core.queue)
        if status == RCORE_OK { status = commands(core.queue) }
        if status == RCORE_OK { status = rcore_post_stop_all(core.queue, UInt32.max, 0, 0) }
        rcore_transaction_cancel(core.queue)
        guard status == RCORE_OK else { throw AudioEngineError(status, "a graph's gains") }
    }

    // MARK: The plan

    /// Reads from the plan, under the lock.
    func read<Value, Failure: Error>(
        _ body: (EnginePlan) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try withState { state throws(Failure) in try body(state.plan) }
    }

    /// Changes the plan and posts it, followed by commands. On failure, restores the previous plan.
    /// If the change ends a capture, reports that.
    @discardableResult
    func changePlan<Value>(
        _ change: (inout EnginePlan) throws(AudioEngineError) -> Value,
        with commands: ((OpaquePointer) -> rcore_status_t)? = nil
    ) throws(AudioEngineError) -> Value {
        let format = driver.format
        let (value, ended) = try withState { state throws(AudioEngineError) in
            let (before, recorderBefore) = (state.plan, state.endedRecorder)
            do throws(AudioEngineError) {
                let value = try change(&state.plan)
                if let commands { try checkRoom(for: commands) }
                let ended = format.flatMap { endUnfitRecorder(&state, sampleRate: $0.sampleRate) }
                try post(&state)
                // The queue has room: `checkRoom` checked that.
                if let commands { try? transaction(commands) }
                applyCommandsIfIdle(&state)
                return (value, ended)
            } catch {
                (state.plan, state.endedRecorder) = (before, recorderBefore)
                throw error
            }
        }
        if let ended, let format { reportEnd(of: ended, becauseOf: format) }
        return value
    }

    /// Removes something from the plan, and posts the plan. If the queue is full, the old plan,
    /// which keeps the removed objects alive, stays in use until the next one is posted. If the
    /// change ends a capture, reports that.
    func removeFromPlan(_ remove: (inout EnginePlan) -> Void) {
        let format = driver.format
        let ended = withState { state in
            remove(&state.plan)
            let ended = format.flatMap { endUnfitRecorder(&state, sampleRate: $0.sampleRate) }
            try? post(&state)
            applyCommandsIfIdle(&state)
            return ended
        }
        if let ended, let format { reportEnd(of: ended, becauseOf: format) }
    }

    /// Posts the current plan, and reports its output latencies to the driver if they changed.
    private func post(_ state: inout State) throws(AudioEngineError) {
        let before = state.plan.outputLatencies
        try state.plan.post(to: core.queue, limit: Int(core.sizes.max_routes))
        let latencies = state.plan.outputLatencies
        // Reported on the background queue: not under the lock, and in the order in which the plans
        // were posted.
        if latencies != before { background.run { [driver] in driver.reportOutputLatencies(latencies) } }
    }

    /// Whether all crossfades between plans are complete: the core holds only the newest plan.
    var isSettled: Bool {
        withState { state in
            applyCommandsIfIdle(&state)
            return state.plan.isSettled
        }
    }

    /// Returns the slots of the session buses that have begun or ceased to have signal or to be
    /// audible since the last call.
    func takeSignalChanges() -> [Int] {
        withState { state in
            let current = Set(state.plan.buses.keys.filter { hasSignal(onSlot: $0, state) })
            let audible = Set(state.plan.buses.keys.filter { isAudible(onSlot: $0, state) })
            defer { (state.slotsWithSignal, state.audibleSlots) = (current, audible) }
            return current.symmetricDifference(state.slotsWithSignal)
                .union(audible.symmetricDifference(state.audibleSlots)).sorted()
        }
    }

    /// Returns whether the bus of a slot is audible.
    func isAudible(onSlot slot: Int) -> Bool { withState { isAudible(onSlot: slot, $0) } }

    private func isAudible(onSlot slot: Int, _ state: State) -> Bool {
        state.phase == .rendering && rcore_bus_is_audible(core.handle, UInt32(slot))
    }

    /// Returns whether the bus of a slot has signal.
    func hasSignal(onSlot slot: Int) -> Bool { withState { hasSignal(onSlot: slot, $0) } }

    /// Time stands still for the core while the engine does not render.
    private func hasSignal(onSlot slot: Int, _ state: State) -> Bool {
        (state.phase == .rendering || state.phase == .lost) && rcore_bus_has_signal(core.handle, UInt32(slot))
    }

    /// Forgets the signal of a removed bus: another one may have its slot next.
    func forgetSignal(ofSlot slot: Int) {
        withState { state in
            state.slotsWithSignal.remove(slot)
            state.audibleSlots.remove(slot)
        }
    }

    /// Releases inserts that are no longer audible, outside the lock: their owners belong to the
    /// app.
    func releaseInserts() {
        _ = withState { state in
            defer { state.plan.released = [] }
            return state.plan.released
        }
    }

    /// Checks that there are at least `least` outputs, not more than the engine has, all different
    /// and valid. nil, the shared outputs, is valid.
    func check(_ outputs: [OutputRoute]?, atLeast least: Int) throws(AudioEngineError) {
        guard let outputs else { return }
        let (most, mostChannels) = (Int(core.sizes.max_routes), Int(core.sizes.max_channels))
        guard (least...most).contains(outputs.count), Set(outputs).count == outputs.count,
            outputs.allSatisfy({ (1...mostChannels).contains($0.channels) && $0.firstChannel >= 0 })
        else {
            throw .invalidArgument(
                what: """
                    \(outputs.count) outputs; valid: \(least) to \(most), all different, each of 1 to \(mostChannels) channels
                    """)
        }
    }

    // MARK: The device

    /// Applies the driver's format: updates the speeds of voices, posts the plan again if it
    /// depends on what changed, and ends a capture that no longer fits its output.
    func adopt(_ format: HardwareFormat) {
        _ = rcore_set_sample_rate(core.handle, UInt32(clamping: format.sampleRate))
        let channels = max(1, min(format.outputChannels, Int(core.sizes.max_channels)))
        let ended: OutputRecorder? = withState { state in
            adopt(sampleRate: format.sampleRate, &state)
            state.suspendedClock?.setRate(format.sampleRate)
            let isRateOutdated = state.plan.sampleRate != format.sampleRate && state.plan.dependsOnSampleRate
            let isPlanOutdated = state.plan.deviceChannels != channels || isRateOutdated
            state.plan.deviceChannels = channels
            state.plan.sampleRate = format.sampleRate
            let ended = endUnfitRecorder(&state, sampleRate: format.sampleRate)
            guard ended != nil || isPlanOutdated else { return nil }
            try? post(&state)
            applyCommandsIfIdle(&state)
            return ended
        }
        if let ended { reportEnd(of: ended, becauseOf: format) }
    }

    /// Removes the capture's recorder from the plan, and returns it, if its sample rate or channel
    /// count is no longer that of the first output.
    private func endUnfitRecorder(_ state: inout State, sampleRate: Int) -> OutputRecorder? {
        guard let recorder = state.plan.outputRecorder,
            recorder.sampleRate != sampleRate || recorder.channels != state.plan.usedRoutes.first?.channels
        else { return nil }
        state.endedRecorder = recorder
        state.plan.outputRecorder = nil
        return recorder
    }

    private func reportEnd(of recorder: OutputRecorder, becauseOf format: HardwareFormat) {
        let failure = recorder.fail(becauseOfChangeTo: format)
        // On the background queue: the caller may hold `lifecycle`, or a lock that an observer
        // takes.
        background.run { [observers] in observers.send(.captureFailed(failure)) }
    }
}
