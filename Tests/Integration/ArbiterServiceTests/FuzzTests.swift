import ArbiterTesting
import Foundation
import TestRandom
import Testing

/// Short runs of what `arbiter-fuzzer` does at length, here also under the sanitizers.
@Suite("Malformed packets", .serialized)
struct FuzzTests {
    @Test("The decoders withstand malformed packets", arguments: [1, 2, 3] as [UInt64])
    func decoders(number: UInt64) throws {
        let messages = try DecoderTrial(seed: TestSeed.ofCase(number)).run(0..<4_000)
        #expect(messages > 200, "\(TestSeed.text), case \(number): some packets are still valid")
    }

    @Test(
        "A service withstands malformed packets, without an effect on a well-behaved client", arguments: [true, false])
    func service(isTrusted: Bool) throws {
        let report = try ServiceTrial(seed: TestSeed.current, isTrusted: isTrusted).run(6_000)
        print("fuzz: \(report)")
        #expect(report.decisions > 200, "\(TestSeed.text): the service decides some requests")
    }

    @Test(
        "The fuzzer detects a decoder that traps or hangs, and names the packet",
        arguments: DecoderTrial.Fault.allCases)
    func injected(fault: DecoderTrial.Fault) throws {
        let fuzzer = try Program(
            try Program.built("arbiter-fuzzer"),
            ["--messages", "20000", "--seed", "11", "--patience", "3", "--injected", fault.rawValue],
            errorsTo: "/dev/null")
        var lines: [String] = []
        while let line = try fuzzer.readLine(within: 60) { lines.append(line) }
        #expect(try fuzzer.waitForEnd() == 1, "\(lines)")
        #expect(lines.contains { $0.contains(fault == .trap ? "Signal" : "hangs") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("seed 11, part") }, "\(lines)")
        guard fault == .trap else { return }
        // The packet alone reproduces the failure.
        let ended = try lines.filter { $0.hasPrefix("seed 11") }.map { line in
            let number = line.split(separator: " ").drop { $0 != "packet" }.dropFirst().first?.dropLast() ?? ""
            return try Program(
                try Program.built("arbiter-fuzzer"),
                ["--seed", "11", "--injected", "trap", "--replay", String(number)],
                environment: ["SWIFT_BACKTRACE": "enable=no"], errorsTo: "/dev/null"
            ).waitForEnd()
        }
        #expect(ended.contains { $0 != 0 }, "\(ended)")
    }
}
