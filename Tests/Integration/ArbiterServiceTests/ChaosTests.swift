import ArbiterTesting
import Foundation
import TestRandom
import Testing

/// A short run of `arbiter-chaos`, which Scripts/test runs at length, and whether it notices what it should.
@Suite("Chaos", .serialized)
struct ChaosTests {
    private func run(_ arguments: [String]) throws -> (status: Int32, lines: [String]) {
        let chaos = try Program(
            try Program.built("arbiter-chaos"), ["--clients", "6", "--seconds", "2", "--lifetime", "1"] + arguments)
        var lines: [String] = []
        while let line = try chaos.readLine(within: 120) { lines.append(line) }
        return (try chaos.waitForEnd(), lines)
    }

    @Test("Apps and arbiter agree when some have died (ACT-11, ACT-12, SRV-3)")
    func agrees() throws {
        let (status, lines) = try run(["--seed", "\(TestSeed.current)"])
        #expect(status == 0, "\(TestSeed.text): \(lines)")
    }

    @Test(
        "What does not agree, and what is left over, is noticed",
        arguments: [
            ("view", "sees"), ("gain", "lets through"), ("log", "comes out as"), ("session", "do not live"),
            ("file", "Files are left"),
            ("process", "Processes are left"),
        ])
    func notices(fault: String, finding: String) throws {
        let (status, lines) = try run(["--seed", "6", "--planted", fault])
        #expect(status == 1, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("FAULT") && $0.contains(finding) }, "\(lines)")
    }
}
