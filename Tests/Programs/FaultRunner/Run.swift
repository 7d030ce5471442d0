import Foundation
import Platform

/// Runs one body under one script, and checks for faults after it.
struct Run {
    let jack: FakeJack
    /// The time limit in seconds. After it the process ends, since a hanging call cannot be
    /// cancelled.
    var limit = 60.0
    /// Whether leaks count. The first run does not count what is created once and kept.
    var countsLeaks = true

    struct Outcome {
        var faults: [String]
        var fired: Int
        var lines: [String]
    }

    /// Runs the body on a separate thread. Calls `after` when it has ended, before resources
    /// are compared.
    func run(
        _ body: @escaping Scenario.Body, script: [String], quiet: Bool, setting: (inout Scenario) -> Void = { _ in },
        after: () -> Void = {}
    ) throws -> Outcome {
        try jack.begin(Scenario.stage + script)
        let before = try RunResources(jack)
        let log = RunLog(isPrinted: !quiet)
        var scenario = Scenario(jack: jack, log: log)
        setting(&scenario)
        let done = Promise<String>()
        let thread = WorkerThread()
        guard
            thread.start(
                name: "runner-scenario",
                { [scenario] in
                    do {
                        try body(scenario)
                        done.set("")
                    } catch {
                        done.set("the body ended early: \(error)")
                    }
                })
        else { return Outcome(faults: ["cannot start a thread for the body"], fired: 0, lines: []) }
        guard let end = done.wait(seconds: limit) else {
            for line in log.noted where quiet { say("  \(line)") }
            say("FAULT: it hangs: not over after \(limit) s, under \(script.joined(separator: "; "))")
            exit(3)
        }
        thread.join(seconds: 5)
        after()
        jack.act("release")
        return Outcome(
            faults: try findFaults(since: before, log) + (end.isEmpty ? [] : [end]), fired: jack.counts["fired"] ?? 0,
            lines: log.noted)
    }

    private func findFaults(since before: RunResources, _ log: RunLog) throws -> [String] {
        var faults = log.noted.filter { $0.hasPrefix("FAULT: ") }.map { String($0.dropFirst(7)) }
        if countsLeaks, let leak = try RunResources.findLeak(since: before, jack) {
            faults.append("left over: \(leak)")
        }
        let counts = jack.counts
        if let garbage = counts["garbage"], garbage > 0 {
            faults.append("\(garbage) cycles left garbage in port buffers")
        }
        if let misuse = jack.misuse { faults.append("misuse of libjack: \(misuse)") }
        if let under = counts["underWay"], under > 0 { faults.append("\(under) calls are still in progress") }
        return faults
    }
}
