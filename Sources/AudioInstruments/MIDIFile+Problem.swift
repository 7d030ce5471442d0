extension MIDIFile {
    /// Something that is wrong in a file that could be read nevertheless.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// What is wrong, and how it was read.
        public enum Kind: Hashable, Sendable {
            /// The header declares another number of tracks than the file has; all were read.
            case trackCount(declared: Int, found: Int)
            /// Format 0 with another number of tracks than one; all were read.
            case severalTracks(Int)
            /// The bytes are no chunk; they were skipped up to the next track.
            case noChunk
            /// The chunk is longer than the file; what there is was read.
            case truncated
            /// The declared length of the track is not its length; it was read to its end.
            case wrongTrackLength
            /// "End of track" is missing; the track ends with its last event.
            case noEndOfTrack
            /// Bytes follow "end of track"; they were skipped.
            case bytesAfterEndOfTrack
            /// An event has no status, an undefined status, or a number of more than 4 bytes; the
            /// rest of the track was skipped.
            case unreadableEvent
            /// Running status continues after a meta or system-exclusive event, which cancels it;
            /// the status before that event was used.
            case continuedRunningStatus
            /// A system common or real-time message stands in the track without an escape; it was
            /// read as one.
            case unescapedMessage
        }

        public let kind: Kind
        /// The number of the track, from 0; nil if the problem is not in a track.
        public let track: Int?
        /// The position in the data, in bytes from its beginning.
        public let offset: Int

        public var description: String {
            let place = track.map { "track \($0), byte \(offset)" } ?? "byte \(offset)"
            let text =
                switch kind {
                case .trackCount(let declared, let found):
                    "the header declares \(declared) tracks, but there are \(found); all were read"
                case .severalTracks(let count):
                    "a file of format 0 has one track, but there are \(count); all were read"
                case .noChunk: "the bytes are no chunk; they were skipped up to the next track"
                case .truncated: "the chunk is longer than the file; what there is was read"
                case .wrongTrackLength: "the track has another length than declared; it was read to its end"
                case .noEndOfTrack: "'end of track' is missing; the track ends with its last event"
                case .bytesAfterEndOfTrack: "bytes follow 'end of track'; they were skipped"
                case .unreadableEvent: "the event is malformed; the rest of the track was skipped"
                case .continuedRunningStatus:
                    "running status continues after a meta or system-exclusive event; the status before it was used"
                case .unescapedMessage: "a system message stands without an escape; it was read as one"
                }
            return "\(place): \(text)"
        }
    }
}
