import Foundation
import SessionArbiter
import TestSupport

/// A table of the actions and their results.
struct ChaosTable {
    let options: ChaosOptions
    let counts: Chaos.Counts
    let acts: View.Counts
    let agreement: Agreement
    let views: [View]
    let full: ResourceSnapshot

    func print() {
        let active = views.count { $0.activity == "running" }
        let rows: [(String, String)] = [
            ("apps killed, stopped", "\(counts.appsKilled), \(counts.appsStopped)"),
            ("arbiters killed", "\(counts.arbitersKilled)"),
            ("apps that reached no arbiter in time", "\(counts.unconnected)"),
            ("calls of the surviving apps", "\(acts.acts), refused \(acts.refused)"),
            ("of these without an arbiter's answer", "\(acts.unserved)"),
            ("sessions lost and created again", "\(acts.renewed)"),
            (
                "decisions of the last arbiter, replayed",
                "\(agreement.report.decisions), \(agreement.history?.decisions.count ?? 0)"
            ),
            (
                "running, ducked, interrupted at the end",
                "\(active), \(views.count { $0.attenuation > 0 }), \(views.count { $0.activity == "interrupted" })"
            ),
            ("decisions replayed during the run", "\(counts.decisionsReplayed)"),
            ("the arbiter's descriptors, memory", "\(full.descriptorCount), \(full.residentKiB) KiB"),
        ]
        for (name, value) in rows {
            Swift.print("  " + name.padding(toLength: 44, withPad: " ", startingAt: 0) + value)
        }
    }
}
