import Foundation
import TestSupport
import Testing

/// Tests that the detectors work, and that the fake has all functions in use.
@Suite("The fault runner itself")
struct FaultRunnerTests {
    @Test(
        "Injected leaks and hangs are reported",
        arguments: [
            ("thread", "left over: 1 threads"), ("descriptor", "left over: 1 descriptors"), ("driver", "1 clients"),
            ("hang", "it hangs"),
        ])
    func injected(fault: String, report: String) throws {
        let outcome = try Runner.run("life", arguments: ["--inject", fault])
        #expect(outcome.status != 0)
        #expect(outcome.lines.contains { $0.hasPrefix("FAULT: ") && $0.contains(report) }, "\(outcome.output)")
    }

    @Test("An invalid script is refused, and so is a real libjack")
    func refused() throws {
        let outcome = try Runner.run("life", ["fail nothing 1"])
        #expect(outcome.status != 0)
        #expect(outcome.output.contains("'fail nothing 1' is invalid"))
        let real = try ChildProcess.run(try BuiltProgram.path("fault-runner"), ["life"])
        #expect(real.status != 0)
        #expect(real.output.contains("This process has loaded a real libjack"))
    }

    @Test(
        "The fake has every libjack function that the programs call",
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
