import SessionProgramSupport

/// The events of the player.
typealias PlayerEvent = ProgramEvent<PlayerEventKind>

enum PlayerEventKind: ProgramEventKind {
    case change(SessionChange)
    case position(file: String, frame: Int64, seconds: Double)
    case loudness(OutputLoudness)
    case finished(file: String)

    var name: String {
        switch self {
        case .change(let change): change.name
        case .position: "position"
        case .loudness: "loudness"
        case .finished: "finished"
        }
    }

    func encodeValues(to encoder: any Encoder) throws {
        var keyed = encoder.container(keyedBy: EventKey.self)
        switch self {
        case .change(let change): try change.encodeValues(to: encoder)
        case .position(let file, let frame, let seconds):
            try keyed.encode(file, forKey: "file")
            try keyed.encode(frame, forKey: "frame")
            try keyed.encode((seconds * 1000).rounded() / 1000, forKey: "seconds")
        case .loudness(let loudness):
            // Silence is encoded as null, not omitted.
            try keyed.encode(loudness.momentary, forKey: "momentary")
            try keyed.encode(loudness.shortTerm, forKey: "shortTerm")
            try keyed.encode(loudness.integrated, forKey: "integrated")
            try keyed.encode(loudness.range, forKey: "range")
            try keyed.encode(loudness.truePeak, forKey: "truePeak")
            try keyed.encode(loudness.isFinal, forKey: "final")
        case .finished(let file): try keyed.encode(file, forKey: "file")
        }
    }

    /// The event as one line of text; nil for loudness, except the final one if any sound was
    /// measured.
    var line: String? {
        switch self {
        case .change(let change): change.line
        case .position(let file, _, let seconds): "\(file): \(Text.clock(seconds))"
        case .loudness(let loudness) where loudness.isFinal && loudness.integrated != nil:
            """
            loudness: \(Text.level(loudness.integrated)) LUFS, range \(Text.oneDecimal(loudness.range)) LU, \
            true peak \(Text.level(loudness.truePeak)) dBTP
            """
        case .loudness: nil
        case .finished(let file): "finished: \(file)"
        }
    }

    var isPosition: Bool { if case .position = self { true } else { false } }
}

/// The loudness of the output since the start, in LUFS, LU and dBTP; nil for silence.
struct OutputLoudness: Equatable {
    var momentary: Double?
    var shortTerm: Double?
    var integrated: Double?
    var range: Double
    var truePeak: Double?
    /// Whether this is the last measurement.
    var isFinal: Bool
}
