public import AudioRendering

/// The events of a MIDI file in the order of their times, in seconds.
public struct MIDISequence: Hashable, Sendable {
    /// An event and its time.
    public struct Event: Hashable, Sendable {
        /// The time since the beginning, in ticks.
        public let tick: Int
        /// The time since the beginning, in seconds.
        public let seconds: Double
        /// The number of the track in the file, from 0.
        public let track: Int
        public let kind: MIDIFile.Event.Kind

        /// The message of the event; nil for meta events and parts of messages.
        public var message: MIDIMessage? { kind.message }
    }

    /// The events in the order of their times. Those of one tick are in the order of the file:
    /// those of its first track first, and within a track as they stand there.
    public let events: [Event]
    /// The tick of the last "end of track".
    public let endTick: Int
    /// The time of the last "end of track", in seconds.
    public let duration: Double

    private let times: MIDITempoMap
    let division: MIDIFile.Division

    /// Merges tracks. Events before tick 0 count as at tick 0.
    init(_ tracks: some Sequence<(number: Int, track: MIDIFile.Track)>, division: MIDIFile.Division) {
        var merged: [(tick: Int, track: Int, kind: MIDIFile.Event.Kind)] = []
        var end = 0
        for (number, track) in tracks {
            for event in track.events { merged.append((max(0, event.tick), number, event.kind)) }
            end = max(end, track.endTick)
        }
        // The order of events of one tick is kept.
        merged.sort { $0.tick < $1.tick }
        let tempos = merged.lazy.compactMap { event in event.kind.tempo.map { (event.tick, $0) } }
        let map = Self.tempoMap(of: division, tempos)
        events = merged.map {
            Event(tick: $0.tick, seconds: map.seconds(atTick: $0.tick), track: $0.track, kind: $0.kind)
        }
        endTick = max(end, merged.last?.tick ?? 0)
        duration = map.seconds(atTick: endTick)
        times = map
        self.division = division
    }

    private static func tempoMap(of division: MIDIFile.Division, _ tempos: some Sequence<(Int, Int)>) -> MIDITempoMap {
        switch division {
        case .ticksPerQuarterNote(let ticks):
            // A unit is a microsecond divided by the ticks of a quarter note.
            let ticks = min(max(ticks, 1), 0x7FFF)
            var map = MIDITempoMap(unitsPerSecond: 1_000_000 * ticks, unitsPerTick: 500_000)
            for (tick, tempo) in tempos { map.change(atTick: tick, unitsPerTick: tempo) }
            return map
        case .timeCode(let rate, let ticks):
            let ticks = min(max(ticks, 1), 0xFF)
            return rate == .frames2997
                ? MIDITempoMap(unitsPerSecond: 30_000 * ticks, unitsPerTick: 1_001)
                : MIDITempoMap(unitsPerSecond: rate.rawValue * ticks, unitsPerTick: 1)
        }
    }

    /// Returns the time of a tick in seconds: of ticks after the end at the last tempo, and 0
    /// before the beginning. The error is below a nanosecond in the first hours.
    public func seconds(atTick tick: Int) -> Double { times.seconds(atTick: tick) }

    /// Returns the last tick that is not after a time in seconds; 0 before the beginning. Of the
    /// time of a tick, returns that tick.
    public func tick(atSeconds seconds: Double) -> Int { times.tick(atSeconds: seconds) }
}
