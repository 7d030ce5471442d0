internal import AudioRendering
internal import Platform
internal import SessionArbiter

/// Forwards the arbiter's notices to a session, and new gates to its buses; and suspends the buses
/// while the session's outputs are missing. It is created first, because the arbiter may send
/// notices before the session and its buses exist.
final class SessionReceiver: SessionObserver {
    private struct Target {
        var handler: (@Sendable (SessionNotice) -> Void)?
        /// The newest gate.
        var gate: SessionGate?
        /// The gate that suspends the session while its outputs are missing.
        var suspendedGate: SessionGate?
        /// While the session is suspended: whether one of its buses had signal before.
        var hadSignal: Bool?
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

    /// `suspendedGate` is for `suspend`.
    func setInitialGate(_ gate: SessionGate, _ suspendedGate: SessionGate) {
        target.withLock { target in
            // A gate that arrived meanwhile is newer.
            if target.gate == nil { target.gate = gate }
            target.suspendedGate = suspendedGate
        }
    }

    /// Whether one of the buses has signal. While the session is suspended, the last value before
    /// that: its sources have not stopped.
    var hasSignal: Bool {
        let (hadSignal, buses) = target.withLock { ($0.hadSignal, $0.buses.compactMap(\.bus)) }
        return hadSignal ?? buses.contains(where: \.hasSignal)
    }

    /// Whether one of the buses is audible (`SessionBus.isAudible`).
    var isAudible: Bool { target.withLock { $0.buses.compactMap(\.bus) }.contains(where: \.isAudible) }

    /// Suspends the session's sources at their next frame, without a fade, until `resume`. Call it
    /// while no thread renders (keeps SRV-2).
    func suspend() {
        let hasSignal = hasSignal
        target.withLock { target in
            guard let gate = target.gate, target.hadSignal == nil else { return }
            target.suspendedGate?.suspend(as: gate)
            target.hadSignal = hasSignal
        }
        applyNewestGate()
    }

    /// Ends a suspension: the session's gate applies again, with a fade-in.
    func resume() {
        let wasSuspended = target.withLock { target in
            defer { target.hadSignal = nil }
            return target.hadSignal != nil
        }
        if wasSuspended { applyNewestGate() }
    }

    /// Creates a bus that is controlled by the session's current gate, and by each later one.
    /// Throws engineGone if no gate has been set; `SessionConnection` sets one first.
    func makeBus(in engine: AudioEngine) throws(AudioEngineError) -> SessionBus {
        guard let gate = target.withLock({ $0.gate }) else { throw .engineGone }
        let bus = try engine.makeSessionBus(gate: gate.page, keys: gate.keys?.page, owner: gate)
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

    /// Applies the newest gate, or the suspended one, to the buses that follow another one. If
    /// memory cannot be allocated or the command queue is full, the last grant holds, and the next
    /// notice tries again.
    private func applyNewestGate() {
        // Serialized, so that the newest page is applied last.
        gateUpdates.withLock { _ in
            let (gate, outdated) = target.withLock { target in
                let gate = target.hadSignal == nil ? target.gate : target.suspendedGate ?? target.gate
                return (gate, target.buses.filter { $0.gate !== gate }.compactMap(\.bus))
            }
            guard let gate else { return }
            for bus in outdated
            where (try? bus.replaceGate(gate.page, keys: gate.keys?.page, owner: gate)) != nil {
                target.withLock { target in
                    if let index = target.buses.firstIndex(where: { $0.bus === bus }) {
                        target.buses[index].gate = gate
                    }
                }
            }
        }
    }
}
