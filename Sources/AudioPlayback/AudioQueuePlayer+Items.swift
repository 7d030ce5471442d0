public import AudioRendering
internal import Platform

/// The items of a queue, their order, and how they sound.
///
/// An item that has been read ahead, about one second before it is heard, can still be changed: the
/// stream then starts again at its position, with a crossfade of 5 ms.
extension AudioQueuePlayer {
    /// The items, in the order of the queue.
    public var items: [Item] { content.withOrder { $0.items } }

    /// The items in the order in which they are played: another one if shuffled.
    public var playOrder: [Item] { content.withOrder { order in order.order.compactMap(order.item) } }

    /// Appends an item, and returns it.
    @discardableResult
    public func append(_ source: PlaybackSource, gain: Float = 1, repetitions: Int = 0) -> Item {
        insert(source, at: .max, gain: gain, repetitions: repetitions)
    }

    /// Appends items, and returns them. Do not append many items one by one: while the last item
    /// plays, each call may start the stream again.
    @discardableResult
    public func append(contentsOf sources: some Sequence<PlaybackSource>) -> [Item] {
        let items = sources.map { Item($0) }
        change { order, current in
            for item in items { order.insert(item, at: order.items.count, current: current) }
        }
        return items
    }

    /// Inserts an item before that at `index`, clamped to the queue, and returns it. If shuffled,
    /// it is played at a random time after the current one.
    @discardableResult
    public func insert(_ source: PlaybackSource, at index: Int, gain: Float = 1, repetitions: Int = 0) -> Item {
        let item = Item(source, gain: gain, repetitions: repetitions)
        change { $0.insert(item, at: min(max(0, index), $0.items.count), current: $1) }
        return item
    }

    /// Inserts an item that is played next, also if shuffled, and returns it.
    @discardableResult
    public func insertNext(_ source: PlaybackSource, gain: Float = 1, repetitions: Int = 0) -> Item {
        let item = Item(source, gain: gain, repetitions: repetitions)
        change { $0.insert(item, after: $1) }
        return item
    }

    /// Removes an item. If it is being played, the next item follows, or playback ends. No effect
    /// if the item is not in the queue.
    public func remove(_ item: Item) {
        guard currentItem == item else { return change { order, _ in order.remove(item.id) } }
        move { state in
            // The next item may have begun meanwhile.
            guard content.item(at: state.position) == item else {
                content.withOrder { $0.remove(item.id) }
                return state.position
            }
            let next = content.neighbour(of: state.position, isNext: true)
            content.withOrder { $0.remove(item.id) }
            // The only item of a queue that repeats follows itself.
            let isLast = next.map { content.item(at: $0) == item } ?? true
            return isLast ? nil : next
        }
    }

    /// Removes all items and ends playback.
    public func removeAll() {
        move { _ in
            content.withOrder { order in
                for item in order.items { order.remove(item.id) }
            }
            return nil
        }
    }

    /// Moves an item to `index`, clamped to the queue. If shuffled, the order of playing stays. No
    /// effect if the item is not in the queue.
    public func move(_ item: Item, to index: Int) { change { order, _ in order.move(item.id, to: index) } }

    /// What follows the last item, or each item; `off`, as initially: nothing.
    public var repeatMode: RepeatMode {
        get { content.withOrder { $0.repeatMode } }
        set { change { order, _ in order.repeatMode = newValue } }
    }

    /// Whether the items are played in a random order. Setting it to true shuffles the items after
    /// the current one; if all items repeat, every round has an order of its own. Setting it to
    /// false continues in the order of the queue.
    public var isShuffled: Bool {
        get { content.withOrder { $0.isShuffled } }
        set { change { $0.setShuffled(newValue, current: $1) } }
    }

    /// Changes the order. If the stream has already read what follows the current item, and that is
    /// something else now, starts it again.
    private func change(_ body: (inout PlayOrder, _ current: Int?) -> Void) {
        let current = currentItem?.id
        content.withOrder { body(&$0, current) }
        let (position, hasVoice) = playback.state.withLock { ($0.position, $0.voice != nil) }
        if hasVoice, content.isOutdated(behind: position) {
            move { $0.position }
        } else {
            playback.changes.send(())
        }
    }

    // MARK: Sound

    /// The volume: a linear gain, like `AudioPlayer.volume`.
    public var volume: Float {
        get { playback.sound.volume }
        set { setVolume(newValue, fadeDuration: 0.005) }
    }

    /// Ramps to a volume, like `AudioPlayer.setVolume(_:fadeDuration:)`.
    public func setVolume(_ volume: Float, fadeDuration: Double) {
        playback.setVolume(volume, fadeDuration: fadeDuration)
    }

    /// The balance, like `AudioPlayer.pan`.
    public var pan: Float {
        get { playback.sound.pan }
        set { playback.setPan(newValue) }
    }

    /// The speed, like `AudioPlayer.speed`.
    public var speed: Float {
        get { playback.sound.speed }
        set { playback.setSpeed(newValue) }
    }

    /// The tempo without a change of pitch, like `AudioPlayer.rate`. Items still follow one another
    /// without a gap.
    public var rate: Float {
        get { playback.sound.rate }
        set { playback.setRate(newValue) }
    }

    /// The level of each channel of the bus that the queue plays on in the last tenth of a second,
    /// before volume and pan; empty while the queue does not play.
    public var levels: [AudioLevel] { playback.levels ?? [] }
}
