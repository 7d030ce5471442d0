/// The items of a queue, the order in which they are played, and what follows what.
struct PlayOrder {
    typealias Item = AudioQueue.Item

    private(set) var items: [Item] = []
    var repeatMode = AudioQueue.RepeatMode.off
    private(set) var isShuffled = false
    /// The ids of the items in the order in which they are played.
    private(set) var order: [Int] = []
    private var random: any RandomNumberGenerator & Sendable

    init(random: any RandomNumberGenerator & Sendable) { self.random = random }

    var first: Item? { order.first.flatMap(item) }

    func item(_ id: Int) -> Item? { items.first { $0.id == id } }

    /// Returns the item after another one. `isSkip`: the user asked for it, so that one item is not
    /// repeated. At the end of the order, begins it again if all items repeat, in a new order if
    /// shuffled.
    mutating func next(after id: Int, isSkip: Bool) -> Item? {
        if repeatMode == .one, !isSkip { return item(id) }
        guard let index = order.firstIndex(of: id) else { return first }
        if index + 1 < order.count { return item(order[index + 1]) }
        guard repeatMode != .off else { return nil }
        if isShuffled {
            order.shuffle(using: &random)
            // Not the same item twice in a row.
            if order.count > 1, order[0] == id { order.swapAt(0, order.count - 1) }
        }
        return first
    }

    /// Returns the id of the item that follows another one, without a new order at the end of this
    /// one.
    func following(_ id: Int) -> Int? {
        if repeatMode == .one { return id }
        guard let index = order.firstIndex(of: id) else { return order.first }
        return index + 1 < order.count ? order[index + 1] : repeatMode == .all ? order.first : nil
    }

    /// Returns the item before another one; nil at the beginning, unless all items repeat.
    func previous(before id: Int) -> Item? {
        guard let index = order.firstIndex(of: id) else { return first }
        if index > 0 { return item(order[index - 1]) }
        return repeatMode == .all ? order.last.flatMap(item) : nil
    }

    /// Inserts an item. If shuffled, it is played at a random time after `current`.
    mutating func insert(_ item: Item, at index: Int, current: Int?) {
        let place: Int
        if isShuffled {
            let earliest = current.flatMap { order.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
            place = Int.random(in: earliest...order.count, using: &random)
        } else {
            place = index
        }
        items.insert(item, at: index)
        order.insert(item.id, at: place)
    }

    /// Inserts an item that is played next after `current`.
    mutating func insert(_ item: Item, after current: Int?) {
        let index = current.flatMap { id in items.firstIndex { $0.id == id } }.map { $0 + 1 } ?? 0
        let place = current.flatMap { order.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
        items.insert(item, at: index)
        order.insert(item.id, at: place)
    }

    mutating func remove(_ id: Int) {
        items.removeAll { $0.id == id }
        order.removeAll { $0 == id }
    }

    /// Moves an item to another index, and, unless shuffled, to that place in the order.
    mutating func move(_ id: Int, to index: Int) {
        guard let item = item(id) else { return }
        items.removeAll { $0.id == id }
        items.insert(item, at: min(max(0, index), items.count))
        if !isShuffled { order = items.map(\.id) }
    }

    /// Shuffles the items after `current`, which becomes the first; or restores their order.
    mutating func setShuffled(_ isShuffled: Bool, current: Int?) {
        guard self.isShuffled != isShuffled else { return }
        self.isShuffled = isShuffled
        order = items.map(\.id)
        guard isShuffled else { return }
        order.shuffle(using: &random)
        if let current, let index = order.firstIndex(of: current) { order.swapAt(0, index) }
    }
}
