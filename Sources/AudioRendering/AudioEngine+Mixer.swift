internal import CRenderCore
internal import Platform

/// Mixers: the bus graphs of sessions, and the values of their buses and sends.
extension AudioEngine {
    /// Returns the bus of this name from the mixer of any session. Throws `noSuchBus`, or
    /// `ambiguousBus` if several sessions have one.
    public func bus(_ name: String) throws(AudioEngineError) -> MixerBus {
        // The strong references are released outside the lock, because releasing the last one to a
        // session's bus frees its slot, which takes the lock.
        let sessions = control.withLock { control in
            control.plan.buses.sorted { $0.key < $1.key }.compactMap { _, bus in bus.session.map { ($0, bus.mixer) } }
        }
        let found = sessions.compactMap { session, mixer in
            mixer.strips[name].map { MixerBus(session: session, identity: $0.identity) }
        }
        guard let bus = found.first else {
            throw .noSuchBus(name: name, among: sessions.flatMap { $1.graph.buses.map(\.name) })
        }
        guard found.count == 1 else { throw .ambiguousBus(name: name, sessions: found.count) }
        return bus
    }

    func graph(of session: SessionBus) -> BusGraph {
        control.withLock { $0.plan.buses[session.slot]?.mixer.graph ?? BusGraph() }
    }

    func identity(ofBus name: String, in session: SessionBus) throws(AudioEngineError) -> BusIdentity {
        let mixer = control.withLock { $0.plan.buses[session.slot]?.mixer }
        guard let identity = mixer?.strips[name]?.identity else {
            throw .noSuchBus(name: name, among: mixer?.graph.buses.map(\.name) ?? [])
        }
        return identity
    }

    /// Replaces a session's mixer and stops the voices on the buses that it removes. Throws if an
    /// insert belongs to another engine or is on another bus.
    func setGraph(_ graph: BusGraph, of session: SessionBus) throws(AudioEngineError) {
        for bus in graph.buses where bus.insert.map({ !$0.claim(for: identity) }) ?? false {
            throw .badGraph(
                reason: "The insert of bus '\(bus.name)' belongs to another engine; create one for this engine.")
        }
        reclaim()
        var removed: [BusIdentity] = []
        try changePlan { plan throws(AudioEngineError) in
            removed = try plan.setGraph(graph, ofBus: session.slot, sizes: core.sizes)
            try plan.checkInserts()
        } with: { queue in
            // Voices on removed buses fade out within the crossfade.
            let fade = rcore_config_default().crossfade_frames
            return removed.map { rcore_post_stop_all(queue, UInt32($0.slot), fade, 0) }.first { $0 != RCORE_OK }
                ?? RCORE_OK
        }
        releaseInserts()
    }

    /// Releases inserts that are no longer audible, outside the lock: their owners belong to the
    /// app.
    func releaseInserts() {
        _ = control.withLock { control in
            defer { control.plan.released = [] }
            return control.plan.released
        }
    }

    // MARK: Buses

    func strip(of bus: any AudioBus) -> EnginePlan.Strip? { control.withLock { $0.plan[bus] } }

    /// Returns the description of a mixer's bus; nil for a session's bus, and if the bus does not
    /// exist.
    func description(of bus: any AudioBus) -> BusGraph.Bus? {
        control.withLock { control in
            guard control.plan[bus] != nil else { return nil }
            return bus.identity.name.flatMap { control.plan.buses[bus.session.slot]?.mixer.graph[$0] }
        }
    }

    func channels(of bus: any AudioBus) -> Int { control.withLock { $0.plan.channels(of: bus) } }

    func latencyFrames(of bus: any AudioBus) -> Int {
        control.withLock { control in control.plan[bus] == nil ? 0 : control.plan.latencies[bus.slot] ?? 0 }
    }

    /// Posts a command to an existing bus, and stores the value that it sets with `store`.
    func set(
        _ bus: any AudioBus, _ what: @autoclosure () -> String, _ store: (inout EnginePlan.Strip) -> Void,
        _ post: (OpaquePointer, UInt32) -> rcore_status_t
    ) throws(AudioEngineError) {
        try control.withLock { control throws(AudioEngineError) in
            guard var strip = control.plan[bus] else { throw bus.removed }
            let status = post(core.queue, UInt32(bus.slot))
            guard status == RCORE_OK else { throw AudioEngineError(status, what()) }
            store(&strip)
            control.plan[bus] = strip
            applyCommandsIfIdle(&control)
        }
    }

