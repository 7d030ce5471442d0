/// A line that the stream controller (`audiosession-hand`) writes. Documentation/ForeignPrograms.md
/// specifies the protocol.
package enum StreamEvent: Hashable, Sendable {
    /// It is connected to PipeWire and has freed what an earlier one had left.
    /// `cookie` is that of the PipeWire process: the ids of streams are unique in one process only.
    case ready(version: Int, cookie: UInt32?)
    /// A stream exists, or something about it has changed.
    case stream(ForeignStream)
    /// All streams that existed at the start have been reported.
    case synced
    case gone(StreamID)
    /// The last command for the stream is in effect.
    case reached(StreamID)
    case refused(StreamID, reason: String)
    /// The stream exceeds the threshold of its detection.
    case audible(StreamID)
    /// It has not exceeded it for a while.
    case inaudible(StreamID)
    /// Its sound is not, or no longer, detected.
    case undetected(StreamID, reason: String)
    /// It did not understand a command.
    case malformed(reason: String)
    /// It exits, because PipeWire is gone.
    case ended(reason: String)

    /// Reads a line without its LF. Returns nil for a line that is no event of version 1; readers
    /// ignore such lines.
    package init?(line: String) {
        let words = line.split(separator: " ", omittingEmptySubsequences: true)
        guard let name = words.first else { return nil }
        let number = words.count > 1 ? UInt64(words[1]).map(StreamID.init) : nil
        let values = Self.values(in: words.dropFirst())
        let reason = values["reason"] ?? ""
        switch (name, number) {
        case ("ready", _):
            self = .ready(
                version: values["version"].flatMap { Int($0) } ?? 1, cookie: values["cookie"].flatMap { UInt32($0) })
        case ("synced", _): self = .synced
        case ("malformed", _): self = .malformed(reason: reason)
        case ("ended", _): self = .ended(reason: reason)
        case ("stream", let id?): self = .stream(ForeignStream(id, values))
        case ("gone", let id?): self = .gone(id)
        case ("reached", let id?): self = .reached(id)
        case ("refused", let id?): self = .refused(id, reason: reason)
        case ("audible", let id?): self = .audible(id)
        case ("inaudible", let id?): self = .inaudible(id)
        case ("undetected", let id?): self = .undetected(id, reason: reason)
        default: return nil
        }
    }

    /// Returns the words of the form KEY=VALUE; of two with the same key, the first one.
    private static func values(in words: ArraySlice<Substring>) -> [String: String] {
        let pairs = words.compactMap { word -> (String, String)? in
            guard let sign = word.firstIndex(of: "=") else { return nil }
            return (String(word[..<sign]), decoded(word[word.index(after: sign)...]))
        }
        return Dictionary(pairs) { first, _ in first }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool { Character(Unicode.Scalar(byte)).isHexDigit }

    /// Decodes %XX. An incomplete sequence stays as it is.
    private static func decoded(_ value: Substring) -> String {
        guard value.utf8.contains(UInt8(ascii: "%")) else { return String(value) }
        var bytes: [UInt8] = []
        var rest = Array(value.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy(isHexDigit),
                let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ForeignStream {
    fileprivate init(_ id: StreamID, _ values: [String: String]) {
        func process(_ key: String) -> Int32? { values[key].flatMap { Int32($0) }.flatMap { $0 > 0 ? $0 : nil } }
        self.init(id)
        direction = values["direction"].flatMap(Direction.init) ?? .output
        api = values["api"].flatMap(API.init) ?? .native
        isRunning = values["state"] == "running"
        self.process = process("pid")
        claimedProcess = process("claimed-pid")
        binary = values["binary"]
        application = values["app"]
        applicationID = values["app-id"] ?? values["desktop"]
        role = values["role"]
        canBeLowered = values["controls"] != "hold"
        isPassthrough = values["passthrough"] == "1"
    }
}

/// A command to the stream controller. The last command for a stream wins, of those that alter it
/// and of those that do not, and a repeated one does no harm.
package enum StreamCommand: Hashable, Sendable {
    /// The stream runs, at `attenuation` dB below full level or silent (nil), after a ramp.
    case level(StreamID, attenuation: Double?, milliseconds: Int)
    /// The stream fades to silence, and then keeps its frame.
    case hold(StreamID, milliseconds: Int)
    /// Whether the stream is audible is reported: its sound exceeds `threshold`, in dB below full
    /// scale, or did so within the last `milliseconds`.
    case detect(StreamID, threshold: Double, milliseconds: Int)
    case endDetection(StreamID)

    package var stream: StreamID {
        switch self {
        case .level(let id, _, _), .hold(let id, _), .detect(let id, _, _), .endDetection(let id): id
        }
    }

    /// The line, without its LF.
    package var line: String {
        switch self {
        case .level(let id, let attenuation, let milliseconds):
            "level \(id.rawValue) \(attenuation.map { String($0) } ?? "silence") \(milliseconds)"
        case .hold(let id, let milliseconds): "hold \(id.rawValue) \(milliseconds)"
        case .detect(let id, let threshold, let milliseconds): "detect \(id.rawValue) \(threshold) \(milliseconds)"
        case .endDetection(let id): "detect \(id.rawValue) off"
        }
    }
}
