internal import AudioRendering
internal import AudioSessionTypes

/// MIDI Machine Control: remote commands as system-exclusive messages, which programs of other
/// makers understand as well.
enum MachineControl {
    /// The bytes of every command, between 0xF0 and 0xF7: universal real time, all devices,
    /// command.
    private static let header: [UInt8] = [0x7F, 0x7F, 0x06]
    private enum Command {
        static let stop: UInt8 = 0x01
        static let play: UInt8 = 0x02
        static let deferredPlay: UInt8 = 0x03
        static let pause: UInt8 = 0x09
        static let locate: UInt8 = 0x44
    }
    /// The frames a second of a locate command's time: type 3 of its hours, 30 frames.
    private static let framesPerSecond = 30

    /// Returns the message of a command; nil if there is none.
    static func message(of command: RemoteCommand) -> MIDIMessage? {
        switch command {
        case .play: .systemExclusive(header + [Command.play])
        case .pause: .systemExclusive(header + [Command.pause])
        case .stop: .systemExclusive(header + [Command.stop])
        case .seek(let seconds): locate(to: seconds).map(MIDIMessage.systemExclusive)
        default: nil
        }
    }

    /// Returns the command of a message; nil if it is none.
    static func command(of message: MIDIMessage) -> RemoteCommand? {
        guard case .systemExclusive(let bytes) = message, bytes.count >= 4, bytes[0] == 0x7F, bytes[2] == 0x06 else {
            return nil
        }
        return switch bytes[3] {
        case Command.stop where bytes.count == 4: .stop
        case Command.play where bytes.count == 4, Command.deferredPlay where bytes.count == 4: .play
        case Command.pause where bytes.count == 4: .pause
        case Command.locate: seconds(ofLocate: Array(bytes.dropFirst(4))).map(RemoteCommand.seek(to:))
        default: nil
        }
    }

    /// Returns a locate command, to hundredths of a frame; nil outside 0…24 h.
    private static func locate(to seconds: Double) -> [UInt8]? {
        guard seconds >= 0, seconds < 86_400 else { return nil }
        let hundredths = Int((seconds * Double(framesPerSecond * 100)).rounded(.down))
        let (frames, part) = hundredths.quotientAndRemainder(dividingBy: 100)
        let (whole, frame) = frames.quotientAndRemainder(dividingBy: framesPerSecond)
        let (minutes, second) = whole.quotientAndRemainder(dividingBy: 60)
        let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        return header + [Command.locate, 6, 1] + [
            UInt8(0x60 | hour), UInt8(minute), UInt8(second), UInt8(frame), UInt8(part),
        ]
    }

    /// Returns the time of a locate command from its bytes after the command, in seconds.
    private static func seconds(ofLocate bytes: [UInt8]) -> Double? {
        guard bytes.count == 7, bytes[0] == 6, bytes[1] == 1 else { return nil }
        let rates = [24, 25, 30_000.0 / 1_001, 30]
        let (hour, minute, second, frame) = (bytes[2] & 0x1F, bytes[3], bytes[4], bytes[5] & 0x1F)
        guard hour < 24, minute < 60, second < 60, bytes[6] < 100 else { return nil }
        let whole = Double(hour) * 3_600 + Double(minute) * 60 + Double(second)
        return whole + (Double(frame) + Double(bytes[6]) / 100) / rates[Int(bytes[2] >> 5 & 3)]
    }
}
