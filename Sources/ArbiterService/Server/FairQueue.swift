/// A queue of clients in the order in which they were added. Each client is in it at most once, so
/// that none has to wait indefinitely.
struct FairQueue {
    private var present: Set<UInt64> = []
    private var order: ArraySlice<UInt64> = []

    var isEmpty: Bool { present.isEmpty }

    mutating func insert(_ client: UInt64) {
        if present.insert(client).inserted { order.append(client) }
    }

    mutating func formUnion(_ clients: some Sequence<UInt64>) { for client in clients { insert(client) } }

    mutating func remove(_ client: UInt64) {
        guard present.remove(client) != nil else { return }
        order.removeAll { $0 == client }
    }

    mutating func popFirst() -> UInt64? {
        guard let first = order.popFirst() else { return nil }
        present.remove(first)
        return first
    }
}
