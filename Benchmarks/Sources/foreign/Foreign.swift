import ArgumentParser
import Foundation
import Processes
import Reporting

/// Measures programs that do not use the library, as `audiosession-adopt` controls them.
@main
struct Foreign: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Measures how soon programs that do not use the library are lowered, held and given back, and which frames they lose.",
        discussion: """
            Runs on its own PipeWire with a null sink, WirePlumber, pipewire-pulse, session bus, arbiter and audiosession-adopt, which \
            Scripts/benchmark ends afterwards. Each program plays a signal that states its position. A client of PipeWire records what \
            the sink plays, by frame. A session of the benchmark lowers the program, and a ringing call holds it.
            """)

    @OptionGroup var options: Options

    @Option(
        help: ArgumentHelp("The audiosessiond to use, a release build, with its other programs.", valueName: "path"))
    var service = ".build/release/audiosessiond"

    @Option(
        help: ArgumentHelp(
            "A program to measure; may be repeated. \(Program.all.map(\.name).joined(separator: ", ")).",
            valueName: "name"))
    var only: [String] = []

    @Option(help: ArgumentHelp("The number of runs of each program.", valueName: "n"))
    var runs: Int?

    @Option(help: ArgumentHelp("The frames of PipeWire's quantum.", valueName: "frames"))
    var quantum = 1_024

    func validate() throws {
        for name in only where !Program.all.contains(where: { $0.name == name }) {
            throw ValidationError(
                "Unknown program '\(name)'. Programs: \(Program.all.map(\.name).joined(separator: ", ")).")
        }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        try options.run("foreign", measure: measure)
    }

    private func measure(_ machine: Machine, _ noise: Noise) throws -> Findings {
        let desktop = try Desktop(service: service, quantum: quantum)
        var results = Results(quantum: quantum)
        for program in Program.all where only.isEmpty ? program.isQuick || !options.quick : only.contains(program.name)
        {
            if let absence = program.absence {
                results.add(program, absence: absence)
                continue
            }
            do {
                results.add(
                    program, try Trials(program, on: desktop).measure(runs: runs ?? (options.quick ? 1 : 10)))
            } catch let error as BenchmarkError {
                results.add(program, failure: error.description)
            }
        }
        var figure: Figure?
        if results.isMeasured(.mpv) {
            do {
                figure = try Portrait.make(on: desktop, attempts: options.quick ? 1 : 5)
            } catch let error as BenchmarkError {
                results.add(failure: "the plot of mpv: \(error)")
            }
        }
        return results.findings(noise, figure: figure)
    }
}
