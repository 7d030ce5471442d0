internal import CRenderCore

/// Routes and inputs: where session buses lead, and what they hear.
extension AudioEngine {
    /// The outputs that session buses lead to: those of the first bus in front.
    public var routes: [OutputRoute] { control.withLock { $0.plan.usedRoutes } }

    /// Leads all session buses that have no outputs of their own to these at once, each by the usual channel map or its own (`SessionBus.setMap`); nil is one
    /// over all channels of the device. What is heard cross-fades from the old routes to the new. Throws `invalidArgument` for none, for too many, and for a channel below 0.
    public func setRoutes(_ routes: [OutputRoute]?) throws(AudioEngineError) {
        try check(routes, atLeast: 1)
        try changePlan { $0.routes = routes }
    }

    /// Whether what was led elsewhere has faded out: the plan in use is the only one that is left.
    package var isSettled: Bool {
        control.withLock { control in
            settle(&control)
            return control.plan.isSettled
        }
    }

    /// Leads some buses to outputs of their own, all in one plan: what is led elsewhere cross-fades, the rest is not touched by one bit
    /// (MULTI-3). See `SessionBus.lead`.
    public func lead(_ buses: [BusDestination]) throws(AudioEngineError) {
        for destination in buses {
            try check(destination.outputs, atLeast: 0)
            guard destination.bus.belongs(to: self), (destination.inputs?.lowerBound ?? 0) >= 0 else {
                throw .invalidArgument(what: "leading a bus of another engine")
            }
        }
        guard control.withLock({ control in buses.contains { $0.differs(from: control.plan) } }) else { return }
        try changePlan { plan in
            for destination in buses {
                plan.lead(bus: destination.bus.slot, to: destination.outputs, from: destination.inputs)
            }
        }
    }

    func check(_ outputs: [OutputRoute]?, atLeast least: Int) throws(AudioEngineError) {
        guard let outputs else { return }
        let most = configuration.maximumChannels
        guard (least...configuration.maximumRoutes).contains(outputs.count), Set(outputs).count == outputs.count,
            outputs.allSatisfy({ (1...most).contains($0.channels) && $0.firstChannel >= 0 })
        else {
            throw .invalidArgument(
                what: """
                    \(outputs.count) outputs: \(least) to \(configuration.maximumRoutes), none of them twice, each of 1 to \(most) channels
                    """)
        }
    }

    func setMap(_ map: ChannelMap?, ofBus slot: Int, route: Int) throws(AudioEngineError) {
        let (channels, outputs) = control.withLock { control in
            (control.plan.channels(ofBus: slot), control.plan.buses[slot].map { control.plan.outputs(of: $0) } ?? [])
        }
        guard outputs.indices.contains(route),
            map.map({ $0.inputs == channels && $0.outputs == outputs[route].channels }) ?? true
        else {
            throw .invalidArgument(
                what: "a channel map to output \(route) of \(outputs.count): \(channels) channels in, the output's out")
        }
        try changePlan { $0.buses[slot]?.maps[route] = map }
    }

    func channels(ofBus slot: Int) -> Int { control.withLock { $0.plan.channels(ofBus: slot) } }

    func outputs(ofBus slot: Int) -> [OutputRoute] {
        control.withLock { control in control.plan.buses[slot].map { control.plan.outputs(of: $0) } ?? [] }
    }

    /// Changes the plan and posts it, with commands behind it; on failure all is as it was.
    func changePlan(
        _ change: (inout EnginePlan) throws(AudioEngineError) -> Void,
        with commands: ((OpaquePointer) -> rcore_status_t)? = nil
    ) throws(AudioEngineError) {
        let format = driver.format
        let ended: Capture? = try control.withLock { control throws(AudioEngineError) in
            let (before, captureBefore) = (control.plan, control.endedCapture)
            do throws(AudioEngineError) {
                try change(&control.plan)
                if let commands { try makeRoom(for: commands) }
                let ended = format.flatMap { endUnfitCapture(&control, sampleRate: $0.sampleRate) }
                try post(&control)
                // There is room.
                if let commands { try? group(commands) }
                settle(&control)
                return ended
            } catch {
                (control.plan, control.endedCapture) = (before, captureBefore)
                throw error
            }
        }
        guard let ended, let format else { return }
        let failure = ended.end(at: format)
        // Elsewhere: who leads buses may hold what an observer asks for.
        background.tell { [observers] in observers.tell(.captureFailed(failure)) }
    }

    /// Posts commands all together or not at all; under control's lock.
    func group(_ commands: (OpaquePointer) -> rcore_status_t) throws(AudioEngineError) {
        var status = rcore_group_begin(core.port)
        if status == RCORE_OK { status = commands(core.port) }
        if status == RCORE_OK { status = rcore_group_commit(core.port) }
        guard status == RCORE_OK else {
            rcore_group_cancel(core.port)
            throw AudioEngineError(status, "several commands at once")
        }
    }

    /// Sees that these commands would be taken, and one more: nobody else posts through this port.
    private func makeRoom(for commands: (OpaquePointer) -> rcore_status_t) throws(AudioEngineError) {
        var status = rcore_group_begin(core.port)
        if status == RCORE_OK { status = commands(core.port) }
        if status == RCORE_OK { status = rcore_post_stop_all(core.port, UInt32.max, 0, 0) }
        rcore_group_cancel(core.port)
        guard status == RCORE_OK else { throw AudioEngineError(status, "a graph's gains") }
    }

    // MARK: Inputs

    /// Listens to channels of the device's input for a session: silence until its permission is granted, nothing while it is interrupted.
    /// `captureFrames` is how much may wait to be read. Throws `noFreeInput`, `invalidArgument` or `outOfMemory`.
    public func makeInput(
        for bus: SessionBus, channels: Int = 1, firstChannel: Int = 0, captureFrames: Int = 65_536
    ) throws(AudioEngineError) -> EngineInput {
        guard bus.belongs(to: self), (1...configuration.maximumChannels).contains(channels), firstChannel >= 0 else {
            throw .invalidArgument(
                what: "an input of \(channels) channels from \(firstChannel), for a bus of this engine")
        }
        let capture = try InputCapture(channels: channels, frames: captureFrames)
        let limit = configuration.maximumInputs
        let slot = try control.withLock { control throws(AudioEngineError) in
            guard let slot = control.plan.freeInput(limit: limit) else { throw .noFreeInput(limit: limit) }
            guard let gate = control.plan.buses[bus.slot]?.gate else {
                throw .invalidArgument(what: "an input for a bus that is gone")
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
            settle(&control)
            return slot
        }
        return EngineInput(channels: channels, slot: slot, capture: capture, engine: self)
    }

    func removeInput(slot: Int) {
        control.withLock { control in
            control.plan.removeInput(slot: slot)
            // Without room on the ring the old plan stays until the next one.
            try? post(&control)
            settle(&control)
        }
    }

    func inputPeak(slot: Int, channel: Int) -> Float {
        rcore_take_input_peak(core.handle, UInt32(slot), UInt32(clamping: channel))
    }
}
