import AudioSessions
import Foundation
import Platform
import TestSupport

/// `session-soak [--seconds N] [--seed N] [--server jackd|jackd-sync|pipewire|managed] [--report DIR] [--plant click|jump|leak]`: an app plays while
/// its server dies, hangs and changes, devices come and go, and others interrupt and patch; what arrives at the devices is listened to.
///
/// Fails with what is wrong when a glitch was heard, something is left over, or a call hung.
@main struct SoakProgram {
    static func main() {
        do { try run() } catch {
            print("session-soak: \(error)")
            exit(69)
        }
    }

    private static func run() throws {
        let options = try SoakOptions(CommandLine.arguments)
        print("seed \(options.seed), \(options.server.rawValue), \(options.seconds) s")
        fflush(nil)
        let journal = Journal()
        // Where others have all names, it waits for one, however long.
        let name = try ServerName()
        let watchdog = Watchdog(journal, seconds: 120)
        defer { withExtendedLifetime(watchdog) {} }
        let examiner = try Examiner(folder: options.report, journal: journal)
        let report = try Soak(options, journal, examiner).run(name)
        try (journal.all.joined(separator: "\n") + "\n").write(
            toFile: options.report + "/journal.txt", atomically: true, encoding: .utf8)
        for glitch in examiner.glitches { print("FAULT: \(glitch)") }
        for leak in report.leaks { print("FAULT: \(leak)") }
        report.print()
        print(try report.line())
        let faults = examiner.glitches.count + report.leaks.count
        print(faults == 0 ? "nothing is wrong" : "\(faults) faults; seed \(options.seed), see '\(options.report)'")
        if faults > 0 { exit(1) }
    }
}

/// One run: faults in the order of its seed, until the time is over.
struct Soak {
    let options: SoakOptions
    let journal: Journal
    let examiner: Examiner

    init(_ options: SoakOptions, _ journal: Journal, _ examiner: Examiner) {
        self.options = options
        self.journal = journal
        self.examiner = examiner
    }

    func run(_ name: ServerName) throws -> Report {
        let begin = Date()
        let before = try ResourceSnapshot()
        let stage = try SoakFixture(options, name, journal, examiner)
        var warm: ResourceSnapshot?
        if let plant = options.plant {
            try stage.plant(plant)
        } else {
            var order = FaultOrder(seed: options.seed)
            while Date().timeIntervalSince(begin) < options.seconds {
                do {
                    try stage.perform(order.next())
                } catch {
                    examiner.note("The soak cannot go on: \(error)")
                    break
                }
                // Each kind of thing was there by then; what is made once was made.
                if warm == nil, stage.counts.recoveries.count >= 3,
                    Date().timeIntervalSince(begin) > options.seconds / 4
                {
                    warm = try takeSnapshot(stage)
                }
            }
        }
        let end = try takeSnapshot(stage)
        try stage.close()
        return report(
            stage, seconds: Date().timeIntervalSince(begin), before, warm ?? end, end, leaks: try leaks(stage))
    }

    /// With nothing but the speaker plugged in, and music and game playing.
    private func takeSnapshot(_ stage: SoakFixture) throws -> ResourceSnapshot {
        if stage.microphone.isRunning { stage.switchInput() }
        if stage.counts.isDeckOn { stage.switchDeck() }
        for listener in stage.listeners.dropFirst() { try stage.unplug(listener, inOrder: true) }
        try stage.play()
        stage.host.settle()
        stage.letPass(4_800)
        return try ResourceSnapshot()
    }

    private func leaks(_ stage: SoakFixture) throws -> [String] {
        var leaks: [String] = []
        let clients = (try? stage.run("jack_lsp", [])) ?? ""
        if clients.contains("session-soak:") { leaks.append("JACK still has the ports of a closed client") }
        stage.server.end(inOrder: true)
        let threads = try ResourceSnapshot().driverThreads
        if threads > 0 { leaks.append("\(threads) threads of a closed driver") }
        let shared = stage.server.leftovers.filter { $0.contains("session-soak") }
        if !shared.isEmpty { leaks.append("in shared memory: \(shared.joined(separator: ", "))") }
        return leaks
    }

    private func report(
        _ stage: SoakFixture, seconds: Double, _ before: ResourceSnapshot, _ warm: ResourceSnapshot,
        _ end: ResourceSnapshot, leaks: [String]
    ) -> Report {
        let counts = stage.counts
        func count(_ faults: Fault...) -> Int { faults.reduce(0) { $0 + (counts.faults[$1] ?? 0) } }
        let times = counts.recoveries.sorted()
        return Report(
            server: options.server.rawValue, seed: options.seed, seconds: seconds,
            faults: Dictionary(uniqueKeysWithValues: counts.faults.map { ($0.key.rawValue, $0.value) }),
            kills: count(.serverKilled, .serverEnded), plugs: count(.devicePlugged, .devicePulledOut),
            periods: count(.periodPreferred, .periodForeign),
            recoveryMedianSeconds: times.isEmpty ? 0 : times[times.count / 2], recoveryMaximumSeconds: times.last ?? 0,
            glitches: examiner.glitches.count, excused: examiner.total.excused, lostFrames: examiner.total.lostFrames,
            gaps: examiner.total.gaps,
            xruns: stage.xruns.withLock { $0 }, underrunFrames: counts.underrunFrames, fades: examiner.total.fades,
            framesHeard: examiner.total.frames,
            devicesHeard: examiner.devices, silenceChecks: counts.silenceChecks,
            untouchedChecks: counts.untouchedChecks, pauses: examiner.total.pauses, refusals: counts.refusals,
            threads: [before, warm, end].map(\.driverThreads), descriptors: [before, warm, end].map(\.descriptorCount),
            megabytes: [before, warm, end].map { $0.residentKiB / 1024 },
            sharedLeftovers: stage.server.leftovers.count,
            leaks: leaks + end.growth(since: warm, keeping: options.server == .pipewire ? 4 : 0))
    }
}
