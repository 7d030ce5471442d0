/// The times of ticks: in segments of constant tempo, exact as integers.
struct MIDITempoMap: Hashable, Sendable {
    private struct Segment: Hashable {
        /// Where the segment begins.
        let tick: Int
        /// The same in units, exactly.
        let units: Int128
        /// The length of a tick in units.
        let unitsPerTick: Int
    }

    /// The time is an integer number of units; a second has this many.
    private let unitsPerSecond: Int
    private var segments: [Segment]

    /// Creates a map of one segment; both values are 1 or more.
    init(unitsPerSecond: Int, unitsPerTick: Int) {
        self.unitsPerSecond = max(1, unitsPerSecond)
        segments = [Segment(tick: 0, units: 0, unitsPerTick: max(1, unitsPerTick))]
    }

    /// Changes the length of a tick, from a tick on that is not before earlier changes.
    mutating func change(atTick tick: Int, unitsPerTick: Int) {
        guard let last = segments.last, tick >= last.tick, unitsPerTick != last.unitsPerTick else { return }
        if tick == last.tick { segments.removeLast() }
        segments.append(Segment(tick: tick, units: units(atTick: tick, in: last), unitsPerTick: unitsPerTick))
    }

    /// Returns the time of a tick in seconds; 0 before the beginning.
    func seconds(atTick tick: Int) -> Double {
        guard let index = lastSegment(where: { $0.tick <= tick }) else { return 0 }
        return seconds(atTick: tick, in: segments[index])
    }

    /// Returns the last tick whose time, as `seconds(atTick:)` returns it, is not after `seconds`;
    /// 0 before the beginning.
    func tick(atSeconds seconds: Double) -> Int {
        guard let index = lastSegment(where: { self.seconds(atTick: $0.tick, in: $0) <= seconds }) else { return 0 }
        let segment = segments[index]
        var (low, high) = (segment.tick, index + 1 < segments.count ? segments[index + 1].tick : Int.max)
        // The time of `low` is not after `seconds`, that of `high` is.
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if self.seconds(atTick: middle, in: segment) <= seconds { low = middle } else { high = middle }
        }
        return low
    }

    private func units(atTick tick: Int, in segment: Segment) -> Int128 {
        segment.units + Int128(tick - segment.tick) * Int128(segment.unitsPerTick)
    }

    private func seconds(atTick tick: Int, in segment: Segment) -> Double {
        let (whole, rest) = units(atTick: tick, in: segment).quotientAndRemainder(dividingBy: Int128(unitsPerSecond))
        // Limited to 2^63 seconds, for speed.
        return Double(Int64(clamping: whole)) + Double(Int64(rest)) / Double(unitsPerSecond)
    }

    /// Returns the index of the last segment that satisfies a condition, which all before it do.
    private func lastSegment(where condition: (Segment) -> Bool) -> Int? {
        var (low, high) = (0, segments.count)
        while low < high {
            let middle = (low + high) / 2
            if condition(segments[middle]) { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? low - 1 : nil
    }
}
