import Processes
import Reporting
import Servers

typealias Measurement = Reporting.Measurement<Conditions>

/// One question that the benchmark answers.
protocol LatencyPart: Sendable {
    /// How `--only` calls it.
    var name: String { get }
    /// What processes beside this one do for it, by the names that `Performer` is given; each begins anew in its process.
    var performers: [String: @Sendable () -> ([String]) throws -> [Double]] { get }
    /// Prints what it finds as it finds it. Throws where a result could not be trusted, or a program is missing; a machine that is slow is no error.
    func measure(_ run: Run) throws -> Findings
}

extension LatencyPart {
    var performers: [String: @Sendable () -> ([String]) throws -> [Double]] { [:] }
}

/// What holds for the whole run.
struct Run {
    var quick: Bool
    var noise: Noise
    var servers: [ServerKind]
    /// An audiosessiond of the benchmark's own.
    var service: Service
    /// nil: no report is wanted.
    var plot: Plot?
    /// How long files are streamed, and how long voices play on jackd -S.
    var streamSeconds: Int
    var xrunSeconds: Int

    /// Live periods of the full run, and of the quick one.
    var periods: [Int] { quick ? [128] : [64, 128, 256, 512, 1_024] }
}

/// What a part found.
struct Findings {
    var results: [Measurement] = []
    var targets: [Target] = []
    var tables: [Table] = []
    var figures: [Figure] = []

    mutating func append(_ others: Findings) {
        results += others.results
        targets += others.targets
        tables += others.tables
        figures += others.figures
    }
}

extension Conditions {
    /// Of a server of the benchmark's own.
    init(_ server: Server) {
        self = [
            "server": .text(server.kind.rawValue), "sync": .flag(server.kind.isSync), "period": .whole(server.period),
            "sampleRate": .whole(Server.sampleRate),
        ]
    }
}
