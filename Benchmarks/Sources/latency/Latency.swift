import ArgumentParser
import Foundation
import Processes
import Reporting
import Servers

/// Measures latencies on real servers, in frames wherever frames are relevant.
@main
struct Latency: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures latencies on real servers, from a request to its audible effect.",
        discussion: """
            Runs on its own servers with dummy devices, never on the user's, except with --loopback. Checks the signals at ports sample by \
            sample. In the same run, measures a lower bound or another audio library for comparison.
            """)

    @OptionGroup var options: Options
    var quick: Bool { options.quick }

    @Option(
        help: ArgumentHelp(
            "The audiosessiond to use; default: the package's release build.", valueName: "path"))
    var service = ".build/release/audiosessiond"

    @Option(help: ArgumentHelp("The servers to measure on: jackd, jackd-sync, pipewire or all.", valueName: "kind"))
    var server = "all"

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Measures only these parts: \(Latency.partNames).", valueName: "part"))
    var only: [String] = []

    @Flag(
        help:
            "Measures hardware instead, on your own server: the round trip over a cable from --output to --input. Plays noise at −20 dB."
    )
    var loopback = false

    @Option(help: ArgumentHelp("The server to measure hardware on; default: JACK's default one.", valueName: "name"))
    var serverName: String?

    @Option(
        help: ArgumentHelp("The device's port at the start of the cable, such as system:playback_1.", valueName: "port")
    )
    var output: String?

    @Option(
        help: ArgumentHelp("The device's port at the end of the cable, such as system:capture_1.", valueName: "port"))
    var input: String?

    @Option(help: ArgumentHelp("The time for streaming 64 files; default: 120, quick: 6.", valueName: "seconds"))
    var streamSeconds: Int?

    @Option(
        help: ArgumentHelp("The time for playing 256 voices on jackd -S; default: 16, quick: 3.", valueName: "seconds"))
    var xrunSeconds: Int?

    @Option(help: ArgumentHelp("The part of a child process.", visibility: .private))
    var part: String?

    private static let partNames = Part.all.map(\.name).joined(separator: ", ")

    func validate() throws {
        guard ServerKind.installed(server) != nil else {
            throw ValidationError("Unknown server '\(server)'. Servers: jackd, jackd-sync, pipewire, all.")
        }
        guard loopback == (output != nil && input != nil), loopback || (serverName ?? output ?? input) == nil else {
            throw ValidationError(
                "--loopback requires --output and --input. These and --server-name require --loopback.")
        }
        for name in only where !Part.all.contains(where: { $0.name == name }) {
            throw ValidationError("Unknown part '\(name)'. Parts: \(Self.partNames).")
        }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        if let part {
            // Exits without cleanup: the server may be dead, and libjack would wait for it.
            if let make = Part.children[part] { try? Performer.play(make()) }
            if part == PeersProbe.part { try? Performer.play(PeersProbe().perform) }
            _exit(0)
        }
        if let output, let input {
            try Options.reportingErrors(of: "latency") { try measureCable(output: output, input: input) }
        } else {
            try options.run("latency", measure: measure)
        }
    }

    private func measure(_ machine: Machine, _ noise: Noise) throws -> Findings {
        let run = Run(
            quick: quick, noise: noise, servers: ServerKind.installed(server) ?? [],
            service: try Service(program: service), streamSeconds: max(5, streamSeconds ?? (quick ? 6 : 120)),
            xrunSeconds: max(2, xrunSeconds ?? (quick ? 3 : 16)))
        var findings = Findings()
        for part in Part.all where only.isEmpty || only.contains(part.name) {
            if let found = try measure(part, run) {
                findings.append(found)
            } else {
                findings.failures.append(part.name)
            }
        }
        return findings
    }

    /// Measures a part. If that throws a `BenchmarkError`, repeats it once, since the machine may
    /// have been busy. Returns nil if the second attempt fails, too.
    private func measure(_ part: Part, _ run: Run) throws -> Findings? {
        for isLast in [false, true] {
            do {
                return try part.measure(run)
            } catch let error as BenchmarkError {
                say("\n\(part.name): \(error)\(isLast ? "" : " Repeating it.")")
            }
        }
        return nil
    }
}
