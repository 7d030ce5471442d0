/// A message of MIDI 1.0.
///
/// Channels are 0…15; users count them from 1. Keys, velocities, controllers, values, programs and
/// pressures are 0…127; key 60 is middle C. A message with values beyond these ranges can be made,
/// but is not valid (`isValid`).
public enum MIDIMessage: Hashable, Sendable {
    /// Ends a note. `velocity`: of the release; 64 where a keyboard does not measure it.
    case noteOff(channel: UInt8, key: UInt8, velocity: UInt8)
    /// Begins a note. Velocity 0 ends it: the same as a note-off of velocity 64.
    case noteOn(channel: UInt8, key: UInt8, velocity: UInt8)
    /// The pressure on one key (polyphonic aftertouch).
    case keyPressure(channel: UInt8, key: UInt8, pressure: UInt8)
    /// A controller, such as 1 (modulation), 7 (volume), 10 (pan) or 64 (sustain pedal). Numbers
    /// 120…127 are channel modes, such as 123 (all notes off).
    case controlChange(channel: UInt8, controller: UInt8, value: UInt8)
    /// Selects the program of a channel. Users count programs from 1.
    case programChange(channel: UInt8, program: UInt8)
    /// The pressure on all keys of a channel (aftertouch).
    case channelPressure(channel: UInt8, pressure: UInt8)
    /// The pitch wheel: 0…16,383; 8,192 is the centre.
    case pitchBend(channel: UInt8, value: Int)
    /// A system-exclusive message: the bytes between 0xF0 and 0xF7, each 0…127.
    case systemExclusive([UInt8])
    /// A quarter of a frame of MIDI time code: the type of the piece in bits 4…6, its value in bits
    /// 0…3.
    case timeCodeQuarterFrame(UInt8)
    /// A position in MIDI beats, which are sixteenth notes, from the beginning of the song:
    /// 0…16,383.
    case songPosition(Int)
    /// Selects a song, 0…127.
    case songSelect(UInt8)
    /// Requests that analogue synthesizers tune themselves.
    case tuneRequest
    /// A clock: 24 of them are a quarter note.
    case clock
    /// Starts the song at its beginning, with the next clock.
    case start
    /// Continues the song where it was stopped, with the next clock.
    case `continue`
    /// Stops the song.
    case stop
    /// Sent at least every 300 ms by devices that announce their presence.
    case activeSensing
    /// Returns a device to the state in which it was turned on.
    case reset

    /// The channel, 0…15 in a valid message; nil for system messages, which apply to all channels.
    public var channel: UInt8? {
        switch self {
        case .noteOff(let channel, _, _), .noteOn(let channel, _, _), .keyPressure(let channel, _, _),
            .controlChange(let channel, _, _), .programChange(let channel, _), .channelPressure(let channel, _),
            .pitchBend(let channel, _):
            channel
        default: nil
        }
    }

    /// Whether all values are in their ranges.
    public var isValid: Bool {
        if let channel, channel > 15 { return false }
        return switch self {
        case .noteOff(_, let first, let second), .noteOn(_, let first, let second),
            .keyPressure(_, let first, let second), .controlChange(_, let first, let second):
            first < 0x80 && second < 0x80
        case .programChange(_, let value), .channelPressure(_, let value), .timeCodeQuarterFrame(let value),
            .songSelect(let value):
            value < 0x80
        case .pitchBend(_, let value), .songPosition(let value): (0..<0x4000).contains(value)
        case .systemExclusive(let bytes): bytes.allSatisfy { $0 < 0x80 }
        case .tuneRequest, .clock, .start, .continue, .stop, .activeSensing, .reset: true
        }
    }
}
