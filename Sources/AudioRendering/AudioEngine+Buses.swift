internal import CRenderCore
internal import Platform

/// Session buses: creation, replacement of the gate, and removal.
extension AudioEngine {
    /// Adds the bus of a session. `gate` is its `sgate_page_t *`; `owner` keeps that page alive.
    /// Throws `noFreeBus`, `commandQueueFull` or `outOfMemory`.
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
            applyCommandsIfIdle(&control)
            return bus.strip.identity
        }
        let bus = SessionBus(identity: identity, engine: self)
        control.withLock { $0.plan.buses[bus.slot]?.session = bus }
        return bus
    }

    func removeBus(slot: Int) {
        control.withLock { control in
            control.plan.removeBus(slot: slot)
            // If the queue is full, the old plan, which keeps the gate alive, stays until the next
            // one is posted.
            try? post(&control)
            applyCommandsIfIdle(&control)
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
            applyCommandsIfIdle(&control)
        }
    }

    func gateGain(ofBus slot: Int) -> Float { rcore_bus_gate_gain(core.handle, UInt32(slot)) }
}
