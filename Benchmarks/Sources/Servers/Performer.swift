internal import Processes

/// A process beside this one that does what it is told, in words; it answers in numbers.
package final class Performer {
    private let companion: Companion
    private let part: String

    /// Runs this program again with `--part PART`, which it answers by `Performer.play`.
    package init(_ part: String, _ environment: [String: String] = [:]) throws {
        companion = try Companion(part, environment: environment)
        self.part = part
    }

    /// Has it do something; what it says of that, in numbers.
    @discardableResult
    package func ask(_ words: String...) throws -> [Double] {
        try tell(words)
        return try answer()
    }

    /// Has it do something, and does not wait for the answer.
    package func tell(_ words: [String]) throws {
        try companion.packets.send(Array(words.joined(separator: " ").utf8))
    }

    /// What it says of what it was told first, once it has done it.
    package func answer() throws -> [Double] {
        guard let (bytes, _) = try? companion.packets.receive(waiting: true) else {
            throw BenchmarkError("\(part): its process \(companion.ending()).")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix("ok") else { throw BenchmarkError("\(part): \(text)") }
        return text.dropFirst(2).split(separator: " ").compactMap { Double($0) }
    }

    /// The part of whoever asks: does what comes through the socket, until nothing more does.
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
