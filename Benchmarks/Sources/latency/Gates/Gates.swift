import Foundation
import Processes
import Reporting
import Servers

/// The time until the arbiter's grant takes effect without any action by the app, and until an
/// activation does.
enum Gates {
    static func measure(_ run: Run) throws -> Findings {
        try GateTrial.check()
        var results = GateResults()
        var table = GateResults.appTable
        try run.onServers { server, context in
            for arbitration in GateArbitration.allCases {
                let scene = try GateScene(server, arbitration, in: context)
                // The rounds of each case, with free and with blocked threads: four times as many
                // of a case on a server.
                let rounds = run.quick ? 10 : server.period == 128 ? 30 : 6
                for round in 0..<rounds { try measure(scene, &results, unducks: round % 10 == 0) }
                try scene.close()
                for threads in GateThreads.allCases { results.add(server, arbitration, threads, to: &table) }
            }
        }
        return Findings(
            results: results.measurements, targets: results.targets,
            tables: [table, results.caseTable, results.activationTable], figures: [results.figure])
    }

    /// Measures one of each kind, so that all find the machine in the same state.
    private static func measure(_ scene: GateScene, _ results: inout GateResults, unducks: Bool) throws {
        for what in GateCase.allCases {
            for threads in GateThreads.allCases {
                try repeatUntilKnown(scene.group(what.rawValue, threads), &results) { results, group in
                    let heard = try scene.begin(what, threads)
                    results.add(heard, group)
                    if unducks, what == .prompt, threads == .free, let level = heard?.level {
                        results.add(try scene.rise(from: level), scene.group(GateReturn.unduck))
                        return
                    }
                    let after = try scene.end(what)
                    // Results that are not recorded need no repetition.
                    if what == .prompt { return }
                    let name = what == .silentSwitch ? GateReturn.unmute : GateReturn.resume
                    results.add(after, scene.group(name))
                }
            }
        }
        try repeatUntilKnown(scene.group(GateReturn.activation), &results) { results, group in
            let (heard, blocked) = try scene.activate()
            results.add(heard, group, blocked: blocked)
        }
    }

    /// Repeats until one more result is known.
    private static func repeatUntilKnown(
        _ group: GateGroup, _ results: inout GateResults, _ body: (inout GateResults, GateGroup) throws -> Void
    ) throws {
        let known = results.heard[group]?.count ?? 0
        for _ in 0..<50 {
            try body(&results, group)
            if results.heard[group]?.count ?? 0 > known { return }
        }
        throw BenchmarkError(
            "\(group.what) on \(group.server.rawValue), \(group.period) frames, could not be timed in 50 attempts.")
    }
}

/// The changes after the end of an event.
enum GateReturn {
    /// The interrupted session activates again; timed from its grant.
    static let resume = "resume"
    /// The silent switch is off again.
    static let unmute = "unmute"
    /// The prompt has ended: the slow ramp back.
    static let unduck = "unduck"
    /// `setActive(true)` of a session with a waiting voice; timed from the call.
    static let activation = "activation"
}

/// The conditions of frames that are compared with each other.
struct GateGroup: Hashable {
    var server: ServerKind
    var period: Int
    var arbitration: GateArbitration
    var threads: GateThreads
    /// The name of a case, or of what follows it.
    var what: String

    var conditions: Conditions {
        Conditions(server).with([
            "period": .whole(period), "arbitration": .text(arbitration.rawValue), "threads": .text(threads.rawValue),
            "case": .text(what),
        ])
    }

    var order: String {
        "\(server.rawValue) \(10_000 + period) \(arbitration.rawValue) \(threads.rawValue) \(what)"
    }

    /// Whether this is a case, and not what follows one.
    var isCase: Bool { GateCase(rawValue: what) != nil }
    var isSilence: Bool { isCase && what != GateCase.prompt.rawValue }

    /// The length of the ramp, in frames.
    var rampFrames: Int {
        switch what {
        case GateCase.prompt.rawValue: GateChange.duck.frames
        case GateReturn.unduck: GateChange.unduck.frames
        default: GateChange.silence.frames
        }
    }
}

extension GateScene {
    func group(_ what: String, _ threads: GateThreads = .free) -> GateGroup {
        GateGroup(server: server.kind, period: server.period, arbitration: arbitration, threads: threads, what: what)
    }
}
