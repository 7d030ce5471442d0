import AudioInstruments
import AudioRendering
import TestRandom

/// Files with random content that survives a round trip.
struct RandomMIDIFile {
    var generator: SeededGenerator

    mutating func file(events: Int = 40) -> MIDIFile {
        let format = generator.pick(MIDIFile.Format.allCases)
        let tracks = (0..<(format == .singleTrack ? 1 : generator.below(5))).map { _ in track(events: events) }
        return MIDIFile(format: format, division: division(), tracks: tracks)
    }

    mutating func division() -> MIDIFile.Division {
        guard generator.oneIn(3) else { return .ticksPerQuarterNote(1 + generator.below(0x7FFF)) }
        let rate = generator.pick(MIDIFile.FrameRate.allCases)
        return .timeCode(framesPerSecond: rate, ticksPerFrame: 1 + generator.below(0xFF))
    }

    mutating func track(events: Int) -> MIDIFile.Track {
        var tick = 0
        let events = (0..<generator.below(events)).map { _ in
            tick += delta()
            return MIDIFile.Event(tick: tick, kind())
        }
        return MIDIFile.Track(events: events, endTick: tick + delta())
    }

    /// Returns a distance in ticks: each length in bytes, and its limits.
    mutating func delta() -> Int {
        let highest = generator.pick([0, 1, 0x7F, 0x80, 0x3FFF, 0x4000, 0x1F_FFFF, 0x20_0000, 0x0FFF_FFFF])
        return generator.oneIn(2) ? highest : generator.below(highest + 1)
    }

    mutating func kind() -> MIDIFile.Event.Kind {
        switch generator.below(10) {
        case 0: return .message(.systemExclusive(data(below: 0x80)))
        case 1: return .escape(data(below: 0x100))
        case 2: return .escape([0xF0] + data(below: 0x80) + (generator.oneIn(2) ? [0xF7] : []))
        case 3:
            let type = UInt8(generator.below(0x100))
            return .meta(type: type == 0x2F ? 0x30 : type, data: data(below: 0x100))
        case 4: return .tempo(microsecondsPerQuarterNote: generator.below(0x100_0000))
        default: return .message(message())
        }
    }

    mutating func data(below end: Int) -> [UInt8] {
        let count = generator.oneIn(8) ? 120 + generator.below(20) : generator.below(8)
        return (0..<count).map { _ in UInt8(generator.below(end)) }
    }

    /// Returns a channel message. Few statuses, so that running status is frequent.
    mutating func message() -> MIDIMessage {
        let channel = UInt8(generator.pick([0, 0, 0, 9, 15]))
        let (first, second) = (UInt8(generator.below(0x80)), UInt8(generator.below(0x80)))
        return switch generator.below(9) {
        case 0: .noteOff(channel: channel, key: first, velocity: second)
        case 1: .keyPressure(channel: channel, key: first, pressure: second)
        case 2: .controlChange(channel: channel, controller: first, value: second)
        case 3: .programChange(channel: channel, program: first)
        case 4: .channelPressure(channel: channel, pressure: first)
        case 5: .pitchBend(channel: channel, value: generator.below(0x4000))
        default: .noteOn(channel: channel, key: first, velocity: second)
        }
    }
}
