import Foundation

/// One line of `--events json`. Names and keys are a public interface: they may be added, but not
/// changed.
struct PlayerEvent {
    /// Seconds since the start.
    var time: Double
    var kind: Kind

    enum Kind {
        case hardware(Hardware)
        case session(PlayerSessionStatus)
        case route(reason: String, outputs: [RoutePort], inputs: [RoutePort], previous: [RoutePort])
        case interruption(type: String, reason: String?, shouldResume: Bool?)
        case position(file: String, frame: Int64, seconds: Double)
        case loudness(Loudness)
        case server(state: String)
        case xrun(count: Int)
        case finished(file: String)
        case error(code: Int, message: String)
    }

    struct Hardware: Codable, Equatable {
        var server: String
        var sampleRate: Int
        var ioBufferDuration: Double
        var periodFrames: Int
        var outputLatency: Double
        var preferredSampleRate: Double
        var preferredIOBufferDuration: Double
    }

    /// The loudness of the output since the start, in LUFS, LU and dBTP; nil for silence.
    struct Loudness: Equatable {
        var momentary: Double?
        var shortTerm: Double?
        var integrated: Double?
        var range: Double
        var truePeak: Double?
        /// Whether this is the last measurement.
        var isFinal: Bool
    }

    struct RoutePort: Codable, Equatable {
        var uid: String
        var type: String
        var name: String
        var channels: Int
    }
}

extension PlayerEvent: Encodable {
    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Encodes the time, the kind under the key `event`, and the values of the kind as one flat
    /// object.
    func encode(to encoder: any Encoder) throws {
        var keyed = encoder.container(keyedBy: Key.self)
        try keyed.encode((time * 1000).rounded() / 1000, forKey: Key("time"))
        switch kind {
        case .hardware(let hardware):
            try keyed.encode("hardware", forKey: Key("event"))
            try hardware.encode(to: encoder)
        case .session(let session):
            try keyed.encode("session", forKey: Key("event"))
            try session.encode(to: encoder)
        case .route(let reason, let outputs, let inputs, let previous):
            try keyed.encode("route", forKey: Key("event"))
            try keyed.encode(reason, forKey: Key("reason"))
            try keyed.encode(outputs, forKey: Key("outputs"))
            try keyed.encode(inputs, forKey: Key("inputs"))
            try keyed.encode(previous, forKey: Key("previous"))
        case .interruption(let type, let reason, let shouldResume):
            try keyed.encode("interruption", forKey: Key("event"))
            try keyed.encode(type, forKey: Key("type"))
            try keyed.encodeIfPresent(reason, forKey: Key("reason"))
            try keyed.encodeIfPresent(shouldResume, forKey: Key("shouldResume"))
        case .position(let file, let frame, let seconds):
            try keyed.encode("position", forKey: Key("event"))
            try keyed.encode(file, forKey: Key("file"))
            try keyed.encode(frame, forKey: Key("frame"))
            try keyed.encode((seconds * 1000).rounded() / 1000, forKey: Key("seconds"))
        case .loudness(let loudness):
            try keyed.encode("loudness", forKey: Key("event"))
            // Silence is encoded as null, not omitted.
            try keyed.encode(loudness.momentary, forKey: Key("momentary"))
            try keyed.encode(loudness.shortTerm, forKey: Key("shortTerm"))
            try keyed.encode(loudness.integrated, forKey: Key("integrated"))
            try keyed.encode(loudness.range, forKey: Key("range"))
            try keyed.encode(loudness.truePeak, forKey: Key("truePeak"))
            try keyed.encode(loudness.isFinal, forKey: Key("final"))
        case .server(let state):
            try keyed.encode("server", forKey: Key("event"))
            try keyed.encode(state, forKey: Key("state"))
        case .xrun(let count):
            try keyed.encode("xrun", forKey: Key("event"))
            try keyed.encode(count, forKey: Key("count"))
        case .finished(let file):
            try keyed.encode("finished", forKey: Key("event"))
            try keyed.encode(file, forKey: Key("file"))
        case .error(let code, let message):
            try keyed.encode("error", forKey: Key("event"))
            try keyed.encode(code, forKey: Key("code"))
            try keyed.encode(message, forKey: Key("message"))
        }
    }

    /// The event as one line of JSON.
    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { return #"{"event":"error","message":"not encodable"}"# }
        return String(decoding: data, as: UTF8.self)
    }

    /// The event as one line of text; nil for loudness, except the final one if any sound was
    /// measured.
    var line: String? {
        switch kind {
        case .hardware(let hardware):
            """
            hardware: \(hardware.server), \(hardware.sampleRate) Hz, period \(hardware.periodFrames) frames \
            (\(Text.milliseconds(hardware.ioBufferDuration))), output latency \(Text.milliseconds(hardware.outputLatency))
            """
        case .session(let session): "\(session.id): \(session.summary)"
        case .route(let reason, let outputs, _, _):
            "route (\(reason)): " + outputs.map { "\($0.name) [\($0.type), \($0.channels) ch]" }.joined(separator: ", ")
        case .interruption("began", let reason, _): "interruption began (\(reason ?? "default"))"
        case .interruption(let type, _, let shouldResume):
            "interruption \(type)" + (shouldResume == true ? ", should resume" : "")
        case .position(let file, _, let seconds): "\(file): \(Text.clock(seconds))"
        case .loudness(let loudness) where loudness.isFinal && loudness.integrated != nil:
            """
            loudness: \(Text.level(loudness.integrated)) LUFS, range \(Text.oneDecimal(loudness.range)) LU, \
            true peak \(Text.level(loudness.truePeak)) dBTP
            """
        case .loudness: nil
        case .server(let state): "server \(state)"
        case .xrun(let count): "xruns: \(count)"
        case .finished(let file): "finished: \(file)"
        case .error(_, let message): "error: \(message)"
        }
    }
}
