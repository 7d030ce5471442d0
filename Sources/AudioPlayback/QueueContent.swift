internal import AudioRendering
internal import Platform

/// The content of an `AudioQueuePlayer`: one stream that plays the items one after another. The id
/// of a position is the number of a turn: an item that is played once. The first turn is 1; 0
/// stands for the first item.
final class QueueContent: PlaybackContent {
    typealias Item = AudioQueue.Item
    typealias Event = AudioQueue.Event

    /// A turn, and what could not be played before it.
    private struct Turn {
        var item: Item
        /// How many times the item has been played before, in a row.
        var repetition = 0
        var sampleRate: Int
        var frameCount: Int64
        var failures: [Event] = []
        var defect: AudioFileError?
        /// Whether it was read to its end and has no frame.
        var isEmpty = false
    }

    private struct State {
        var order: PlayOrder
        var turns: [Int: Turn] = [:]
        var lastTurn = 0
        /// The turn that was reported as started and has not been reported as ended.
        var announced: Int?
        /// What could not be played after the last turn.
        var trailing: [Event] = []
        /// The program of the current stream, which owns it.
        weak var program: QueueProgram?
        /// Events to deliver, and whether a thread delivers them.
        var pending: [Event] = []
        var isDelivering = false
    }
    private let state: Mutex<State>

    init(random: any RandomNumberGenerator & Sendable) { state = Mutex(State(order: PlayOrder(random: random))) }

    // MARK: The queue

    /// Reads or changes the items and their order.
    func withOrder<Result>(_ body: (inout PlayOrder) -> Result) -> Result { state.withLock { body(&$0.order) } }

    /// The item of a position; nil if there are no items.
    func item(at position: StreamPosition) -> Item? {
        state.withLock { $0.turns[position.id]?.item ?? $0.order.first }
    }

    /// The item's sample rate in Hz and its length in frames (0: unknown) at a position that has
    /// been played; nil before.
    func shape(at position: StreamPosition) -> (sampleRate: Int, frameCount: Int64)? {
        state.withLock { $0.turns[position.id].map { ($0.sampleRate, $0.frameCount) } }
    }

    /// Returns the beginning of a new turn of an item.
    func turn(of item: Item) -> StreamPosition { state.withLock { Self.turn(of: item, &$0) } }

    /// Returns the beginning of the item after or before the one at a position; nil if there is
    /// none.
    func neighbour(of position: StreamPosition, isNext: Bool) -> StreamPosition? {
        state.withLock { state in
            guard let current = state.turns[position.id]?.item ?? state.order.first else { return nil }
            let item =
                isNext ? state.order.next(after: current.id, isSkip: true) : state.order.previous(before: current.id)
            return item.map { Self.turn(of: $0, &state) }
        }
    }

    /// Whether the stream has read something else behind a position than what now follows it.
    func isOutdated(behind position: StreamPosition) -> Bool {
        guard let (turns, hasEnded) = state.withLock({ $0.program })?.read(behind: position.id) else { return false }
        return state.withLock { state in
            guard var last = state.turns[position.id] else { return false }
            for id in turns {
                guard let turn = state.turns[id], Self.following(last, state.order) == turn.item.id else { return true }
                last = turn
            }
            return hasEnded && Self.following(last, state.order) != nil
        }
    }

    /// Returns the id of the item that follows a turn.
    private static func following(_ turn: Turn, _ order: PlayOrder) -> Int? {
        turn.item.repeats(after: turn.repetition) && !turn.isEmpty ? turn.item.id : order.following(turn.item.id)
    }

    /// Returns a position whose shape is known: opens the first item for that, if nothing has been
    /// played yet. Nil if there are no items, or it cannot be opened.
    func opened(_ position: StreamPosition) -> StreamPosition? {
        guard shape(at: position).map({ $0.sampleRate == 0 }) ?? true else { return position }
        guard let item = item(at: position), let reader = try? item.source.open() else { return nil }
        return state.withLock { state in
            let id = state.turns[position.id] == nil ? Self.turn(of: item, &state).id : position.id
            state.turns[id]?.sampleRate = reader.sampleRate
            state.turns[id]?.frameCount = reader.frameCount
            return StreamPosition(id: id, frame: position.frame)
        }
    }

    private static func turn(of item: Item, _ state: inout State) -> StreamPosition {
        state.lastTurn += 1
        state.turns[state.lastTurn] = Turn(item: item, sampleRate: 0, frameCount: 0)
        return StreamPosition(id: state.lastTurn, frame: 0)
    }

