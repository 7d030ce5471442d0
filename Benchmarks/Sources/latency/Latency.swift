import ArgumentParser
import Foundation
import Processes
import Reporting
import Servers

/// Measures latencies on real servers, in frames wherever a frame is what is asked for.
@main
struct Latency: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures, on real servers, how soon what is asked for is heard.",
        discussion: """
            On servers of the benchmark's own with dummy devices, never on the user's, but for --loopback. What goes through ports is looked at \
            sample by sample, beside a bound or a peer in the same run.
            """)

    @Flag(help: "Few periods and repetitions: shows that it works, proves nothing.")
    var quick = false

    @Option(help: ArgumentHelp("Write the results as JSON to this file as well.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Draw plots into this folder, which exists.", valueName: "folder"))
    var report: String?

    @Option(
        help: ArgumentHelp(
            "The audiosessiond that arbitrates; default: beside the package's other programs.", valueName: "path"))
    var service = ".build/release/audiosessiond"

    @Option(help: ArgumentHelp("On which servers: jackd, jackd-sync, pipewire or all.", valueName: "kind"))
    var server = "all"

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Only these parts: \(Latency.parts.map(\.name).joined(separator: ", ")).", valueName: "part"))
    var only: [String] = []

    @Flag(
        help:
            "Measure hardware instead, on your own server: the round trip over a cable from --output to --input. It plays noise at −20 dB."
    )
    var loopback = false

    @Option(help: ArgumentHelp("The server to measure hardware on; default: JACK's default one.", valueName: "name"))
    var serverName: String?

    @Option(help: ArgumentHelp("The device's port that the cable begins at, as system:playback_1.", valueName: "port"))
    var output: String?

    @Option(help: ArgumentHelp("The device's port that the cable ends at, as system:capture_1.", valueName: "port"))
    var input: String?

    @Option(help: ArgumentHelp("How long 64 files are streamed; default: 120, quick: 6.", valueName: "seconds"))
    var streamSeconds: Int?

    @Option(help: ArgumentHelp("How long 256 voices play on jackd -S; default: 16, quick: 3.", valueName: "seconds"))
    var xrunSeconds: Int?

    @Option(help: ArgumentHelp("What a process beside this one does.", visibility: .private))
    var part: String?

    @Argument(help: ArgumentHelp("Of the part.", visibility: .private))
    var partArguments: [String] = []

    /// In the order in which they run.
    static let parts: [any LatencyPart] = [
        ThroughPart(), CommandPart(), ActionPart(), WakePart(), CablePart(),
        Gates(), LoadXruns(), LoadCycles(), LoadClients(), Streams(), TunerPart(), PeersPart(),
    ]

    func validate() throws {
        guard ServerKind.installed(server) != nil else {
            throw ValidationError("There is no server '\(server)'; there are jackd, jackd-sync, pipewire and all.")
        }
        guard loopback == (output != nil && input != nil), loopback || (serverName ?? output ?? input) == nil else {
            throw ValidationError(
                "--loopback needs --output and --input, and these, and --server-name, need --loopback.")
        }
        for name in only where !Self.parts.contains(where: { $0.name == name }) {
            throw ValidationError(
                "There is no part '\(name)'; there are \(Self.parts.map(\.name).joined(separator: ", ")).")
        }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        if let part {
            // Of one type throughout: a dictionary of functions cannot be cast to one of others.
            var performances: [String: @Sendable () -> ([String]) throws -> [Double]] = [
                BareClient.part: { BareClient().perform }
            ]
            for other in Self.parts { performances.merge(other.performers) { $1 } }
            guard let make = performances[part] else { throw ExitCode(64) }
            let perform = make()
            // Its server may be dead, and libjack would wait for it at the end.
            try? Performer.play(perform)
            _exit(0)
        }
        do {
            if let output, let input { try measureCable(output: output, input: input) } else { try measure() }
        } catch let error where error is BenchmarkError || error is PlotError {
            try? FileHandle.standardError.write(contentsOf: Data("latency: \(error)\n".utf8))
            throw ExitCode(70)
        }
    }

    private func measure() throws {
        Farewell.prepare()
        let machine = Machine.present()
        say(machine.name)
        let directory = report.map { URL(fileURLWithPath: $0, isDirectory: true) }
        let run = Run(
            quick: quick, noise: Noise.measure(quick: quick), servers: ServerKind.installed(server) ?? [],
            service: try Service(program: service), plot: directory.map { Plot(directory: $0, machine: machine) },
            streamSeconds: max(5, streamSeconds ?? (quick ? 6 : 120)),
            xrunSeconds: max(2, xrunSeconds ?? (quick ? 3 : 16)))
        var findings = Findings()
        var failures: [String] = []
        for part in Self.parts where only.isEmpty || only.contains(part.name) {
            if let found = try measure(part, run) { findings.append(found) } else { failures.append(part.name) }
        }
        Target.say(findings.targets, quick: quick)
        if let json {
            try Report(
                "latency", quick: quick, machine: machine, noise: run.noise, results: findings.results,
                targets: findings.targets, tables: findings.tables, figures: findings.figures
            ).write(to: json)
        }
        say("\nlatency: \(findings.results.count) results, \(Target.summary(findings.targets))")
        guard failures.isEmpty else {
            throw BenchmarkError("What could not be measured: \(failures.joined(separator: ", ")); all else was.")
        }
    }

    /// A part whose result could not be trusted is measured once more, since the machine may have been busy with another thing; nil: again it could not.
    private func measure(_ part: any LatencyPart, _ run: Run) throws -> Findings? {
        for isLast in [false, true] {
            do {
                return try part.measure(run)
            } catch let error as BenchmarkError {
                say("\n\(part.name): \(error)\(isLast ? "" : " Once more.")")
            }
        }
        return nil
    }
}
