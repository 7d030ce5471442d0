import ArbiterTesting
import Foundation
import Glibc
import TestRandom

/// `arbiter-fuzzer [--messages N] [--seed S] [--injected trap|hang]`: feeds malformed packets to
/// the decoders, and one in ten to a complete service whose clients come and go. Fails if anything
/// crashes, hangs or leaks, or if one client can disturb another. It then prints the seed and the
/// number of the packet, and `--replay NUMBER` repeats that packet alone.
///
/// The work is done in a child process, which records each packet in memory that outlives it.
@main struct ArbiterFuzzer {
    static func main() throws {
        let options = try FuzzerOptions(CommandLine.arguments)
        if options.isWorker { return try Worker(options).run() }
        if let replayed = options.replayed {
            try DecoderTrial(seed: options.seed, fault: options.fault).run(replayed..<replayed + 1)
            return print("packet \(replayed) of seed \(options.seed): no fault")
        }
        print("seed \(options.seed)")
        let clock = ContinuousClock()
        let begun = clock.now
        let failures = try Watch(options).run()
        for failure in failures { print(failure) }
        print(
            "\(options.messages) messages in \((clock.now - begun).components.seconds) s: \(failures.isEmpty ? "no fault" : "\(failures.count) faults")"
        )
        if !failures.isEmpty { exit(1) }
    }
}

struct FuzzerOptions {
    var messages: UInt64 = 1_000_000
    var seed = TestSeed.current
    var fault: DecoderTrial.Fault?
    var replayed: UInt64?
    var board: String?
    var isWorker: Bool { board != nil }
    /// The seconds without a new packet after which the worker counts as hanging.
    var patience = 30.0

    init(_ arguments: [String]) throws {
        var rest = arguments.dropFirst()
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw TrialError("\(name) requires a value.") }
            switch name {
            case "--messages": messages = UInt64(value) ?? messages
            case "--seed": seed = UInt64(value) ?? seed
            case "--injected": fault = DecoderTrial.Fault(rawValue: value)
            case "--replay": replayed = UInt64(value)
            case "--board": board = value
            case "--patience": patience = Double(value) ?? patience
            default: throw TrialError("Unknown option \(name).")
            }
        }
    }
}
