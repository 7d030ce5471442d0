import Foundation
import TestSupport
import Testing

/// The detectors fire, and the fake has what it stands in for.
@Suite("The fault runner itself")
struct FaultRunnerTests {
    @Test(
        "What is left over on purpose is told, and so is what hangs",
        arguments: [
            ("thread", "left over: 1 threads"), ("descriptor", "left over: 1 descriptors"), ("driver", "1 clients"),
            ("hang", "it hangs"),
        ])
    func planted(fault: String, report: String) throws {
        let outcome = try Runner.run("life", arguments: ["--plant", fault])
        #expect(outcome.status != 0)
        #expect(outcome.lines.contains { $0.hasPrefix("FAULT: ") && $0.contains(report) }, "\(outcome.output)")
    }

    @Test("A script that is not understood is refused, and so is a real libjack")
    func refused() throws {
        let outcome = try Runner.run("life", ["fail nothing 1"])
        #expect(outcome.status != 0)
        #expect(outcome.output.contains("'fail nothing 1' is not understood"))
        let real = try ChildProcess.run(try BuiltProgram.path("fault-runner"), ["life"])
        #expect(real.status != 0)
        #expect(real.output.contains("The libjack here is a real one"))
    }

    @Test(
        "The fake has every function of libjack that our programs call",
        arguments: ["fault-runner", "player", "audiosession"])
    func complete(program: String) throws {
        let called = try functions(in: try BuiltProgram.path(program), "--undefined-only")
        #expect(called.count > 20)
        #expect(called.subtracting(try functions(in: try Runner.libraryPath, "--defined-only")) == [])
    }

    private func functions(in file: String, _ which: String) throws -> Set<String> {
        let listing = try ChildProcess.run("nm", ["-D", which, file])
        guard listing.status == 0 else { throw TestFailure("nm: \(listing.output)") }
        let words = listing.output.split { $0.isWhitespace || $0 == "@" }
        return Set(words.filter { $0.hasPrefix("jack_") }.map(String.init))
    }
}
