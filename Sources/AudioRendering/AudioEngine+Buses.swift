internal import Platform

/// Buses: adding those of sessions, and finding those of mixers.
extension AudioEngine {
    /// Adds the bus of a session. `gate` is its `sgate_page_t *`; `owner` keeps that page alive.
    /// Throws `noFreeBus`, `commandQueueFull` or `outOfMemory`.
    public func makeSessionBus(
        gate: OpaquePointer, owner: any AnyObject & Sendable
    ) throws(AudioEngineError) -> SessionBus {
        reclaim()
        let limit = configuration.maximumBuses
        let identity = try control.changePlan { plan throws(AudioEngineError) in
            guard let slot = plan.freeSlot(limit: limit) else { throw .noFreeBus(limit: limit) }
            let bus = EnginePlan.Bus(gate: EnginePlan.Gate(page: gate, owner: owner), slot: slot)
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
