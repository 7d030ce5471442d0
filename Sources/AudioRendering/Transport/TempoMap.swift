internal import CRenderCore

/// The tempo and the meter of a piece: at which time, in seconds from its start, a beat comes.
///
/// A beat is the beat of the meter: in 6/8, an eighth note.
public struct TempoMap: Sendable {
    /// A tempo and a meter, from a beat to the next change.
    public struct Change: Hashable, Sendable {
        /// Beats from the start, 0…16,777,215.
        public var beat: Double
        /// Beats per minute, 1…1,000.
        public var tempo: Double
        public var meter: Meter
        /// Whether a bar begins here. One always begins at the first change, and where the meter
        /// changes.
        public var beginsBar: Bool

        public init(beat: Double, tempo: Double, meter: Meter = .common, beginsBar: Bool = false) {
            (self.beat, self.tempo, self.meter, self.beginsBar) = (beat, tempo, meter, beginsBar)
        }
    }

    /// A bar, and the tempo at the beat that it was asked for.
    public struct Bar: Hashable, Sendable {
        /// From 1 on; 0 and negative before the start.
        public let number: Int
        /// The beat at which it begins.
        public let beat: Double
        public let meter: Meter
        /// Beats per minute.
        public let tempo: Double
    }

    /// The changes in the order of their beats; the first is at beat 0.
    public let changes: [Change]
    private let core: CoreTempoMap

    /// Creates a map of one tempo, in beats per minute. Throws `invalidArgument` or `outOfMemory`.
    public init(tempo: Double, meter: Meter = .common) throws(AudioEngineError) {
        try self.init([Change(beat: 0, tempo: tempo, meter: meter)])
    }

    /// Creates a map of 1…4,096 changes: the first at beat 0, each further one at a higher beat.
    /// Throws `invalidArgument` or `outOfMemory`.
    public init(_ changes: [Change]) throws(AudioEngineError) {
        self.changes = changes
        core = CoreTempoMap(try CoreTempoMap.makeHandle(changes))
    }

    /// Returns the time of a beat, in seconds from the start.
    public func seconds(atBeat beat: Double) -> Double { rcore_tempo_map_seconds(core.handle, beat) }

    /// Returns the beat at a time, in seconds from the start.
    public func beat(atSeconds seconds: Double) -> Double { rcore_tempo_map_beat(core.handle, seconds) }

    /// Returns the bar of a beat.
    public func bar(atBeat beat: Double) -> Bar {
        let bar = rcore_tempo_map_bar(core.handle, beat)
        return Bar(
            number: Int(bar.bar) + 1, beat: bar.begin, meter: Meter(Int(bar.beats_per_bar), Int(bar.beat_unit)),
            tempo: bar.beats_per_minute)
    }
}

extension TempoMap: Equatable {
    public static func == (a: TempoMap, b: TempoMap) -> Bool { a.changes == b.changes }
}

/// A map of the core that is not posted: for reading.
///
/// Unchecked `Sendable`: the map never changes.
private final class CoreTempoMap: @unchecked Sendable {
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { rcore_tempo_map_destroy(handle) }

    /// Creates a map that the caller owns.
    static func makeHandle(_ changes: [TempoMap.Change]) throws(AudioEngineError) -> OpaquePointer {
        let coreChanges = changes.map { change in
            rcore_tempo_change_t(
                beat: change.beat, beats_per_minute: change.tempo,
                beats_per_bar: UInt32(clamping: change.meter.beatsPerBar),
                beat_unit: UInt32(clamping: change.meter.beatUnit), begins_bar: change.beginsBar)
        }
        var status = RCORE_OK
        guard let handle = rcore_tempo_map_create(coreChanges, UInt32(clamping: changes.count), &status) else {
            throw AudioEngineError(status, explanation(of: changes))
        }
        return handle
    }

    /// Says what is wrong with invalid changes.
    private static func explanation(of changes: [TempoMap.Change]) -> String {
        guard (1...Int(RCORE_MAX_TEMPO_CHANGES)).contains(changes.count) else {
            return "a tempo map of \(changes.count) changes; valid: 1 to \(RCORE_MAX_TEMPO_CHANGES)"
        }
        var last: Double?
        for (index, change) in changes.enumerated() {
            let what = "change \(index + 1) of a tempo map"
            let meter = change.meter
            if !(RCORE_MIN_TEMPO...RCORE_MAX_TEMPO).contains(change.tempo) {
                return "\(what) has \(change.tempo) beats per minute; valid: 1 to 1,000"
            }
            if !(1...64).contains(meter.beatsPerBar) || ![1, 2, 4, 8, 16, 32, 64].contains(meter.beatUnit) {
                return "\(what) has the meter \(meter.beatsPerBar)/\(meter.beatUnit); valid: 1 to 64 beats of 1 to 64"
            }
            if index == 0 && change.beat != 0 { return "\(what) is at beat \(change.beat) instead of 0" }
            if !(0...RCORE_MAX_BEAT).contains(change.beat) || last.map({ change.beat <= $0 }) ?? false {
                return "\(what) is at beat \(change.beat), which is out of range or not after the one before"
            }
            last = change.beat
        }
        return "a tempo map of \(changes.count) changes"
    }
}

extension TempoMap {
    /// Posts the map to the core, which owns what it gets.
    func post(to core: OpaquePointer) throws(AudioEngineError) {
        let handle = try CoreTempoMap.makeHandle(changes)
        _ = rcore_post_tempo_map(core, handle)
    }
}
