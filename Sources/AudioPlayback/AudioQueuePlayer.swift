public import AudioRendering
@_exported public import AudioSessions
internal import Platform

/// Plays a queue of sounds in a session, one after another, without a gap: the first frame of an
/// item follows the last one of the item before, whatever their formats. Items of one sample rate
/// are resampled as one signal, so that a recording that is split into files plays as one.
///
/// Items can be added, removed, reordered, shuffled and repeated at any time. The next item is
/// opened about one second before it is heard; one that cannot be opened is reported and skipped.
/// An interruption pauses the queue, as it does an `AudioPlayer`.
///
/// Every method is safe from any thread.
public final class AudioQueuePlayer: Sendable {
    public typealias Item = AudioQueue.Item
    public typealias RepeatMode = AudioQueue.RepeatMode
    public typealias ItemEnding = AudioQueue.ItemEnding
    public typealias Event = AudioQueue.Event

    /// The session that the queue plays in.
    public var session: AudioSession { playback.session }

    let playback: Playback
    let content: QueueContent
    private let listeners = Broadcaster<Event>()

    /// Creates an empty queue for a session, without activating it. `outputs` are ports of the
    /// session's route to play on; nil: all (MULTI-1). `random` shuffles.
    ///
    /// Throws the error that prevented the session's creation, or `badParam` for a port that is not
    /// in the route.
    public convenience init(
        session: AudioSession = .shared, outputs: [AudioSessionPortDescription]? = nil,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) throws {
        try self.init(session, outputs.map { try session.bus(to: $0) } ?? session.bus, random)
    }

    /// Creates an empty queue for a bus of a session's mixer (`SessionBus.setGraph`). Throws the
    /// error that prevented the session's creation, or `invalidArgument` for a bus of another
    /// session.
    public convenience init(
        session: AudioSession = .shared, on bus: any AudioBus,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) throws {
        guard session.has(bus) else {
            throw AudioEngineError.invalidArgument(
                what: "a queue on a bus of another session; pass that session, or a bus of this one")
        }
        try self.init(session, bus, random)
    }

    private init(
        _ session: AudioSession, _ bus: any AudioBus, _ random: any RandomNumberGenerator & Sendable
    ) throws {
        content = QueueContent(random: random)
        playback = try Playback(content, session: session, bus: bus)
        playback.listen { [weak self] event in self?.report(event) }
        content.listen { [listeners, changes = playback.changes] event in
            switch event {
            case .itemStarted, .itemRepeated: changes.send(())
            default: break
            }
            listeners.send(event)
        }
    }

    // MARK: Playing

    /// Starts playback from the current position, or resumes it. Activates the session first if
    /// necessary (keeps ACT-15). `fadeDuration` in seconds fades in, at most 3,600; nil: not at
    /// all, or 5 ms after a pause.
    ///
    /// While the queue is playing, the call has no effect. Throws errors of the session, the server
    /// and the engine, badParam if there are no items, and the error of the current item if neither
    /// it nor any later one can be opened; then nothing plays.
    public func play(fadeDuration: Double? = nil) throws {
        try playback.play(fadeSeconds: fadeDuration)
        announce()
    }

    /// Starts playback on exactly an engine frame, like `AudioPlayer.play(atFrame:fadeDuration:)`.
    public func play(atFrame frame: UInt64, fadeDuration: Double? = nil) throws {
        try playback.play(atFrame: frame, fadeSeconds: fadeDuration)
        announce()
    }

    /// Plays an item of the queue from its beginning. Throws as the other methods do, and badParam
    /// if the item is not in the queue.
    public func play(_ item: Item) throws {
        guard content.withOrder({ $0.item(item.id) }) != nil else {
            throw AudioSessionError(
                .badParam, "Playing '\(item.source.name)' was requested, which is not in the queue; append it first.")
        }
        if let error = move(to: { _ in content.turn(of: item) }) { throw error }
        try play()
    }

    /// Pauses playback; the next `play()` resumes at the frame after the last audible one.
    /// `fadeDuration` in seconds fades out, 5 ms by default. During an interruption, it cancels the
    /// automatic resumption (keeps INT-7).
    public func pause(fadeDuration: Double? = nil) { playback.pause(fadeSeconds: fadeDuration) }

    /// Stops playback and keeps the position. `fadeDuration` in seconds fades out, 5 ms by default.
    public func stop(fadeDuration: Double? = nil) { playback.stop(fadeSeconds: fadeDuration) }

