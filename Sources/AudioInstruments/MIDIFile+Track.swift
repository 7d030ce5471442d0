extension MIDIFile {
    /// A track: events, and where it ends.
    public struct Track: Hashable, Sendable {
        /// The events. Those read from a file are in its order, with ticks that never decrease, and
        /// without "end of track".
        public var events: [Event]
        /// The tick of "end of track". A track whose last event is later ends with that event.
        public var endTick: Int

        /// Creates a track. `endTick`: nil ends it with its last event.
        public init(events: [Event] = [], endTick: Int? = nil) {
            self.events = events
            self.endTick = endTick ?? events.lazy.map(\.tick).max() ?? 0
        }

        /// The text of the first event that names the track; nil if there is none.
        public var name: String? { events.lazy.compactMap { $0.kind.text(.trackName) }.first }
    }
}
