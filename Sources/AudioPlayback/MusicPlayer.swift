public import AudioSessions

/// Plays music in a session that the library supplies, and that the app cannot change (PLAY-3).
///
/// The session is in category playback: while music plays, it interrupts other primary sessions,
/// the app's own included, and its interruptions, routes and remote commands are handled without
/// the app. An app that plays sounds beside a music player therefore makes its own session mixable:
/// with category ambient, or with option mixWithOthers, or with duckOthers to lower the music. The
/// session is deactivated, with notice to those that it interrupted, when the music has ended, is
/// stopped or released.
///
/// Media keys and the desktop's media control drive the player (REMOTE-1). Every method is safe
/// from any thread.
public final class MusicPlayer: Sendable {
    public typealias Item = AudioQueue.Item
    public typealias Event = AudioQueue.Event

    let own: PlayerSession
    private let queue: AudioQueuePlayer
    private let remote: PlayerRemoteControl

    /// Creates a player without items. Throws the error that prevented the creation of its session.
    public init(host: AudioSessionHost = .shared) throws {
        own = try PlayerSession(on: host, mode: .default)
        queue = try AudioQueuePlayer(session: own.session)
        remote = try PlayerRemoteControl(queue)
        own.follow(queue.playback)
    }

    /// Ends playback; the session leaves with notice.
    deinit {
        queue.stop()
        own.playbackChanged(nil)
    }

    // MARK: Playing

    /// Starts or resumes playback. Throws as `AudioQueuePlayer.play` does.
    public func play() throws { try queue.play() }

    /// Plays an item from its beginning. Throws badParam if it is not in the queue.
    public func play(_ item: Item) throws { try queue.play(item) }

    /// Pauses playback. The session stays active.
    public func pause() { queue.pause() }

    /// Stops playback and keeps the position. The session leaves with notice.
    public func stop() { queue.stop() }

    /// Moves to the next item; after the last one playback ends, unless all items repeat.
    public func next() { queue.next() }

    /// Moves to the beginning of the item, or to the previous item within its first three seconds.
    public func previous() { queue.previous() }

    // MARK: Items

    /// The items, in the order of the queue.
    public var items: [Item] { queue.items }
    /// The item being played, or that `play()` will play; nil if there are no items.
    public var currentItem: Item? { queue.currentItem }

    /// Replaces all items, and returns the new ones. Ends playback.
    @discardableResult
    public func setItems(_ sources: some Sequence<PlaybackSource>) -> [Item] {
        queue.removeAll()
        return queue.append(contentsOf: sources)
    }

    /// Appends items, and returns them.
    @discardableResult
    public func append(contentsOf sources: some Sequence<PlaybackSource>) -> [Item] {
        queue.append(contentsOf: sources)
    }

    /// Appends an item with a gain of its own, such as that of a `LoudnessNormalization`, and
    /// returns it.
    @discardableResult
    public func append(_ source: PlaybackSource, gain: Float = 1, repetitions: Int = 0) -> Item {
        queue.append(source, gain: gain, repetitions: repetitions)
    }

    /// Inserts an item that is played next, also if shuffled, and returns it.
    @discardableResult
    public func insertNext(_ source: PlaybackSource, gain: Float = 1, repetitions: Int = 0) -> Item {
        queue.insertNext(source, gain: gain, repetitions: repetitions)
    }

    /// Removes an item. If it is being played, the next item follows, or playback ends.
    public func remove(_ item: Item) { queue.remove(item) }

    /// Moves an item to `index`, clamped to the queue.
    public func move(_ item: Item, to index: Int) { queue.move(item, to: index) }

    /// What follows the last item, or each item.
    public var repeatMode: AudioQueue.RepeatMode {
        get { queue.repeatMode }
        set { queue.repeatMode = newValue }
    }

    /// Whether the items are played in a random order.
    public var isShuffled: Bool {
        get { queue.isShuffled }
        set { queue.isShuffled = newValue }
    }

    // MARK: State

    /// Whether music is playing.
    public var isPlaying: Bool { queue.isPlaying }
    /// Whether it is paused part-way, by `pause()` or an interruption.
    public var isPaused: Bool { queue.isPaused }

    /// The position in seconds of the current item; set it to seek.
    public var currentTime: Double {
        get { queue.currentTime }
        set { queue.currentTime = newValue }
    }

    /// The length of the current item in seconds; infinite if its source does not declare it, nil
    /// before it has been opened.
    public var duration: Double? { queue.duration }

    /// The volume: a linear gain, 0 or more.
    public var volume: Float {
        get { queue.volume }
        set { queue.volume = newValue }
    }

    /// Adds a handler for events, as `AudioQueuePlayer.onEvent` does.
    public func onEvent(_ handler: @escaping @Sendable (Event) -> Void) { queue.onEvent(handler) }

    /// The events from now on, until the player is released.
    public var events: AsyncStream<Event> { queue.events }
}
