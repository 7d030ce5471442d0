extension MIDIFile {
    /// What the text of a meta event is.
    public enum TextKind: UInt8, CaseIterable, Hashable, Sendable {
        /// Any text.
        case text = 1
        case copyright = 2
        /// The name of the track; of the sequence, in the first track.
        case trackName = 3
        case instrumentName = 4
        /// A syllable or a word to sing.
        case lyric = 5
        /// The name of a place, such as "Verse 1".
        case marker = 6
        /// What happens in the film or on the stage.
        case cuePoint = 7
    }

    /// The meter.
    public struct TimeSignature: Hashable, Sendable {
        /// The beats of a measure.
        public var numerator: UInt8
        /// The note that is a beat, as a power of two: 2 for a quarter note, 3 for an eighth note.
        public var denominatorExponent: UInt8
        /// The MIDI clocks from one click of the metronome to the next; 24 are a quarter note.
        public var clocksPerClick: UInt8 = 24
        /// The notated 32nd notes of 24 MIDI clocks, usually 8.
        public var thirtySecondNotesPerQuarterNote: UInt8 = 8

        /// Creates a time signature with a click per quarter note.
        public init(numerator: UInt8, denominatorExponent: UInt8) {
            self.numerator = numerator
            self.denominatorExponent = denominatorExponent
        }

        /// The note that is a beat: 4 for a quarter note. At most 2^62.
        public var denominator: Int { 1 << min(Int(denominatorExponent), 62) }
    }

    /// The key.
    public struct KeySignature: Hashable, Sendable {
        /// The number of sharps, 0…7; of flats, -7…0.
        public var sharps: Int8
        public var isMinor: Bool

        /// Creates a key signature.
        public init(sharps: Int8, isMinor: Bool = false) {
            self.sharps = sharps
            self.isMinor = isMinor
        }
    }
}

extension MIDIFile.Event.Kind {
    /// Returns a meta event with a text in UTF-8.
    public static func text(_ text: String, as kind: MIDIFile.TextKind = .text) -> Self {
        .meta(type: kind.rawValue, data: Array(text.utf8))
    }

    /// Returns a change of the tempo; the value is limited to 1…16,777,215 µs. 500,000 µs are 120
    /// beats per minute.
    public static func tempo(microsecondsPerQuarterNote value: Int) -> Self {
        let value = min(max(value, 1), 0xFF_FFFF)
        return .meta(type: 0x51, data: [16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) })
    }

    /// Returns a change of the meter.
    public static func timeSignature(_ signature: MIDIFile.TimeSignature) -> Self {
        .meta(
            type: 0x58,
            data: [
                signature.numerator, signature.denominatorExponent, signature.clocksPerClick,
                signature.thirtySecondNotesPerQuarterNote,
            ])
    }

    /// Returns a change of the key; the number of sharps is limited to -7…7.
    public static func keySignature(_ signature: MIDIFile.KeySignature) -> Self {
        let sharps = min(max(signature.sharps, -7), 7)
        return .meta(type: 0x59, data: [UInt8(bitPattern: sharps), signature.isMinor ? 1 : 0])
    }

    /// Returns the text of a meta event of this kind; nil for other events. Files do not state the
    /// encoding: bytes that are not UTF-8 are read as Latin-1.
    public func text(_ kind: MIDIFile.TextKind) -> String? {
        guard case .meta(kind.rawValue, let data) = self else { return nil }
        if let text = String(validating: data, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(data.map { Unicode.Scalar($0) }))
    }

    /// The tempo in microseconds per quarter note, 1…16,777,215, if the event sets it. Nil for a
    /// tempo of 0, which no sequence can have.
    public var tempo: Int? {
        guard case .meta(0x51, let data) = self, data.count >= 3 else { return nil }
        let value = Int(data[0]) << 16 | Int(data[1]) << 8 | Int(data[2])
        return value > 0 ? value : nil
    }

    /// The meter, if the event sets it.
    public var timeSignature: MIDIFile.TimeSignature? {
        guard case .meta(0x58, let data) = self, data.count >= 4 else { return nil }
        var signature = MIDIFile.TimeSignature(numerator: data[0], denominatorExponent: data[1])
        signature.clocksPerClick = data[2]
        signature.thirtySecondNotesPerQuarterNote = data[3]
        return signature
    }

    /// The key, if the event sets it; nil if the file states more than seven sharps or flats, or
    /// neither major nor minor.
    public var keySignature: MIDIFile.KeySignature? {
        guard case .meta(0x59, let data) = self, data.count >= 2 else { return nil }
        let sharps = Int8(bitPattern: data[0])
        guard (-7...7).contains(sharps), data[1] <= 1 else { return nil }
        return MIDIFile.KeySignature(sharps: sharps, isMinor: data[1] == 1)
    }
}
