import ArbiterTesting
import Foundation
import TestRandom
import Testing

/// A short run of `arbiter-chaos`, which Scripts/test runs at length, and tests of its detectors.
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
        "Disagreements and leftovers are detected",
        arguments: [
            ("view", "sees"), ("gain", "applies a gain"), ("log", "on replay"), ("session", "not running"),
            ("file", "Files are left"),
            ("process", "Processes are left"),
        ])
    func notices(fault: String, finding: String) throws {
        let (status, lines) = try run(["--seed", "6", "--injected", fault])
        #expect(status == 1, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("FAULT") && $0.contains(finding) }, "\(lines)")
    }
}
