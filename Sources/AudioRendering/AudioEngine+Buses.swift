internal import CRenderCore

/// Session buses: made, given another gate, given up.
extension AudioEngine {
    /// Adds the bus of a session. `gate` is its `sgate_page_t *`; `owner` keeps that page alive.
    public func makeSessionBus(
        gate: OpaquePointer, owner: any AnyObject & Sendable
    ) throws(AudioEngineError) -> SessionBus {
        reclaim()
        let limit = configuration.maximumBuses
        let identity = try control.withLock { control throws(AudioEngineError) in
            guard let slot = control.plan.freeSlot(limit: limit) else { throw .noFreeBus(limit: limit) }
            let bus = EnginePlan.Bus(gate: EnginePlan.Gate(page: gate, owner: owner), slot: slot)
            control.plan.buses[slot] = bus
            do throws(AudioEngineError) {
                try post(&control)
            } catch {
                control.plan.buses[slot] = nil
                throw error
            }
            settle(&control)
            return bus.strip.identity
        }
        let bus = SessionBus(identity: identity, engine: self)
        control.withLock { $0.plan.buses[bus.slot]?.session = bus }
        return bus
    }

    func removeBus(slot: Int) {
        control.withLock { control in
            control.plan.removeBus(slot: slot)
            // Without room on the ring the old plan stays until the next one; it keeps the gate alive.
            try? post(&control)
            settle(&control)
        }
    }

    func replaceGate(
        ofBus slot: Int, by page: OpaquePointer, owner: any AnyObject & Sendable
    ) throws(AudioEngineError) {
        try control.withLock { control throws(AudioEngineError) in
            let before = control.plan
            control.plan.replaceGate(ofBus: slot, by: EnginePlan.Gate(page: page, owner: owner))
            do throws(AudioEngineError) {
                try post(&control)
            } catch {
                control.plan = before
                throw error
            }
            settle(&control)
        }
    }

    func gateGain(ofBus slot: Int) -> Float { rcore_bus_gate_gain(core.handle, UInt32(slot)) }
}
