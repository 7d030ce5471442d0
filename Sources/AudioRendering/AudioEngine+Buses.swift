internal import Platform

/// Buses: adding those of sessions, and finding those of mixers.
extension AudioEngine {
    /// Adds the bus of a session. `gate` is its `sgate_page_t *`, and `keys` the arbiter's
    /// `sgate_keys_t *`: without it, the session is neither lowered by keys nor a key for others.
    /// `owner` keeps both pages alive.
    /// Throws `noFreeBus`, `commandQueueFull` or `outOfMemory`.
    public func makeSessionBus(
        gate: OpaquePointer, keys: OpaquePointer? = nil, owner: any AnyObject & Sendable
    ) throws(AudioEngineError) -> SessionBus {
        try makeBus(EnginePlan.Gate(page: gate, keys: keys, owner: owner), outputs: nil)
    }

    /// Adds a bus that plays to other programs, through ports of direction `output`, whenever the
    /// engine renders: no session controls it. The caller keeps the ports as long as the bus.
    /// Throws `invalidArgument`, `noFreeBus`, `commandQueueFull` or `outOfMemory`.
    public func makeBus(for ports: AudioPorts) throws(AudioEngineError) -> SessionBus {
        guard ports.belongs(to: control), ports.group.direction == .output else {
            throw .invalidArgument(what: "a bus for ports '\(ports.group.name)', which send nothing from here")
        }
        return try makeBus(nil, outputs: [ports.output])
    }

    private func makeBus(
        _ gate: EnginePlan.Gate?, outputs: [OutputRoute]?
    ) throws(AudioEngineError) -> SessionBus {
        reclaim()
        let limit = configuration.maximumBuses
        let identity = try control.changePlan { plan throws(AudioEngineError) in
            guard let slot = plan.freeSlot(limit: limit) else { throw .noFreeBus(limit: limit) }
            var bus = EnginePlan.Bus(gate: gate, slot: slot)
            bus.outputs = outputs
            plan.buses[slot] = bus
            return bus.strip.identity
        }
        let bus = SessionBus(identity: identity, control: control) { [weak self] in self?.reclaim() }
        sessions.withLock { $0[bus.slot] = WeakSession(bus: bus) }
        return bus
    }

    /// Returns the bus of this name from the mixer of any session. Throws `noSuchBus`, or
    /// `ambiguousBus` if several sessions have one.
    public func bus(_ name: String) throws(AudioEngineError) -> MixerBus {
        // The strong references are released outside the locks, because releasing the last one to a
        // session's bus frees its slot, which takes the control lock.
        let sessions = sessions.withLock { sessions in
            sessions.sorted { $0.key < $1.key }.compactMap(\.value.bus)
        }
        let mixers = control.read { plan in sessions.map { plan.buses[$0.slot]?.mixer ?? EnginePlan.Mixer() } }
        let found = zip(sessions, mixers).compactMap { session, mixer in
            mixer.strips[name].map { MixerBus(session: session, identity: $0.identity) }
        }
        guard let bus = found.first else {
            throw .noSuchBus(name: name, among: mixers.flatMap { $0.graph.buses.map(\.name) })
        }
        guard found.count == 1 else { throw .ambiguousBus(name: name, sessions: found.count) }
        return bus
    }
}
