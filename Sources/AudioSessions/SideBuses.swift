internal import AudioRendering

/// The buses of a session beside its own, each for some ports of its route (MULTI-1). Held weakly: who plays on one keeps it.
final class SideBuses: Sendable {
    struct Side: Sendable {
        let bus: SessionBus
        let uids: Set<String>
    }

    private struct WeakSide {
        weak var bus: SessionBus?
        let uids: Set<String>
    }
    private let list = Locked<[WeakSide]>([])
    private let led = Locked<(outputs: Set<String>, inputs: Set<String>)>(([], []))

    /// The outputs that the session's sound was led to last.
    var uids: Set<String> { led.withLock { $0.outputs } }
    /// And the inputs that it came from.
    var allUIDs: Set<String> { led.withLock { $0.outputs.union($0.inputs) } }

    func lead(to outputs: Set<String>, from inputs: Set<String>) { led.withLock { $0 = (outputs, inputs) } }

    func add(_ bus: SessionBus, for uids: Set<String>) {
        list.withLock { list in
            list.removeAll { $0.bus == nil }
            list.append(WeakSide(bus: bus, uids: uids))
        }
    }

    /// The bus for these ports, if there is one.
    func bus(for uids: Set<String>) -> SessionBus? { list.withLock { list in list.first { $0.uids == uids }?.bus } }

    var living: [Side] {
        list.withLock { $0.compactMap { side in side.bus.map { Side(bus: $0, uids: side.uids) } } }
    }
}
