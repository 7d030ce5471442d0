internal import Processes

/// A child process that executes commands given as text and replies with numbers.
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
    package func ask(_ words: String...) throws -> [Double] {
        try send(words)
        return try answer()
    }

    /// Sends a command without waiting for the reply.
    package func send(_ words: [String]) throws {
        try companion.packets.send(Array(words.joined(separator: " ").utf8))
    }

    /// Waits for the reply to the oldest command, and returns its numbers.
    package func answer() throws -> [Double] {
        guard let (bytes, _) = try? companion.packets.receive(waiting: true) else {
            throw BenchmarkError("\(part): its process \(companion.ending()).")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix("ok") else { throw BenchmarkError("\(part): \(text)") }
        return text.dropFirst(2).split(separator: " ").compactMap { Double($0) }
    }

    /// The child's side: executes the commands that arrive through the socket, until it closes.
    package static func play(_ perform: ([String]) throws -> [Double]) throws {
        let orders = Packets(socket: Companion.inherited)
        while let (bytes, _) = try? orders.receive(waiting: true) {
            let words = String(decoding: bytes, as: UTF8.self).split(separator: " ").map(String.init)
            let reply: String
            do {
                reply = "ok " + (try perform(words)).map { "\($0)" }.joined(separator: " ")
            } catch {
                reply = "'\(words.joined(separator: " "))' failed: \(error)"
            }
            try orders.send(Array(reply.utf8))
        }
    }
}
