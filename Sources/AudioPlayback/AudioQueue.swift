public import AudioRendering
public import AudioSessionTypes
internal import Platform

/// The values that describe the queue of an `AudioQueuePlayer`.
public enum AudioQueue {
    /// A sound in a queue. Two items may have the same source.
    public struct Item: Identifiable, Equatable, Sendable {
        /// A number that no other item has.
        public let id: Int
        /// What is played.
        public let source: PlaybackSource
        /// A linear gain, 0 or more; for a common loudness of all items.
        public let gain: Float
        /// How many times it is played again before the next item; a negative number: forever.
        public let repetitions: Int

        private static let lastID = Mutex(0)

        /// Creates an item. A `gain` that is negative or not finite counts as 1.
        public init(_ source: PlaybackSource, gain: Float = 1, repetitions: Int = 0) {
            id = Self.lastID.withLock { last in
                last += 1
                return last
            }
            self.source = source
            self.gain = gain >= 0 && gain.isFinite ? gain : 1
            self.repetitions = repetitions
        }

        /// Whether it is played again after a number of repetitions.
        func repeats(after count: Int) -> Bool { repetitions < 0 || count < repetitions }

        public static func == (a: Item, b: Item) -> Bool { a.id == b.id }
    }

    /// What follows the last item, or each item; `next()` and `previous()` leave an item that
    /// repeats.
    public typealias RepeatMode = AudioSessionTypes.RepeatMode

    /// How an item ended.
    public enum ItemEnding: Equatable, Sendable {
        /// It was played to its end.
        case finished
        /// `next()`, `previous()`, `play(_:)` or its removal ended it.
        case skipped
        /// It is damaged; the readable part was played.
        case damaged(AudioFileError)
        /// It could not be opened, for this reason, and was not played.
        case failed(String)
    }

    /// An event of a queue.
    public enum Event: Equatable, Sendable {
        /// The first frame of an item is being played, or will be at the frame of a timed start.
        case itemStarted(Item)
        /// The first frame of a repetition of an item is being played (`Item.repetitions`).
        case itemRepeated(Item)
        /// An item has ended, or was left out.
        case itemEnded(Item, ItemEnding)
        /// The session was interrupted, or its output was disconnected; playback is paused (INT-9,
        /// ROUTE-4).
        case pausedBySession
        /// Playback has resumed after an interruption, as `resumePolicy` allows.
        case resumed
        /// The queue ended on its own; the next `play()` begins with the first item.
        case ended(PlaybackEnding)
    }
}