    /// Moves to the next item, and stays playing, paused or stopped; the two crossfade in 5 ms.
    /// After the last item playback ends, unless all items repeat.
    public func next() {
        move { content.neighbour(of: $0.position, isNext: true) }
    }

    /// Moves to the previous item, or to the beginning of the current one if that has been played
    /// for more than `threshold` seconds or is the first.
    public func previous(threshold: Double = 3) {
        move { state in
            let position = state.position
            let beginning = StreamPosition(id: position.id, frame: 0)
            guard seconds(at: position) <= threshold else { return beginning }
            return content.neighbour(of: position, isNext: false) ?? beginning
        }
    }

    /// Whether the queue is playing, or will at a frame. An interruption makes this false.
    public var isPlaying: Bool { playback.isPlaying }
    /// Whether the queue is paused part-way: `play()` will resume it (ACT-17).
    public var isPaused: Bool { playback.isPaused }

    // MARK: Position

    /// The item being played, or that `play()` will play; nil if there are no items.
    public var currentItem: Item? { content.item(at: playback.position) }

    /// The position in seconds of the current item; set it to seek. Values beyond its ends are
    /// clamped. Setting it to the end moves to the next item. Before the first `play()`, and after
    /// the queue has ended, it opens the first item; it has no effect if that fails.
    public var currentTime: Double {
        get { seconds(at: playback.position) }
        set {
            let before = playback.position
            let opened = content.opened(before)
            move { state in
                let position = state.position == before ? opened ?? before : state.position
                guard let shape = content.shape(at: position), shape.sampleRate > 0 else { return position }
                let frame = max(0, newValue.isNaN ? 0 : newValue) * Double(shape.sampleRate)
                guard shape.frameCount > 0, frame >= Double(shape.frameCount) else {
                    return StreamPosition(id: position.id, frame: min(frame.rounded(), 0x1p62))
                }
                return content.neighbour(of: position, isNext: true)
            }
        }
    }

    /// The length of the current item in seconds; infinite if its source does not declare it, nil
    /// before it has been opened.
    public var duration: Double? {
        content.shape(at: playback.position).flatMap { shape in
            guard shape.sampleRate > 0 else { return nil }
            return shape.frameCount > 0 ? Double(shape.frameCount) / Double(shape.sampleRate) : .infinity
        }
    }

    private func seconds(at position: StreamPosition) -> Double {
        guard let shape = content.shape(at: position), shape.sampleRate > 0 else { return 0 }
        let frame = shape.frameCount > 0 ? min(position.frame, Double(shape.frameCount)) : position.frame
        return frame / Double(shape.sampleRate)
    }

    // MARK: Events

    /// What the queue does when an interruption ends.
    public var resumePolicy: PlaybackResumePolicy {
        get { playback.state.withLock { $0.resumePolicy } }
        set { playback.state.withLock { $0.resumePolicy = newValue } }
    }

    /// Adds a handler for events: on a thread of the engine or the session, or on the thread of the
    /// call that causes the event.
    public func onEvent(_ handler: @escaping @Sendable (Event) -> Void) { _ = listeners.add(handler) }

    /// The events from now on, until the queue is released.
    public var events: AsyncStream<Event> { listeners.sequence }

    /// The number of frames that a source delivered too late since playback last started or sought;
    /// 0 while the queue is stopped.
    public var underrunFrames: UInt64 { playback.state.withLock { $0.voice }?.underrunFrames ?? 0 }

    /// Moves to another position, nil: the end, and reports it. Returns the error for which
    /// playback could not be continued there.
    @discardableResult
    func move(to position: (Playback.State) -> StreamPosition?) -> (any Error)? {
        let error = playback.move(to: position)
        announce()
        return error
    }

    /// Reports the current item if it is another one than before.
    private func announce() {
        let (position, hasVoice) = playback.state.withLock { ($0.position, $0.voice != nil) }
        if hasVoice { content.announce(position.id, endingEarlier: .skipped) }
    }

    private func report(_ event: Playback.Event) {
        switch event {
        case .pausedBySession: content.post(.pausedBySession)
        case .resumed: content.post(.resumed)
        case .finished:
            content.announceEnd(nil)
            content.post(.ended(.finished))
        case .movedToEnd:
            content.announceEnd(.skipped)
            content.post(.ended(.finished))
        case .failed(let error):
            content.announceEnd(.skipped)
            content.post(.ended(PlaybackEnding(error)))
        }
    }
}
