import ArbiterTesting
import Foundation
import Glibc
import TestRandom

/// `arbiter-chaos [--clients N] [--seconds S] [--seed S] [--planted view|gain|log|session|file|process]`: many apps, each a process with a
/// session on an offline driver, activate and deactivate at random, are killed and stopped and go on, while the arbiter is killed again
/// and again. At the end all agree: every app's view of its session, the gate that its engine reads, the arbiter, and a replay of its
/// log; and nothing is left over. Fails, with what differs, when not.
@main struct ArbiterChaos {
    static func main() throws {
        let options = try ChaosOptions(CommandLine.arguments)
        if let seed = options.clientSeed { return try ChaosClient(seed: seed).run() }
        print("seed \(options.seed), \(options.clients) clients, \(options.seconds) s")
        let findings = try Chaos(options).run()
        for finding in findings { print("FAULT: \(finding)") }
        print(findings.isEmpty ? "all agree, and nothing is left over" : "\(findings.count) faults")
        if !findings.isEmpty { exit(1) }
    }
}

struct ChaosOptions {
    /// What is falsified at the end, to see that it is noticed.
    enum Fault: String { case view, gain, log, session, file, process }

    var clients = 100
    var seconds = 60.0
    var seed = TestSeed.current
    var fault: Fault?
    /// Seconds from one death of the arbiter to the next.
    var lifetime = 5.0
    var clientSeed: UInt64?

    init(_ arguments: [String]) throws {
        var rest = arguments.dropFirst()
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw TrialError("\(name) wants a value.") }
            switch name {
            case "--clients": clients = Int(value) ?? clients
            case "--seconds": seconds = Double(value) ?? seconds
            case "--seed": seed = UInt64(value) ?? seed
            case "--lifetime": lifetime = Double(value) ?? lifetime
            case "--planted": fault = Fault(rawValue: value)
            case "--client": clientSeed = UInt64(value)
            default: throw TrialError("There is no option \(name).")
            }
        }
    }
}
