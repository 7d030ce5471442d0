import CSessionSocket
import Glibc
import Processes

/// The machine's cost of the same exchange without a decision: a request over a socket between two
/// processes that changes as many pages, and is answered with packets of the same sizes.
final class Bound {
    private let companion: Companion
    private var gates: [Gate] = []
    private let request = [UInt8](repeating: 0x20, count: 56)

    /// The sizes in bytes of an arbiter's answers to an activation: a status, two notices and the
    /// reply.
    static let answers = [950, 90, 80, 12]

    init(pages: Int) throws {
        companion = try Companion(Part.bound.rawValue, ["\(pages)"])
        for _ in 0..<pages {
            guard let (_, descriptor) = try companion.packets.receive(waiting: true) else { continue }
            gates.append(try Gate(descriptor))
            close(descriptor)
        }
    }

    func measure() throws -> Latency {
        let watch = Stopwatch(gates)
        try companion.packets.send(request)
        return try watch.stop {
            for _ in Self.answers { _ = try companion.packets.receive(waiting: true) }
            return []
        }
    }
}
