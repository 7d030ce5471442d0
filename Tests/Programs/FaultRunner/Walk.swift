import Foundation

/// Makes the first call of a body go wrong, then the second, and so on, until a run has no
/// further call.
struct Walk {
    /// The kind of fault.
    enum Fault {
        /// The call fails, in one of its function's ways.
        case failing
        /// The call fails in each of its ways.
        case failingThoroughly
        /// The call never returns.
        case hanging
        /// The call works, but the server carries out this action before it.
        case meanwhile(String)

        var rules: [(Int) -> String] {
            switch self {
            // The way depends on the number of the call, so that repeated calls of a function fail
            // in all ways.
            case .failing: [{ "fail any \($0) \($0)" }]
            case .failingThoroughly: (0..<3).map { way in { "fail any \($0) \(way)" } }
            case .hanging: [{ "hang any \($0)" }]
            case .meanwhile(let action): [{ "on any \($0) \(action)" }]
            }
        }

        var name: String {
            switch self {
            case .failing: "failed"
            case .failingThoroughly: "failed in 3 ways"
            case .hanging: "hung"
            case .meanwhile(let action): "met '\(action)'"
            }
        }

        /// Sets the body's limits. The walk does not wait for events that the fault prevents.
        func set(_ scenario: inout Scenario) {
            let hangs = if case .hanging = self { true } else { false }
            scenario.timeout = hangs ? 0.04 : 1
            scenario.recovery = 0.2
            scenario.patience = hangs ? 0.04 : 0.1
        }
    }

    let jack: FakeJack
    let name: String
    let body: Scenario.Body
    let options: FaultRunnerOptions

    /// Returns the faults found.
    func walk(_ fault: Fault) throws -> [String] {
        var faults: [String] = []
        let begun = Date()
        var runs = 0
        var calls = 0
        for rule in fault.rules {
            var n = options.first - options.stride
            var isWhole = false
            while !isWhole {
                n += options.stride
                let outcome = try Run(jack: jack).run(body, script: options.script + [rule(n)], quiet: true) {
                    scenario in
                    fault.set(&scenario)
                    scenario.shutdown = options.shutdown
                }
                runs += 1
                isWhole = outcome.fired == 0
                faults += outcome.faults.map { "\(name), \(rule(n)): \($0)" }
                if !outcome.faults.isEmpty { for line in outcome.lines { say("    \(line)") } }
                guard Date().timeIntervalSince(begun) < options.limit else {
                    return faults + ["\(name): the walk took longer than \(options.limit) s, at \(rule(n))"]
                }
                if faults.count > 20 { return faults }
            }
            calls = max(calls, runs - fault.rules.count)
        }
        let seconds = (Date().timeIntervalSince(begun) * 10).rounded() / 10
        say("walked \(name): \(calls) calls \(fault.name), \(runs) runs in \(seconds) s")
        return faults
    }
}
