internal import AudioRendering
internal import Platform

/// A session's buses in addition to its main bus, each routed to some ports of its route (MULTI-1),
/// or to other programs (PLAY-6). They are held weakly: clients that hold a bus or play on it keep
/// it alive.
final class AuxiliaryBuses: Sendable {
    struct AuxiliaryBus: Sendable {
        let bus: SessionBus
        /// The ports; nil: the bus is routed to other programs.
        let uids: Set<String>?
    }

    private struct WeakAuxiliaryBus {
        weak var bus: SessionBus?
        let uids: Set<String>?
    }
    private let list = Mutex<[WeakAuxiliaryBus]>([])
    private let routed = Mutex<(outputs: Set<String>, inputs: Set<String>)>(([], []))

    /// The uids of the outputs that the session was last routed to.
    var uids: Set<String> { routed.withLock { $0.outputs } }
    /// The uids of these outputs and of the inputs of the route.
    var allUIDs: Set<String> { routed.withLock { $0.outputs.union($0.inputs) } }

    func setRouted(to outputs: Set<String>, from inputs: Set<String>) { routed.withLock { $0 = (outputs, inputs) } }

    func add(_ bus: SessionBus, for uids: Set<String>?) {
        // Released after the lock: the last reference to a bus may be among them.
        let living = list.withLock { list in
            let living = list.map(\.bus)
            list = zip(list, living).filter { $1 != nil }.map(\.0) + [WeakAuxiliaryBus(bus: bus, uids: uids)]
            return living
        }
        withExtendedLifetime(living) {}
    }

    /// Returns the bus for exactly these ports, if there is one.
    func bus(for uids: Set<String>) -> SessionBus? { list.withLock { list in list.first { $0.uids == uids }?.bus } }

    var living: [AuxiliaryBus] {
        list.withLock {
            $0.compactMap { auxiliary in auxiliary.bus.map { AuxiliaryBus(bus: $0, uids: auxiliary.uids) } }
        }
    }
}