    /// Stops the voices of a bus and of the buses below it (not of buses that only send to it),
    /// including voices that wait for their start, on the frame `time` (nil: in the next period).
    /// One transaction: all or, if the queue has too little room, none.
    func stopAll(on bus: any AudioBus, fadeFrames: Int, at time: UInt64?) throws(AudioEngineError) {
        try control.withLock { control throws(AudioEngineError) in
            guard control.plan[bus] != nil else { throw bus.removed }
            let slots = control.plan.slots(under: bus).sorted()
            try transaction { queue in
                for slot in slots {
                    let status = rcore_post_stop_all(queue, UInt32(slot), UInt32(clamping: fadeFrames), time ?? 0)
                    if status != RCORE_OK { return status }
                }
                return RCORE_OK
            }
            applyCommandsIfIdle(&control)
        }
    }

    /// Whether a voice plays, or waits for its start, on a bus or on a bus below it. Voices on
    /// removed buses of a session count for the session's bus only.
    func hasPlayingVoices(on bus: any AudioBus) -> Bool {
        control.withLock { control in
            let slots = control.plan.slots(under: bus)
            return control.voices.values.contains { voice in
                guard voice.session === bus.session.identity,
                    bus.identity.name == nil || slots.contains(voice.slot)
                else { return false }
                let state = rcore_voice_state(core.handle, voice.handle)
                return state == RCORE_VOICE_WAITING || state == RCORE_VOICE_PLAYING
            }
        }
    }

    // MARK: Sends

    /// Returns the identity of a send. Throws `noSuchSend`, or `busRemoved` if the bus no longer
    /// exists.
    func send(from bus: MixerBus, to target: String) throws(AudioEngineError) -> SendIdentity {
        try control.withLock { control throws(AudioEngineError) in
            guard control.plan[bus] != nil, let mixer = control.plan.buses[bus.session.slot]?.mixer else {
                throw bus.removed
            }
            guard let state = mixer.sendStates[BusGraph.Send.Ends(source: bus.name, target: target)] else {
                throw Self.noSend(from: bus, to: target, mixer)
            }
            return state.identity
        }
    }

    /// Returns the level that a send was last set to; nil if a graph no longer has the send.
    func level(of send: SendIdentity, from bus: MixerBus, to target: String) -> Float? {
        let state = control.withLock { control in
            control.plan.buses[bus.session.slot]?.mixer.sendStates[BusGraph.Send.Ends(source: bus.name, target: target)]
        }
        return state?.identity === send ? state?.level : nil
    }

    /// Posts a command to an existing send, and stores the level that it sets.
    func setLevel(
        _ level: Float, of send: SendIdentity, from bus: MixerBus, to target: String, _ what: String,
        _ post: (OpaquePointer) -> rcore_status_t
    ) throws(AudioEngineError) {
        let ends = BusGraph.Send.Ends(source: bus.name, target: target)
        try control.withLock { control throws(AudioEngineError) in
            guard let mixer = control.plan.buses[bus.session.slot]?.mixer,
                mixer.sendStates[ends]?.identity === send
            else {
                throw Self.noSend(from: bus, to: target, control.plan.buses[bus.session.slot]?.mixer)
            }
            let status = post(core.queue)
            guard status == RCORE_OK else {
                throw AudioEngineError(status, "\(what) of the send from '\(bus.name)' to '\(target)'")
            }
            control.plan.buses[bus.session.slot]?.mixer.sendStates[ends]?.level = level
            applyCommandsIfIdle(&control)
        }
    }

    private static func noSend(from bus: MixerBus, to target: String, _ mixer: EnginePlan.Mixer?) -> AudioEngineError {
        let targets = mixer?.graph.sends.filter { $0.source == bus.name }.map(\.target) ?? []
        return .noSuchSend(from: bus.name, to: target, among: targets)
    }
}

extension AudioBus {
    /// The error for calls on a bus that no longer exists.
    var removed: AudioEngineError { identity.name.map { .busRemoved(name: $0) } ?? .engineGone }
}
