import Processes
import Reporting
import Servers

/// The time until the arbiter's grant takes effect without any action by the app, and until an
/// activation does.
struct Gates: LatencyPart {
    let name = "gates"

    var performers: [String: @Sendable () -> ([String]) throws -> [Double]] {
        [GateApp.part: { GateApp().perform }, GateTap.part: { GateTap().perform }]
    }

    func measure(_ run: Run) throws -> Findings {
        try GateTrial.check()
        var findings = GateFindings()
        var table = GateFindings.table()
        for kind in run.servers {
            let context = try ServerContext(kind, service: run.service.socket)
            for period in run.periods {
                let server = try Server(kind, period: period, in: context)
                for arbitration in GateArbitration.allCases {
                    let scene = try GateScene(server, arbitration, in: context)
                    try measure(scene, &findings, rounds: Self.rounds(run, period))
                    try scene.close()
                    for threads in GateThreads.allCases { table.add(findings.row(server, arbitration, threads)) }
                }
            }
        }
        return Findings(
            results: findings.measurements, targets: findings.targets(),
            tables: [table, findings.cases(), findings.activations()],
            figures: [.gates(findings)])
    }

    /// The rounds of each case, with free and with blocked threads, in one process and across
    /// processes: four times as many of a case on a server.
    private static func rounds(_ run: Run, _ period: Int) -> Int {
        run.quick ? 10 : period == 128 ? 30 : 6
    }

    /// Measures one of each kind in every round, so that all find the machine in the same state.
    private func measure(_ scene: GateScene, _ findings: inout GateFindings, rounds: Int) throws {
        for round in 0..<rounds {
            for what in GateCase.allCases {
                for threads in GateThreads.allCases {
                    try measure(
                        what, threads, scene, &findings, rises: what == .prompt && threads == .free && round % 10 == 0)
                }
            }
            try repeatUntilKnown(scene.group(GateReturn.activation), &findings) { findings, group in
                let (heard, blocked) = try scene.activate()
                findings.add(heard, group, blocked: blocked)
            }
        }
    }

    private func measure(
        _ what: GateCase, _ threads: GateThreads, _ scene: GateScene, _ findings: inout GateFindings, rises: Bool
    ) throws {
        try repeatUntilKnown(scene.group(what.rawValue, threads), &findings) { findings, group in
            let heard = try scene.begin(what, threads)
            findings.add(heard, group)
            guard rises, let level = heard?.level else {
                let after = try scene.end(what)
                // Results that are not recorded need no repetition.
                if what != .prompt {
                    findings.add(after, scene.group(what == .silentSwitch ? GateReturn.unmute : GateReturn.resume))
                }
                return
            }
            findings.add(try scene.rise(from: level), scene.group(GateReturn.unduck))
        }
    }

    /// Repeats until one more result is known.
    private func repeatUntilKnown(
        _ group: GateGroup, _ findings: inout GateFindings, _ body: (inout GateFindings, GateGroup) throws -> Void
    ) throws {
        let (known, before) = (findings.count(group), findings.repeated(group))
        repeat {
            guard findings.repeated(group) < before + 50 else {
                throw BenchmarkError(
                    "\(group.what) on \(group.server.rawValue), \(group.period) frames, could not be timed in 50 attempts."
                )
            }
            try body(&findings, group)
        } while findings.count(group) == known
    }
}

extension GateScene {
    fileprivate func group(_ what: String, _ threads: GateThreads = .free) -> GateGroup {
        GateGroup(server: server.kind, period: server.period, arbitration: arbitration, threads: threads, what: what)
    }
}
