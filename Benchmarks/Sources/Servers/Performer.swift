internal import Foundation
internal import Processes

/// A child process that executes commands given as text and replies with numbers. Fields are
/// separated by tabs.
package final class Performer {
    private let companion: Companion
    private let part: String

    /// Runs this program again with `--part PART`, which calls `Performer.play`.
    package init(_ part: String, _ environment: [String: String] = [:]) throws {
        companion = try Companion(part, environment: environment)
        self.part = part
    }

    /// Sends a command and returns its numbers.
    @discardableResult
    package func ask(_ words: any CustomStringConvertible...) throws -> [Double] {
        try send(words.map(\.description))
        return try answer()
    }

    /// Sends a command without waiting for the reply.
    package func send(_ words: [String]) throws {
        try companion.packets.send(Array(words.joined(separator: "\t").utf8))
    }

    /// Whether a reply arrives within that time. Does not read it.
    package func hasAnswer(within milliseconds: Int32) -> Bool {
        var socket = pollfd(fd: companion.packets.socket, events: Int16(POLLIN), revents: 0)
        return poll(&socket, 1, milliseconds) > 0
    }

    /// Waits for the reply to the oldest command, and returns its numbers.
    package func answer() throws -> [Double] {
        var numbers: [Double] = []
        while true {
            guard let (bytes, _) = try? companion.packets.receive(waiting: true) else {
                throw BenchmarkError("\(part): its process \(companion.ending()).")
            }
            let fields = String(decoding: bytes, as: UTF8.self).split(separator: "\t")
            numbers += fields.dropFirst().compactMap { Double($0) }
            switch fields.first {
            case "ok": return numbers
            case "more": try send(["more"])
            default: throw BenchmarkError("\(part): \(fields.dropFirst().joined(separator: " "))")
            }
        }
    }

    /// The fields of a packet. A longer reply is sent in several.
    private static let room = 2_000

    /// The child's side: executes the commands that arrive through the socket, until it closes.
    package static func play<Reply: CustomStringConvertible>(_ perform: ([String]) throws -> [Reply]) throws {
        let orders = Packets(socket: Companion.inherited)
        while let (bytes, _) = try? orders.receive(waiting: true) {
            let words = String(decoding: bytes, as: UTF8.self).split(separator: "\t").map(String.init)
            var rest: ArraySlice<String>
            var status = "ok"
            do {
                rest = try perform(words).map(\.description)[...]
            } catch {
                (status, rest) = ("failed", ["'\(words.joined(separator: " "))': \(error)"])
            }
            while rest.count > room {
                try orders.send(Array((["more"] + rest.prefix(room)).joined(separator: "\t").utf8))
                rest = rest.dropFirst(room)
                _ = try orders.receive(waiting: true)
            }
            try orders.send(Array(([status] + rest).joined(separator: "\t").utf8))
        }
    }
}
