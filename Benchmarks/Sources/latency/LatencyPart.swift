import Processes
import Reporting
import Servers

// Foundation has one, too.
typealias Measurement = Reporting.Measurement

/// One part of the benchmark.
protocol LatencyPart: Sendable {
    /// The name for `--only`.
    var name: String { get }
    /// The work of its child processes, by the names given to `Performer`. Each child process gets
    /// a new one.
    var performers: [String: @Sendable () -> ([String]) throws -> [Double]] { get }
    /// Measures, and prints the results as they arrive. Throws if a result is untrustworthy or a
    /// program is missing. A slow machine is not an error.
    func measure(_ run: Run) throws -> Findings
}

extension LatencyPart {
    var performers: [String: @Sendable () -> ([String]) throws -> [Double]] { [:] }
}

/// The parameters of the whole run.
struct Run {
    var quick: Bool
    var noise: Noise
    var servers: [ServerKind]
    /// An audiosessiond that the benchmark starts.
    var service: Service
    /// The seconds for streaming files, and for playing voices on jackd -S.
    var streamSeconds: Int
    var xrunSeconds: Int

    /// The periods of live measurements, in the full run and in the quick one.
    var periods: [Int] { quick ? [128] : [64, 128, 256, 512, 1_024] }
}

extension Conditions {
    /// Creates the conditions of a server of the benchmark.
    init(_ server: Server) {
        self = [
            "server": .text(server.kind.rawValue), "sync": .flag(server.kind.isSync), "period": .whole(server.period),
            "sampleRate": .whole(Server.sampleRate),
        ]
    }
}
