internal import Foundation

/// One line of `--events json`. Names and keys are a public interface: they may be added, but not
/// changed.
package struct ProgramEvent<Kind: ProgramEventKind> {
    /// Seconds since the start.
    package var time: Double
    package var kind: Kind

    package init(time: Double, kind: Kind) {
        self.time = time
        self.kind = kind
    }
}

/// The kinds of events that a program reports.
package protocol ProgramEventKind {
    /// What all programs report.
    static func change(_ change: SessionChange) -> Self
    /// The value of the key `event`.
    var name: String { get }
    /// Encodes the other values, each under a key of its own.
    func encodeValues(to encoder: any Encoder) throws
    /// The event as one line of text; nil if it is not reported as text.
    var line: String? { get }
    /// Whether the event is reported as text only every five seconds: the screen shows it itself.
    var isPosition: Bool { get }
}

extension ProgramEvent: Encodable {
    /// Encodes the time, the kind under the key `event`, and the values of the kind as one flat
    /// object.
    package func encode(to encoder: any Encoder) throws {
        var keyed = encoder.container(keyedBy: EventKey.self)
        try keyed.encode((time * 1000).rounded() / 1000, forKey: "time")
        try keyed.encode(kind.name, forKey: "event")
        try kind.encodeValues(to: encoder)
    }

    /// The event as one line of JSON.
    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { return #"{"event":"error","message":"not encodable"}"# }
        return String(decoding: data, as: UTF8.self)
    }
}
