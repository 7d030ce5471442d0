internal import Platform

/// Posts an app's commands for the beats of the transport, before they are heard.
///
/// The engine calls the app for one range of beats after the other: from the position at which a
/// pass begins, also while the transport is stopped there, to what will be heard within
/// the lookahead. So the first frame that rolls has its commands, and a start is exact. (A MIDI
/// clock does not wait: what is heard less than a few milliseconds after a new position is late.)
/// The first range of a pass that begins before the start of the piece, with time code, is empty.
/// When the pass ends, commands that wait are discarded, and the next range begins at the new
/// position.
///
/// Calls are made one at a time, on the thread of the engine that also reads files for streams, and
/// on the thread that renders if the driver has no clock or freewheels. The app should return
/// quickly, and must not wait for the driver: it must neither activate a session nor change the
/// transport's role nor make ports.
///
/// Post the end of a sound, such as a note-off, together with its beginning, also beyond the range:
/// if the pass ends first, the end takes effect then. An end that comes only with its own range
/// would be missing.
///
/// Releasing the scheduler ends it; what it has posted remains. It keeps the engine.
public final class BeatScheduler: BeatClient {
    /// How far ahead commands are posted, in seconds. Changes of what is to be heard are heard that
    /// much later. If the system or the app is busy for that long, commands are late
    /// (`RenderCounters.lateCommands`); after twice that long, the ranges have a gap.
    public let lookahead: Double
    private let queue: CommandQueue
    private let schedule: @Sendable (BeatRange, CommandQueue) -> Void
    private let progress = Mutex<BeatRange?>(nil)

    init(lookahead: Double, queue: CommandQueue, schedule: @escaping @Sendable (BeatRange, CommandQueue) -> Void) {
        self.lookahead = lookahead
        self.queue = queue
        self.schedule = schedule
    }

    deinit { queue.engine.transport.remove(ObjectIdentifier(self)) }

    func advance(to position: TransportPosition, beats: Double) {
        if let range = next(from: position, beats: beats) { schedule(range, queue) }
    }

    /// Returns the next range, if it is due.
    private func next(from position: TransportPosition, beats: Double) -> BeatRange? {
        progress.withLock { progress in
            let done = progress.flatMap { $0.pass == position.pass ? $0.upperBound : nil }
            if let done, done - position.beat > 0.75 * beats { return nil }
            // A pass may have rolled before it was seen here. A new scheduler joins where it is.
            let first = progress == nil ? position.beat : min(position.passBegin, position.beat)
            // A beat belongs to the frame nearest to it, so the first frame has the beats of half a
            // frame before it. What would be later than the lookahead is left out.
            let halfFrame = 0.5 / position.framesPerBeat
            // Before the start of the piece there are no beats.
            let begin = max(done ?? first - halfFrame, position.beat - beats, -halfFrame)
            let range = BeatRange(
                lowerBound: begin, upperBound: max(begin, position.beat + beats), pass: position.pass)
            progress = range
            return done == nil || range.lowerBound < range.upperBound ? range : nil
        }
    }
}

extension AudioEngine {
    /// Makes a scheduler, which calls `schedule` with ranges of beats to come and a queue for their
    /// commands (`CommandQueue.at`). `lookahead` is 0.01…10 seconds. Throws `invalidArgument` or
    /// `noFreeQueue`.
    public func makeBeatScheduler(
        lookahead: Double = 0.2, _ schedule: @escaping @Sendable (BeatRange, CommandQueue) -> Void
    ) throws(AudioEngineError) -> BeatScheduler {
        guard (0.01...10).contains(lookahead) else {
            throw .invalidArgument(what: "a lookahead of \(lookahead) s; valid: 0.01 to 10")
        }
        let scheduler = BeatScheduler(lookahead: lookahead, queue: try makeCommandQueue(), schedule: schedule)
        transport.add(scheduler)
        // On the background queue: the app may still be constructing what the scheduler uses.
        control.background.run { [weak self] in self?.runBackgroundWork() }
        return scheduler
    }

    /// Has the schedulers post what comes next, and reports changes of the transport.
    func advanceTransport() {
        if let position = transport.advance() { control.observers.send(.transportChanged(position)) }
    }
}
