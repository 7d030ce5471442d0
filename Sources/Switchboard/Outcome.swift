internal import Foundation

/// What a command has to say: in words, and for machines.
public protocol Outcome: Encodable {
    /// Lines for people, without a last line break.
    var words: String { get }
    /// What the program ends with, as sysexits has it; 0: fine.
    var exitStatus: Int32 { get }
}

extension Outcome {
    public var exitStatus: Int32 { 0 }

    /// One object on one line, keys in the order of the alphabet.
    public var json: String {
        get throws { try JSON.line(self) }
    }
}

/// How values are written for machines.
enum JSON {
    static func line(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

/// A command that does something: what it did, and what it did it with.
public struct Done: Outcome, Equatable {
    public var words: String
    /// As it was typed: "call ring".
    var command: String
    /// The system session that began, changed or ended.
    var session: UInt64?
    /// The audio server on which it was done.
    var server: String?
    /// Whether a device exists for the rules alone; nil: of no device.
    var silent: Bool?

    init(
        _ command: String, _ words: String, session: UInt64? = nil, server: String? = nil, silent: Bool? = nil
    ) {
        self.command = command
        self.words = words
        self.session = session
        self.server = server
        self.silent = silent
    }

    private enum CodingKeys: String, CodingKey {
        case command = "done"
        case words = "message"
        case session, server, silent
    }
}