    // MARK: PlaybackContent

    var beginning: StreamPosition { StreamPosition(id: 0, frame: 0) }

    func streamWasReleased() { state.withLock { $0.program = nil } }

    func isEnd(_ position: StreamPosition) -> Bool { false }

    func check(_ position: StreamPosition) throws { _ = try firstSegment(at: position) }

    func open(at position: StreamPosition, _ settings: StreamSettings) throws -> AudioStream {
        let program = QueueProgram(self, try firstSegment(at: position))
        let rate = settings.sampleRate ?? program.firstSampleRate
        let stream = try AudioStream(
            program: program, channels: settings.busChannels, sampleRate: rate, readAhead: settings.readAhead,
            tempo: settings.tempo
        ) { [weak self, weak program] turn in
            if let self, let program { pass(turn, of: program) }
        }
        state.withLock { $0.program = program }
        return stream
    }

    /// Opens the item at a position, or the next one that can be opened. Throws the first item's
    /// error if none can.
    private func firstSegment(at position: StreamPosition) throws -> StreamSegment {
        let (turn, item) = state.withLock { state -> (Int, Item?) in
            if let item = state.turns[position.id]?.item { return (position.id, item) }
            guard let first = state.order.first else { return (0, nil) }
            return (Self.turn(of: first, &state).id, first)
        }
        guard let item else {
            throw AudioSessionError(.badParam, "Playing a queue without items was requested; append an item first.")
        }
        do {
            return segment(turn, try item.source.open(), from: position)
        } catch {
            guard let next = nextSegment(after: turn, failures: [.itemEnded(item, .failed("\(error)"))]) else {
                throw error
            }
            return next
        }
    }

    private func segment(_ turn: Int, _ reader: any AudioReader, from position: StreamPosition?) -> StreamSegment {
        let gain = state.withLock { state in
            state.turns[turn]?.sampleRate = reader.sampleRate
            state.turns[turn]?.frameCount = reader.frameCount
            return state.turns[turn]?.item.gain ?? 1
        }
        let frame = Int64(position?.frame.rounded() ?? 0)
        let first = reader.frameCount > 0 ? min(frame, reader.frameCount) : frame
        return StreamSegment(reader: reader, firstFrame: first, gain: gain, id: turn)
    }

    // MARK: The program

    /// Opens the item after a turn, or the next one that can be opened; nil at the end of the
    /// queue. What cannot be opened is reported when the turn that follows it begins.
    func nextSegment(after turn: Int, failures: [Event] = []) -> StreamSegment? {
        var failures = failures
        guard let last = state.withLock({ $0.turns[turn] }) else { return nil }
        var item = last.item
        if failures.isEmpty, !last.isEmpty, item.repeats(after: last.repetition) {
            do { return try segment(playing: item, repetition: last.repetition + 1) } catch {
                failures.append(.itemEnded(item, .failed("\(error)")))
            }
        }
        // At most one round: all items may be gone.
        for _ in 0..<max(0, withOrder({ $0.items.count }) - failures.count) {
            guard let next = withOrder({ $0.next(after: item.id, isSkip: !failures.isEmpty) }) else { break }
            item = next
            do { return try segment(playing: next, failures: failures) } catch {
                failures.append(.itemEnded(next, .failed("\(error)")))
            }
        }
        state.withLock { $0.trailing = failures }
        return nil
    }

    /// Opens an item for a new turn, from its beginning.
    private func segment(
        playing item: Item, repetition: Int = 0, failures: [Event] = []
    ) throws -> StreamSegment {
        let reader = try item.source.open()
        let id = state.withLock { state in
            let id = Self.turn(of: item, &state).id
            state.turns[id]?.failures = failures
            state.turns[id]?.repetition = repetition
            return id
        }
        return segment(id, reader, from: nil)
    }

    func turnWasRead(_ turn: Int, frames: Int64, defect: AudioFileError?) {
        state.withLock { state in
            state.turns[turn]?.defect = defect
            state.turns[turn]?.isEmpty = frames == 0
        }
    }

    // MARK: Events

    private let listener = Mutex<(@Sendable (Event) -> Void)?>(nil)
    func listen(_ body: @escaping @Sendable (Event) -> Void) { listener.withLock { $0 = body } }

