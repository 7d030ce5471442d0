import CSessionSocket
import Glibc

/// What the machine takes for the same exchange when nothing is decided: a request over a socket between two processes that changes as many pages, and
/// is answered by packets of the same sizes.
final class Bound {
    private let player: Player
    private var gates: [Gate] = []
    private let request = [UInt8](repeating: 0x20, count: 56)

    /// Bytes of what an arbiter answers an activation with: a status, two notices and the reply.
    static let answers = [950, 90, 80, 12]

    init(pages: Int) throws {
        player = try Player(.bound, ["\(pages)"])
        for _ in 0..<pages {
            guard let (_, descriptor) = try player.packets.receive(waiting: true) else { continue }
            gates.append(try Gate(descriptor))
            close(descriptor)
        }
    }

    func measure() throws -> Latency {
        let watch = Stopwatch(gates)
        try player.packets.send(request)
        return try watch.stop {
            for _ in Self.answers { _ = try player.packets.receive(waiting: true) }
            return []
        }
    }
}
