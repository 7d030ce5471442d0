import AudioRendering
import TestRandom
import Testing

@Suite struct MIDIMessageTests {
    /// Each message with its bytes, by the table of MIDI 1.0.
    static let table: [(message: MIDIMessage, bytes: [UInt8], channel: UInt8?)] = [
        (.noteOff(channel: 0, key: 60, velocity: 64), [0x80, 60, 64], 0),
        (.noteOn(channel: 15, key: 127, velocity: 0), [0x9F, 127, 0], 15),
        (.keyPressure(channel: 1, key: 2, pressure: 3), [0xA1, 2, 3], 1),
        (.controlChange(channel: 9, controller: 64, value: 127), [0xB9, 64, 127], 9),
        (.programChange(channel: 2, program: 5), [0xC2, 5], 2),
        (.channelPressure(channel: 3, pressure: 6), [0xD3, 6], 3),
        (.pitchBend(channel: 4, value: 8_192), [0xE4, 0, 0x40], 4),
        (.pitchBend(channel: 4, value: 129), [0xE4, 1, 1], 4),
        (.systemExclusive([0x7E, 0x7F, 9, 1]), [0xF0, 0x7E, 0x7F, 9, 1, 0xF7], nil),
        (.systemExclusive([]), [0xF0, 0xF7], nil),
        (.timeCodeQuarterFrame(0x71), [0xF1, 0x71], nil),
        (.songPosition(16_383), [0xF2, 0x7F, 0x7F], nil),
        (.songPosition(3), [0xF2, 3, 0], nil),
        (.songSelect(7), [0xF3, 7], nil),
        (.tuneRequest, [0xF6], nil), (.clock, [0xF8], nil), (.start, [0xFA], nil), (.continue, [0xFB], nil),
        (.stop, [0xFC], nil), (.activeSensing, [0xFE], nil), (.reset, [0xFF], nil),
    ]

    @Test("messages have the bytes of MIDI 1.0, in both directions", arguments: 0..<table.count)
    func bytes(_ index: Int) {
        let entry = Self.table[index]
        #expect(entry.message.bytes == entry.bytes)
        #expect(MIDIMessage(bytes: entry.bytes) == entry.message)
        #expect(MIDIMessage(bytes: ([0x90] + entry.bytes)[1...]) == entry.message)
        #expect(entry.message.channel == entry.channel)
        #expect(entry.message.isValid)
        // Neither more nor fewer bytes are a message.
        for count in 0..<entry.bytes.count { #expect(MIDIMessage(bytes: entry.bytes[..<count]) == nil) }
        for more: UInt8 in [0, 0x40, 0xF7, 0xF8, 0x90] { #expect(MIDIMessage(bytes: entry.bytes + [more]) == nil) }
    }

    @Test("values out of range are invalid, and masked in the bytes")
    func ranges() {
        let invalid: [(MIDIMessage, [UInt8])] = [
            (.noteOff(channel: 16, key: 0, velocity: 0), [0x80, 0, 0]),
            (.noteOn(channel: 255, key: 128, velocity: 255), [0x9F, 0, 127]),
            (.noteOn(channel: 0, key: 0, velocity: 128), [0x90, 0, 0]),
            (.keyPressure(channel: 0, key: 200, pressure: 0), [0xA0, 72, 0]),
            (.controlChange(channel: 0, controller: 0, value: 129), [0xB0, 0, 1]),
            (.programChange(channel: 0, program: 128), [0xC0, 0]),
            (.programChange(channel: 17, program: 1), [0xC1, 1]),
            (.channelPressure(channel: 0, pressure: 130), [0xD0, 2]),
            (.pitchBend(channel: 0, value: 16_384), [0xE0, 0, 0]),
            (.pitchBend(channel: 0, value: -1), [0xE0, 127, 127]),
            (.pitchBend(channel: 0, value: .min), [0xE0, 0, 0]),
            (.systemExclusive([1, 0xF7, 2]), [0xF0, 1, 0x77, 2, 0xF7]),
            (.timeCodeQuarterFrame(0x80), [0xF1, 0]),
            (.songPosition(.max), [0xF2, 127, 127]),
            (.songSelect(255), [0xF3, 127]),
        ]
        for (message, bytes) in invalid {
            #expect(!message.isValid, "\(message)")
            #expect(message.bytes == bytes, "\(message)")
            #expect(MIDIMessage(bytes: message.bytes)?.isValid == true, "\(message)")
        }
    }

    @Test("all sequences of up to three bytes are a message only if it has these bytes")
    func allShortSequences() {
        let values: [UInt8] = [0, 1, 0x3F, 0x40, 0x7F] + Array(0x80...0xFF)
        var count = 0
        func check(_ bytes: [UInt8]) {
            guard let message = MIDIMessage(bytes: bytes) else { return }
            count += 1
            if message.bytes != bytes || !message.isValid { Issue.record("\(bytes): \(message)") }
        }
        check([])
        for first in UInt8.min...UInt8.max {
            check([first])
            for second in values {
                check([first, second])
                for third in [0, 0x40, 0x7F, 0x80, 0xF0, 0xF7] as [UInt8] { check([first, second, third]) }
            }
        }
        // Of one byte: seven. Of two: 34 statuses × 5 values, and an empty exclusive message. Of
        // three: 81 statuses × 5 × 3 values, and 5 exclusive messages.
        #expect(count == 7 + 34 * 5 + 1 + 81 * 15 + 5)
    }
}
