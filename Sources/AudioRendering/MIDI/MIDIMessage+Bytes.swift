extension MIDIMessage {
    /// The message as bytes of MIDI 1.0: its status, then its data; a system-exclusive message with
    /// 0xF0 and 0xF7. Of a value that is out of range, the lowest 4 (channel), 7 or 14 bits count.
    public var bytes: [UInt8] {
        switch self {
        case .noteOff(let channel, let key, let velocity): Self.bytes(0x80, channel, key, velocity)
        case .noteOn(let channel, let key, let velocity): Self.bytes(0x90, channel, key, velocity)
        case .keyPressure(let channel, let key, let pressure): Self.bytes(0xA0, channel, key, pressure)
        case .controlChange(let channel, let controller, let value): Self.bytes(0xB0, channel, controller, value)
        case .programChange(let channel, let program): [0xC0 | channel & 0x0F, program & 0x7F]
        case .channelPressure(let channel, let pressure): [0xD0 | channel & 0x0F, pressure & 0x7F]
        case .pitchBend(let channel, let value): [0xE0 | channel & 0x0F] + Self.pair(value)
        case .systemExclusive(let bytes): [0xF0] + bytes.map { $0 & 0x7F } + [0xF7]
        case .timeCodeQuarterFrame(let value): [0xF1, value & 0x7F]
        case .songPosition(let beats): [0xF2] + Self.pair(beats)
        case .songSelect(let song): [0xF3, song & 0x7F]
        case .tuneRequest: [0xF6]
        case .clock: [0xF8]
        case .start: [0xFA]
        case .continue: [0xFB]
        case .stop: [0xFC]
        case .activeSensing: [0xFE]
        case .reset: [0xFF]
        }
    }

    private static func bytes(_ status: UInt8, _ channel: UInt8, _ first: UInt8, _ second: UInt8) -> [UInt8] {
        [status | channel & 0x0F, first & 0x7F, second & 0x7F]
    }

    /// Returns the lowest 14 bits as two data bytes, the lower seven first.
    private static func pair(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value & 0x7F), UInt8(truncatingIfNeeded: value >> 7 & 0x7F)]
    }

    /// Creates the message that the bytes are, from its status to its last byte. Returns nil if
    /// they are not exactly one complete message: for bytes that begin with data (running status),
    /// for several messages, and for the undefined statuses 0xF4, 0xF5, 0xF9 and 0xFD.
    public init?(bytes: some Collection<UInt8>) {
        guard let status = bytes.first else { return nil }
        let data = bytes.dropFirst()
        if status == 0xF0 {
            let content = data.dropLast()
            guard data.count > content.count, data.dropFirst(content.count).first == 0xF7,
                content.allSatisfy({ $0 < 0x80 })
            else { return nil }
            self = .systemExclusive(Array(content))
            return
        }
        var rest = data.makeIterator()
        let (first, second, third) = (rest.next(), rest.next(), rest.next())
        guard third == nil else { return nil }
        self.init(status: status, first, second)
    }

    /// Creates the message of a status other than 0xF0 and its data bytes; nil if the status has
    /// another number of them, or one is 128 or more.
    package init?(status: UInt8, _ first: UInt8?, _ second: UInt8?) {
        guard first ?? 0 < 0x80, second ?? 0 < 0x80 else { return nil }
        let message: MIDIMessage? =
            switch (first, second) {
            case (let first?, let second?): Self.message(status, first, second)
            case (let first?, nil): Self.message(status, first)
            default: Self.message(status)
            }
        guard let message else { return nil }
        self = message
    }

    /// Returns the message of a status with two data bytes; nil if it has another number of them.
    private static func message(_ status: UInt8, _ first: UInt8, _ second: UInt8) -> MIDIMessage? {
        let channel = status & 0x0F
        let number = Int(first) | Int(second) << 7
        return switch status {
        case 0x80...0x8F: .noteOff(channel: channel, key: first, velocity: second)
        case 0x90...0x9F: .noteOn(channel: channel, key: first, velocity: second)
        case 0xA0...0xAF: .keyPressure(channel: channel, key: first, pressure: second)
        case 0xB0...0xBF: .controlChange(channel: channel, controller: first, value: second)
        case 0xE0...0xEF: .pitchBend(channel: channel, value: number)
        case 0xF2: .songPosition(number)
        default: nil
        }
    }

    /// Returns the message of a status with one data byte; nil if it has another number of them.
    private static func message(_ status: UInt8, _ value: UInt8) -> MIDIMessage? {
        switch status {
        case 0xC0...0xCF: .programChange(channel: status & 0x0F, program: value)
        case 0xD0...0xDF: .channelPressure(channel: status & 0x0F, pressure: value)
        case 0xF1: .timeCodeQuarterFrame(value)
        case 0xF3: .songSelect(value)
        default: nil
        }
    }

    /// Returns the message of a status without data bytes; nil if it has some, or is undefined.
    private static func message(_ status: UInt8) -> MIDIMessage? {
        switch status {
        case 0xF6: .tuneRequest
        case 0xF8: .clock
        case 0xFA: .start
        case 0xFB: .continue
        case 0xFC: .stop
        case 0xFE: .activeSensing
        case 0xFF: .reset
        default: nil
        }
    }

    /// Returns the number of data bytes of a channel, system common or real-time message with this
    /// status; nil for data bytes, 0xF0, 0xF7 and undefined statuses.
    package static func dataCount(ofStatus status: UInt8) -> Int? {
        switch status {
        case 0x80...0xBF, 0xE0...0xEF, 0xF2: 2
        case 0xC0...0xDF, 0xF1, 0xF3: 1
        case 0xF6, 0xF8, 0xFA...0xFC, 0xFE, 0xFF: 0
        default: nil
        }
    }
}
