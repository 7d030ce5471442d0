public import AudioRendering

extension MIDISequence {
    /// The sequence's tempo and meter, for a transport. A beat is the beat of the meter, as the
    /// time signatures say; 4/4 before the first. Of a file with time code, whose tempo is
    /// constant, a beat is a second.
    ///
    /// Tempos outside 1…1,000 beats per minute become the nearest of them; then the times of later
    /// events differ from `Event.seconds`. Throws `invalidArgument` if tempo and meter change more
    /// than 4,095 times, or after beat 16,777,215.
    public func tempoMap() throws(AudioEngineError) -> TempoMap {
        guard case .ticksPerQuarterNote = division else { return try TempoMap(tempo: 60) }
        let segments = meterSegments
        var (index, tempo) = (0, 500_000)
        var changes: [TempoMap.Change] = []
        func add(_ tick: Int, beginsBar: Bool) {
            let segment = segments[index]
            let beat = segment.beat(atTick: tick)
            let beatsPerMinute = 60e6 / Double(tempo) * Double(segment.meter.beatUnit) / 4
            // The last of several changes at a tick counts.
            let begins = beginsBar || (changes.last.map { $0.beat == beat && $0.beginsBar } ?? true)
            if changes.last?.beat == beat { changes.removeLast() }
            changes.append(
                TempoMap.Change(
                    beat: beat, tempo: min(max(beatsPerMinute, 1), 1_000), meter: segment.meter, beginsBar: begins))
        }
        add(0, beginsBar: true)
        for event in events {
            while index + 1 < segments.count, segments[index + 1].ticks.lowerBound <= event.tick {
                index += 1
                add(segments[index].ticks.lowerBound, beginsBar: true)
            }
            guard let next = event.kind.tempo, next != tempo else { continue }
            tempo = next
            add(event.tick, beginsBar: false)
        }
        return try TempoMap(changes)
    }

    /// Returns the beat at a tick. The cost is linear in the number of events.
    public func beat(atTick tick: Int) -> Double {
        guard case .ticksPerQuarterNote = division else { return seconds(atTick: tick) }
        let segments = meterSegments
        return (segments.last { $0.ticks.lowerBound <= tick } ?? segments[0]).beat(atTick: tick)
    }

    /// A range of ticks of one meter.
    struct MeterSegment {
        var ticks: Range<Int>
        /// The beat at which it begins.
        var begin: Double
        var meter: Meter
        var ticksPerBeat: Double

        func beat(atTick tick: Int) -> Double { begin + Double(tick - ticks.lowerBound) / ticksPerBeat }
    }

    /// The meters in the order of their ticks: at least one, from tick 0 on. A time signature that
    /// a transport cannot have is ignored.
    var meterSegments: [MeterSegment] {
        guard case .ticksPerQuarterNote(let ticks) = division else { return [] }
        let ticksPerQuarter = Double(min(max(ticks, 1), 0x7FFF))
        var segments = [MeterSegment(ticks: 0..<Int.max, begin: 0, meter: .common, ticksPerBeat: ticksPerQuarter)]
        for event in events {
            guard let signature = event.kind.timeSignature else { continue }
            let meter = Meter(Int(signature.numerator), signature.denominator)
            guard (1...64).contains(meter.beatsPerBar), (1...64).contains(meter.beatUnit) else { continue }
            let last = segments.removeLast()
            let next = MeterSegment(
                ticks: event.tick..<Int.max, begin: last.beat(atTick: event.tick), meter: meter,
                ticksPerBeat: ticksPerQuarter * 4 / Double(meter.beatUnit))
            if last.ticks.lowerBound < event.tick {
                var ended = last
                ended.ticks = last.ticks.lowerBound..<event.tick
                segments.append(ended)
            }
            segments.append(next)
        }
        return segments
    }
}