    /// A stream has begun to play a turn. A stream that was replaced may still report.
    private func pass(_ turn: Int, of program: QueueProgram) {
        if state.withLock({ $0.program === program }) { announce(turn, endingEarlier: nil) }
    }

    /// Reports that the turn before has ended and that `turn` has begun, unless that was reported.
    /// `ending`: how the turn before ended; nil: it was played to its end.
    func announce(_ turn: Int, endingEarlier ending: AudioQueue.ItemEnding?) {
        state.withLock { state in
            guard state.announced != turn, let begun = state.turns[turn] else { return }
            let previous = state.announced ?? turn
            if ending == nil, begun.repetition > 0, state.announced.flatMap({ state.turns[$0]?.item }) == begun.item {
                state.pending.append(.itemRepeated(begun.item))
            } else {
                state.pending += Self.ending(&state, ending) + begun.failures + [.itemStarted(begun.item)]
            }
            state.announced = turn
            // The previous turn remains: playback may have been stopped in it meanwhile.
            for id in state.turns.keys where id < min(previous, turn) { state.turns[id] = nil }
        }
        deliver()
    }

    /// Reports that the last turn was played to its end, or else how it ended.
    func announceEnd(_ ending: AudioQueue.ItemEnding?) {
        state.withLock { state in
            state.pending += Self.ending(&state, ending) + (ending == nil ? state.trailing : [])
            state.trailing = []
        }
        deliver()
    }

    /// Reports another event, in its order.
    func post(_ event: Event) {
        state.withLock { $0.pending.append(event) }
        deliver()
    }

    /// Delivers the pending events, unless a thread does so already: they stay in order, also if a
    /// handler causes further ones.
    private func deliver() {
        let isDelivering = state.withLock { state in
            defer { state.isDelivering = true }
            return state.isDelivering
        }
        guard !isDelivering else { return }
        while let event = state.withLock({ state -> Event? in
            guard state.pending.isEmpty else { return state.pending.removeFirst() }
            state.isDelivering = false
            return nil
        }) {
            listener.withLock { $0 }?(event)
        }
    }

    private static func ending(_ state: inout State, _ ending: AudioQueue.ItemEnding?) -> [Event] {
        guard let turn = state.announced.take().flatMap({ state.turns[$0] }) else { return [] }
        return [.itemEnded(turn.item, ending ?? turn.defect.map { .damaged($0) } ?? .finished)]
    }
}

/// The segments of one stream of a queue.
///
/// Unchecked `Sendable`: the stream alone, under its lock, uses the first segment.
final class QueueProgram: StreamProgram, @unchecked Sendable {
    private let content: QueueContent
    private let state: Mutex<State>
    /// The first segment, until the stream has it.
    private var first: StreamSegment?
    /// The sample rate of the first item, in Hz.
    let firstSampleRate: Int

    private struct State {
        /// The turns that the stream has begun to read.
        var turns: [Int]
        var hasEnded = false
        var emptyTurns = 0
    }

    init(_ content: QueueContent, _ first: StreamSegment) {
        self.content = content
        firstSampleRate = first.reader.sampleRate
        self.first = first
        state = Mutex(State(turns: [first.id]))
    }

    /// Returns the turns after another one that the stream has begun to read, and whether it has
    /// come to the end of the queue. Forgets the turns before.
    func read(behind turn: Int) -> (turns: [Int], hasEnded: Bool) {
        state.withLock { state in
            state.turns.removeAll { $0 < turn }
            return (state.turns.filter { $0 > turn }, state.hasEnded)
        }
    }

    func nextSegment() -> StreamSegment? {
        if let first = first.take() { return first }
        let (turn, emptyTurns) = state.withLock { ($0.turns.last ?? 0, $0.emptyTurns) }
        // A repeated queue without a single frame ends.
        let isEmpty = emptyTurns > content.withOrder { $0.items.count }
        let next = isEmpty ? nil : content.nextSegment(after: turn)
        state.withLock { state in
            // Forgets what has been played long ago.
            if state.turns.count > 1_000 { state.turns.removeFirst(500) }
            if let next { state.turns.append(next.id) } else { state.hasEnded = true }
        }
        return next
    }

    func segmentEnded(_ id: Int, frames: Int64, defect: AudioFileError?) {
        state.withLock { $0.emptyTurns = frames == 0 ? $0.emptyTurns + 1 : 0 }
        content.turnWasRead(id, frames: frames, defect: defect)
    }
}
