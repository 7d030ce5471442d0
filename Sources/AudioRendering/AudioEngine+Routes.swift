internal import CRenderCore
internal import Platform

/// Routes and inputs: the outputs that session buses are routed to, and the channels that they
/// record.
extension AudioEngine {
    /// The outputs that session buses are routed to, those of the first bus first; without buses,
    /// the shared outputs.
    public var routes: [OutputRoute] { control.withLock { $0.plan.usedRoutes } }

    /// Sets the shared outputs, to which all session buses without outputs of their own are routed,
    /// with the standard channel map or their own (`SessionBus.setMap`). nil is one output with all
    /// channels of the device.
    ///
    /// The old outputs crossfade to the new ones. Throws `invalidArgument` for an empty list, for
    /// too many or equal outputs, for a first channel below 0, and for a channel count out of
    /// range.
    public func setRoutes(_ routes: [OutputRoute]?) throws(AudioEngineError) {
        try check(routes, atLeast: 1)
        try changePlan { $0.routes = routes }
    }

    /// Whether all crossfades between plans are complete: the core holds only the newest plan.
    package var isSettled: Bool {
        control.withLock { control in
            applyCommandsIfIdle(&control)
            return control.plan.isSettled
        }
    }

    /// Routes some buses to outputs of their own, all in one plan. Rerouted buses crossfade; the
    /// others are not affected, bit for bit (MULTI-3). See `SessionBus.setOutputs`.
    public func route(_ buses: [BusRouting]) throws(AudioEngineError) {
        for routing in buses {
            try check(routing.outputs, atLeast: 0)
            guard routing.bus.belongs(to: self), (routing.inputs?.lowerBound ?? 0) >= 0 else {
                throw .invalidArgument(what: "routing a bus of another engine, or from an input channel below 0")
            }
        }
        guard control.withLock({ control in buses.contains { $0.differs(from: control.plan) } }) else { return }
        try changePlan { plan in
            for routing in buses {
                plan.route(bus: routing.bus.slot, to: routing.outputs, from: routing.inputs)
            }
        }
    }

    /// Checks that there are at least `least` outputs, not more than the engine has, all different
    /// and valid. nil, the shared outputs, is valid.
    func check(_ outputs: [OutputRoute]?, atLeast least: Int) throws(AudioEngineError) {
        guard let outputs else { return }
        let most = configuration.maximumChannels
        guard (least...configuration.maximumRoutes).contains(outputs.count), Set(outputs).count == outputs.count,
            outputs.allSatisfy({ (1...most).contains($0.channels) && $0.firstChannel >= 0 })
        else {
            throw .invalidArgument(
                what: """
                    \(outputs.count) outputs; valid: \(least) to \(configuration.maximumRoutes), all different, each of 1 to \(most) channels
                    """)
        }
    }

    /// Implements `SessionBus.setMap`.
    func setMap(_ map: ChannelMap?, ofBus slot: Int, route: Int) throws(AudioEngineError) {
        let (channels, outputs) = control.withLock { control in
            (control.plan.channels(ofBus: slot), control.plan.buses[slot].map { control.plan.outputs(of: $0) } ?? [])
        }
        guard outputs.indices.contains(route),
            map.map({ $0.inputs == channels && $0.outputs == outputs[route].channels }) ?? true
        else {
            throw .invalidArgument(
                what:
                    "a channel map to output \(route) of \(outputs.count); valid: from \(channels) channels to its own")
        }
        try changePlan { $0.buses[slot]?.maps[route] = map }
    }

    func channels(ofBus slot: Int) -> Int { control.withLock { $0.plan.channels(ofBus: slot) } }

    func outputs(ofBus slot: Int) -> [OutputRoute] {
        control.withLock { control in control.plan.buses[slot].map { control.plan.outputs(of: $0) } ?? [] }
    }

    /// Changes the plan and posts it, followed by commands. On failure, restores the previous plan.
    /// If the change ends a capture, reports that.
    func changePlan(
        _ change: (inout EnginePlan) throws(AudioEngineError) -> Void,
        with commands: ((OpaquePointer) -> rcore_status_t)? = nil
    ) throws(AudioEngineError) {
        let format = driver.format
        let ended: OutputRecorder? = try control.withLock { control throws(AudioEngineError) in
            let (before, recorderBefore) = (control.plan, control.endedRecorder)
            do throws(AudioEngineError) {
                try change(&control.plan)
                if let commands { try checkRoom(for: commands) }
                let ended = format.flatMap { endUnfitRecorder(&control, sampleRate: $0.sampleRate) }
                try post(&control)
                // The queue has room: `checkRoom` checked that.
                if let commands { try? transaction(commands) }
                applyCommandsIfIdle(&control)
                return ended
            } catch {
                (control.plan, control.endedRecorder) = (before, recorderBefore)
                throw error
            }
        }
        guard let ended, let format else { return }
        let failure = ended.fail(becauseOfChangeTo: format)
        // On the background queue: the caller may hold a lock that an observer takes.
        background.run { [observers] in observers.send(.captureFailed(failure)) }
    }

    /// Posts commands all together or not at all; called under the control lock.
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

    // MARK: Inputs

    /// Creates an input that records channels of the device for a session: silence until the
    /// session's permission is granted, nothing while the session is interrupted. `captureFrames`
    /// is the number of recorded frames that may wait to be read; further frames are lost. Throws
    /// `noFreeInput`, `invalidArgument`, `commandQueueFull` or `outOfMemory`.
    public func makeInput(
        for bus: SessionBus, channels: Int = 1, firstChannel: Int = 0, captureFrames: Int = 65_536
    ) throws(AudioEngineError) -> EngineInput {
        guard bus.belongs(to: self), (1...configuration.maximumChannels).contains(channels), firstChannel >= 0 else {
            throw .invalidArgument(
                what: "an input of \(channels) channels from channel \(firstChannel), for a bus of this engine")
        }
        let capture = try InputCapture(channels: channels, frames: captureFrames)
        let limit = configuration.maximumInputs
        let slot = try control.withLock { control throws(AudioEngineError) in
            guard let slot = control.plan.freeInput(limit: limit) else { throw .noFreeInput(limit: limit) }
            guard let gate = control.plan.buses[bus.slot]?.gate else {
                throw .invalidArgument(what: "an input for a bus that no longer exists")
            }
            control.plan.inputs[slot] = EnginePlan.Input(
                description: EnginePlan.InputDescription(
                    channels: channels, firstChannel: firstChannel, source: control.plan.buses[bus.slot]?.inputs),
                capture: capture, gate: gate)
            do throws(AudioEngineError) {
                try post(&control)
            } catch {
                control.plan.inputs[slot] = nil
                throw error
            }
            applyCommandsIfIdle(&control)
            return slot
        }
        return EngineInput(channels: channels, slot: slot, capture: capture, engine: self)
    }

    func removeInput(slot: Int) {
        control.withLock { control in
            control.plan.removeInput(slot: slot)
            // If the queue is full, the old plan stays until the next one is posted.
            try? post(&control)
            applyCommandsIfIdle(&control)
        }
    }

    func inputPeak(slot: Int, channel: Int) -> Float {
        rcore_take_input_peak(core.handle, UInt32(slot), UInt32(clamping: channel))
    }
}
