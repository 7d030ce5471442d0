internal import Foundation
internal import Platform

/// The result of a command, as text and as JSON.
public protocol CommandResult: Encodable {
    /// The lines to print, without a line break at the end.
    var text: String { get }
    /// The exit status of the program, as in sysexits.h; 0 for success.
    var exitStatus: Int32 { get }
}

extension CommandResult {
    public var exitStatus: Int32 { 0 }

    /// The result as one JSON object on one line, with sorted keys.
    public var json: String {
        get throws { try JSON.line(self) }
    }
}

/// Encodes values as JSON.
enum JSON {
    static func line(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

/// The result of a command that changes something.
public struct ChangeResult: CommandResult, Equatable {
    /// One sentence.
    private var message: String
    /// The command: "call ring".
    var command: String
    /// The system session that the command began, changed or ended.
    var session: UInt64?
    /// The audio server on which the command acted.
    var server: String?
    /// Whether the device exists for the policy only; nil if the command concerns no device.
    var silent: Bool?

    init(
        _ command: String, _ text: String, session: UInt64? = nil, server: String? = nil, silent: Bool? = nil
    ) {
        self.command = command
        message = text
        self.session = session
        self.server = server
        self.silent = silent
    }

    private enum CodingKeys: String, CodingKey {
        case command = "done"
        case message, session, server, silent
    }

    public var text: String { message.printable }
}
