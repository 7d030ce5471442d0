import Foundation

/// Has the first call of a story go wrong, then the second, and so on, until it was told whole.
struct Walk {
    /// What goes wrong.
    enum Fault {
        /// The call fails, in one of its function's ways.
        case failing
        /// In each of them.
        case failingThoroughly
        /// It never returns.
        case hanging
        /// It is fine, but the server does this before.
        case meanwhile(String)

        var rules: [(Int) -> String] {
            switch self {
            // One way after the other: what is called again and again fails in all of them.
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

        /// The walk does not wait for what the fault keeps from coming; nothing is read into that it did not.
        func set(_ story: inout Story) {
            let hangs = if case .hanging = self { true } else { false }
            story.timeout = hangs ? 0.04 : 1
            story.recovery = 0.2
            story.patience = hangs ? 0.04 : 0.1
        }
    }

    let jack: FakeJack
    let name: String
    let telling: Story.Telling
    let options: FaultRunnerOptions

    /// Returns what was wrong.
    func walk(_ fault: Fault) throws -> [String] {
        var faults: [String] = []
        let begun = Date()
        var runs = 0
        var calls = 0
        for rule in fault.rules {
            var n = 1 - options.stride
            var isWhole = false
            while !isWhole {
                n += options.stride
                let outcome = try Run(jack: jack).tell(telling, script: options.script + [rule(n)], quiet: true) {
                    story in
                    fault.set(&story)
                    story.farewell = options.farewell
                }
                runs += 1
                isWhole = outcome.fired == 0
                faults += outcome.faults.map { "\(name), \(rule(n)): \($0)" }
                if !outcome.faults.isEmpty { for line in outcome.lines { say("    \(line)") } }
                guard Date().timeIntervalSince(begun) < options.limit else {
                    return faults + ["\(name): the walk takes longer than \(options.limit) s, at \(rule(n))"]
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
