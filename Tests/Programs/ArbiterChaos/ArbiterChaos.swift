import ArbiterTesting
import Foundation
import Glibc
import TestRandom

/// `arbiter-chaos [--clients N] [--seconds S] [--seed S] [--injected
/// view|gain|log|session|file|process]`: runs many apps, each a process with a session on an
/// offline driver. They activate and deactivate at random, and are killed, stopped and continued,
/// while the arbiter is killed repeatedly. At the end the program checks that all agree: every
/// app's view of its session, the gate (the arbiter's control page) that its engine reads, the
/// arbiter, and a replay of its log. It also checks that no files or processes remain. If a check
/// fails, it prints the differences and fails.
@main struct ArbiterChaos {
    static func main() throws {
        let options = try ChaosOptions(CommandLine.arguments)
        if let seed = options.clientSeed { return try ChaosClient(seed: seed).run() }
        print("seed \(options.seed), \(options.clients) clients, \(options.seconds) s")
        let findings = try Chaos(options).run()
        for finding in findings { print("FAULT: \(finding)") }
        print(findings.isEmpty ? "all agree, and nothing remains" : "\(findings.count) faults")
        if !findings.isEmpty { exit(1) }
    }
}

struct ChaosOptions {
    /// The fault to inject at the end, to verify that the checks detect it.
    enum Fault: String { case view, gain, log, session, file, process }

    var clients = 100
    var seconds = 60.0
    var seed = TestSeed.current
    var fault: Fault?
    /// Seconds between two kills of the arbiter.
    var lifetime = 5.0
    var clientSeed: UInt64?

    init(_ arguments: [String]) throws {
        var rest = arguments.dropFirst()
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw TrialError("\(name) requires a value.") }
            switch name {
            case "--clients": clients = Int(value) ?? clients
            case "--seconds": seconds = Double(value) ?? seconds
            case "--seed": seed = UInt64(value) ?? seed
            case "--lifetime": lifetime = Double(value) ?? lifetime
            case "--injected": fault = Fault(rawValue: value)
            case "--client": clientSeed = UInt64(value)
            default: throw TrialError("Unknown option \(name).")
            }
        }
    }
}
