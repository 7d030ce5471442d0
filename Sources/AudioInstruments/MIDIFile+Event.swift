public import AudioRendering

extension MIDIFile {
    /// An event of a track.
    public struct Event: Hashable, Sendable {
        /// The time since the beginning of the track, in ticks; 0 or more. The distance from one
        /// event to the next is at most 268,435,455 ticks.
        public var tick: Int
        public var kind: Kind

        /// Creates an event.
        public init(tick: Int, _ kind: Kind) {
            self.tick = tick
            self.kind = kind
        }

        /// What an event is.
        public enum Kind: Hashable, Sendable {
            /// A channel message, or a complete system-exclusive message. Other system messages are
            /// written as `escape`, and read as such.
            case message(MIDIMessage)
            /// A meta event with at most 268,435,455 bytes. Types are 0…127; others are read and
            /// written as they are. "End of track" (0x2F) is not an event: see `Track.endTick`.
            case meta(type: UInt8, data: [UInt8])
            /// Bytes to transmit as they are: a part of a system-exclusive message, of which the
            /// first begins with 0xF0 and the last ends with 0xF7, or system messages. At most
            /// 268,435,455 bytes.
            case escape([UInt8])

            /// The message; also that of an escape which is exactly one complete message. Nil for
            /// other events.
            public var message: MIDIMessage? {
                switch self {
                case .message(let message): message
                case .escape(let bytes): MIDIMessage(bytes: bytes)
                case .meta: nil
                }
            }
        }
    }
}
