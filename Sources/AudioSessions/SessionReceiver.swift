internal import AudioRendering
internal import Platform
internal import SessionArbiter

/// Forwards the arbiter's notices to a session, and new gates to its buses. It is created first,
/// because the arbiter may send notices before the session and its buses exist.
final class SessionReceiver: SessionObserver {
    private struct Target {
        var handler: (@Sendable (SessionNotice) -> Void)?
        /// The newest gate.
        var gate: SessionGate?
        var buses: [GatedBus] = []
    }
    /// A bus, and the gate that controls it.
    private struct GatedBus {
        weak var bus: SessionBus?
        var gate: SessionGate
    }
    private let target = Mutex(Target())
    private let gateUpdates = Mutex(())
    /// Called when another arbiter has sent a gate: it may know fewer devices than the previous
    /// one.
    private let arbiterChanged: @Sendable () -> Void

    init(whenArbiterChanges body: @escaping @Sendable () -> Void) { arbiterChanged = body }

    /// Sets the handler of the notices; earlier ones are dropped.
    func setHandler(_ handler: @escaping @Sendable (SessionNotice) -> Void) {
        target.withLock { $0.handler = handler }
    }

    func setInitialGate(_ gate: SessionGate) {
        target.withLock { target in
            // A gate that arrived meanwhile is newer.
            if target.gate == nil { target.gate = gate }
        }
    }

    /// Creates a bus that is controlled by the session's current gate, and by each later one.
    /// Throws engineGone if no gate has been set; `SessionConnection` sets one first.
    func makeBus(in engine: AudioEngine) throws(AudioEngineError) -> SessionBus {
        guard let gate = target.withLock({ $0.gate }) else { throw .engineGone }
        let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        // Released after the lock: the last reference to a bus may be among them.
        let living = target.withLock { target in
            let living = target.buses.map(\.bus)
            target.buses = zip(target.buses, living).filter { $1 != nil }.map(\.0) + [GatedBus(bus: bus, gate: gate)]
            return living
        }
        withExtendedLifetime(living) {}
        applyNewestGate()
        return bus
    }

    func receive(_ notice: SessionNotice) {
        applyNewestGate()
        target.withLock { $0.handler }?(notice)
    }

    func replaceGate(_ gate: SessionGate) {
        target.withLock { $0.gate = gate }
        applyNewestGate()
        arbiterChanged()
    }

    /// Applies the newest gate to the buses that follow an older one. If memory cannot be allocated
    /// or the command queue is full, the last grant holds, and the next notice tries again.
    private func applyNewestGate() {
        // Serialized, so that the newest page is applied last.
        gateUpdates.withLock { _ in
            let (gate, outdated) = target.withLock { target in
                (target.gate, target.buses.filter { $0.gate !== target.gate }.compactMap(\.bus))
            }
            guard let gate else { return }
            for bus in outdated where (try? bus.replaceGate(gate.page, owner: gate)) != nil {
                target.withLock { target in
                    if let index = target.buses.firstIndex(where: { $0.bus === bus }) {
                        target.buses[index].gate = gate
                    }
                }
            }
        }
    }
}
