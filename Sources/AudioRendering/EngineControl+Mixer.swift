internal import CRenderCore
internal import Platform

/// Mixers: the bus graphs of sessions, and the values of their buses and sends.
extension EngineControl {
    /// Replaces a session's mixer and stops the voices on the buses that it removes. Throws if an
    /// insert belongs to another engine or is on another bus.
    func setGraph(_ graph: BusGraph, ofBus slot: Int) throws(AudioEngineError) {
        for bus in graph.buses where bus.insert.map({ !$0.claim(for: identity) }) ?? false {
            throw .badGraph(
                reason: "The insert of bus '\(bus.name)' belongs to another engine; create one for this engine.")
        }
        var removed: [BusIdentity] = []
        try changePlan { plan throws(AudioEngineError) in
            removed = try plan.setGraph(graph, ofBus: slot, sizes: core.sizes)
            try plan.checkInserts()
        } with: { queue in
            // Voices on removed buses fade out within the crossfade.
            let fade = rcore_config_default().crossfade_frames
            return removed.map { rcore_post_stop_all(queue, UInt32($0.slot), fade, 0) }.first { $0 != RCORE_OK }
                ?? RCORE_OK
        }
        releaseInserts()
    }

    /// Posts a command to an existing bus, and stores the value that it sets with `store`.
    func set(
        _ bus: BusIdentity, _ what: @autoclosure () -> String, _ store: (inout EnginePlan.Strip) -> Void,
        _ post: (OpaquePointer, UInt32) -> rcore_status_t
    ) throws(AudioEngineError) {
        try withState { state throws(AudioEngineError) in
            guard var strip = state.plan[bus] else { throw bus.removed }
            let status = post(core.queue, UInt32(bus.slot))
            guard status == RCORE_OK else { throw AudioEngineError(status, what()) }
            store(&strip)
            state.plan[bus] = strip
            applyCommandsIfIdle(&state)
        }
    }

    /// Stops the voices of a bus and of the buses below it (not of buses that only send to it),
    /// including voices that wait for their start, on the frame `time` (nil: in the next period).
    /// One transaction: all or, if the queue has too little room, none.
    func stopAll(on bus: BusIdentity, fadeFrames: Int, at time: UInt64?) throws(AudioEngineError) {
        try withState { state throws(AudioEngineError) in
            guard state.plan[bus] != nil else { throw bus.removed }
            let slots = state.plan.slots(under: bus).sorted()
            try transaction { queue in
                for slot in slots {
                    let status = rcore_post_stop_all(
                        queue, UInt32(slot), UInt32(clamping: fadeFrames), time.commandTime)
                    if status != RCORE_OK { return status }
                }
                return RCORE_OK
            }
            applyCommandsIfIdle(&state)
        }
    }

    /// Posts a command to an existing send, and stores the level that it sets.
    func setLevel(
        _ level: Float, of send: SendIdentity, _ what: String, _ post: (OpaquePointer, UInt64) -> rcore_status_t
    ) throws(AudioEngineError) {
        try withState { state throws(AudioEngineError) in
            guard state.plan[send] != nil else { throw state.plan.noSend(send.ends, in: send.session) }
            let status = post(core.queue, UInt64(send.slot))
            guard status == RCORE_OK else {
                throw AudioEngineError(
                    status, "\(what) of the send from '\(send.ends.source)' to '\(send.ends.target)'")
            }
            state.plan[send]?.level = level
            applyCommandsIfIdle(&state)
        }
    }
}
