import CSessionSocket
import Processes

/// Milliseconds since a request.
struct Latency {
    /// Until every gate that it changes has its new word.
    var gates: Double
    /// Until the reply has been read.
    var reply: Double
}

/// Polls gates, as fast as possible, from its creation until all have changed.
final class Stopwatch {
    private let gates: [Gate]
    private let serials: [UInt32]
    private let begun: UInt64
    private(set) var reply: [UInt8] = []

    private static let limit: UInt64 = 5_000_000_000

    init(_ gates: [Gate]) {
        self.gates = gates
        serials = gates.map(\.grant.serial)
        begun = now()
    }

    func stop(awaitReply: () throws -> [UInt8]) throws -> Latency {
        for (gate, serial) in zip(gates, serials) {
            var looks = 0
            while gate.grant.serial == serial {
                looks += 1
                if looks % 65_536 == 0, now() - begun > Self.limit {
                    throw BenchmarkError("A gate did not change within 5 s: the service made an unexpected decision.")
                }
            }
        }
        let seen = now()
        reply = try awaitReply()
        return Latency(gates: Double(seen - begun) / 1e6, reply: Double(now() - begun) / 1e6)
    }
}
