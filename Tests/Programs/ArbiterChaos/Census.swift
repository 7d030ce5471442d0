import ArbiterTesting
import Foundation
import SessionArbiter

/// What a process holds.
struct Census {
    let descriptors: Int
    /// Resident.
    let kilobytes: Int

    init(of process: pid_t) throws {
        descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        kilobytes = Int(line.split(separator: " ").dropFirst().first ?? "") ?? 0
    }
}

enum Processes {
    /// Those that were started with a trial's folder in their environment; `named`: of that program only.
    static func of(_ folder: TrialFolder, named name: String? = nil) -> [pid_t] {
        let mark = Data("XDG_RUNTIME_DIR=\(folder.path)\0".utf8)
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { pid_t($0) }.filter { process in
            guard let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ"),
                environment.range(of: mark) != nil
            else { return false }
            guard let name else { return true }
            let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
            return program?.hasSuffix("/" + name) ?? false
        }
    }
}

/// What was done, and what it came to.
struct Table {
    let options: Options
    let counts: Chaos.Counts
    let acts: View.Counts
    let agreement: Agreement
    let views: [View]
    let full: Census

    func print() {
        let active = views.count { $0.activity == "running" }
        let rows: [(String, String)] = [
            ("apps killed, stopped", "\(counts.appsKilled), \(counts.appsStopped)"),
            ("arbiters killed", "\(counts.arbitersKilled)"),
            ("apps that reached no arbiter in time", "\(counts.lonely)"),
            ("calls of the apps that lived on", "\(acts.acts), refused \(acts.refused)"),
            ("of these without an arbiter's answer", "\(acts.unserved)"),
            ("sessions lost and made anew", "\(acts.renewed)"),
            (
                "decisions of the last arbiter, replayed",
                "\(agreement.report.decisions), \(agreement.history?.decisions.count ?? 0)"
            ),
            (
                "running, ducked, interrupted at the end",
                "\(active), \(views.count { $0.attenuation > 0 }), \(views.count { $0.activity == "interrupted" })"
            ),
            ("decisions replayed on the way", "\(counts.decisionsReplayed)"),
            ("the arbiter's descriptors, memory", "\(full.descriptors), \(full.kilobytes) KiB"),
        ]
        for (name, value) in rows {
            Swift.print("  " + name.padding(toLength: 44, withPad: " ", startingAt: 0) + value)
        }
    }
}
