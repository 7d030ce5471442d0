package import ArgumentParser
internal import Foundation
internal import Processes

/// The options of every benchmark, and the course of its run.
package struct Options: ParsableArguments {
    @Flag(help: "Measures less, and less often: a functional check without meaningful results.")
    package var quick = false

    @Option(help: ArgumentHelp("Also writes the results to this file, as JSON Lines.", valueName: "file"))
    package var json: String?

    package init() {}

    /// Runs a benchmark: measures the machine's noise, then what `measure` measures; prints the
    /// targets and writes the results.
    package func run(
        _ benchmark: String, realTime: Bool? = nil, measure: (Machine, Noise) throws -> Findings
    ) throws {
        try Self.reportingErrors(of: benchmark) {
            ShutdownSignal.prepare()
            let machine = Machine.present()
            say(machine.name + (realTime == true ? ", in real time" : ""))
            let noise = Noise.measure(quick: quick)
            if realTime == true { try Scheduling.useRealTime() }
            let findings = try measure(machine, noise)
            Target.say(findings.targets, quick: quick)
            if let json {
                try Report(benchmark, quick: quick, realTime: realTime, machine: machine, noise: noise, findings)
                    .write(to: json)
            }
            say("\n\(benchmark): \(findings.results.count) results, \(Target.summary(findings.targets))")
            guard findings.failures.isEmpty else {
                throw BenchmarkError(
                    "Failed parts: \(findings.failures.joined(separator: ", ")). All others were measured.")
            }
        }
    }

    /// Prints an error of a program's part, and turns it into an exit code.
    package static func reportingErrors(of benchmark: String, _ body: () throws -> Void) throws {
        do { try body() } catch let error as BenchmarkError {
            try? FileHandle.standardError.write(contentsOf: Data("\(benchmark): \(error)\n".utf8))
            throw ExitCode(70)
        }
    }
}
