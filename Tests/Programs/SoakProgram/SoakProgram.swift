import AudioSessions
import CTestEnvironment
import Foundation
import Platform
import TestSupport

/// `session-soak [--seconds N] [--seed N] [--server jackd|jackd-sync|pipewire|managed] [--report
/// DIR] [--inject click|jump|leak] [--bus-error pipewire|other]`: an app plays while its server
/// dies, hangs and changes, devices come and go, and other clients interrupt and reconnect. The
/// soak examines the sound that arrives at the devices.
///
/// Fails, with the reason, if it finds a glitch or a leak, or if a call hangs. Exits with 75 if
/// PipeWire makes it access memory beyond the end of a file, which is PipeWire's fault.
@main struct SoakProgram {
    static func main() {
        do { try run() } catch {
            print("session-soak: \(error)")
            exit(69)
        }
    }

    private static func run() throws {
        let options = try SoakOptions(CommandLine.arguments)
        test_report_pipewire_memory()
        if let busError = options.busError { test_access_beyond_file(busError == .pipewire) }
        print("seed \(options.seed), \(options.server.rawValue), \(options.seconds) s")
        fflush(nil)
        let journal = RunLog()
        // If other processes use all names, this waits for one without limit.
        let name = try ServerName()
        let watchdog = Watchdog(journal, seconds: 120)
        defer { withExtendedLifetime(watchdog) {} }
        let checker = try OutputChecker(folder: options.report, journal: journal)
        let report = try Soak(options, journal, checker).run(name)
        try (journal.all.joined(separator: "\n") + "\n").write(
            toFile: options.report + "/journal.txt", atomically: true, encoding: .utf8)
        for glitch in checker.glitches { print("FAULT: \(glitch)") }
        for leak in report.leaks { print("FAULT: \(leak)") }
        report.print()
        print(try report.line())
        let faults = checker.glitches.count + report.leaks.count
        print(faults == 0 ? "no faults" : "\(faults) faults; seed \(options.seed), see '\(options.report)'")
        if faults > 0 { exit(1) }
    }
}

/// One run: injects faults in the order of its seed until the time is over.
struct Soak {
    let options: SoakOptions
    let journal: RunLog
    let checker: OutputChecker

    init(_ options: SoakOptions, _ journal: RunLog, _ checker: OutputChecker) {
        self.options = options
        self.journal = journal
        self.checker = checker
    }

    func run(_ name: ServerName) throws -> Report {
        let begin = Date()
        let before = try ResourceSnapshot()
        let stage = try SoakFixture(options, name, journal, checker)
        var warm: ResourceSnapshot?
        if let inject = options.inject {
            try stage.inject(inject)
        } else {
            var order = FaultOrder(seed: options.seed)
            while Date().timeIntervalSince(begin) < options.seconds {
                do {
                    try stage.perform(order.next())
                } catch {
                    checker.note("The soak cannot continue: \(error)")
                    break
                }
                // By now every kind of object has been in use, and everything that is created only
                // once exists.
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

    /// Takes a snapshot with only the speaker plugged in, and with music and game playing.
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
            glitches: checker.glitches.count, excused: checker.total.excused, lostFrames: checker.total.lostFrames,
            gaps: checker.total.gaps,
            xruns: stage.xruns.withLock { $0 }, underrunFrames: counts.underrunFrames, fades: checker.total.fades,
            framesHeard: checker.total.frames,
            devicesHeard: checker.devices, silenceChecks: counts.silenceChecks,
            untouchedChecks: counts.untouchedChecks, pauses: checker.total.pauses, refusals: counts.refusals,
            threads: [before, warm, end].map(\.driverThreads), descriptors: [before, warm, end].map(\.descriptorCount),
            megabytes: [before, warm, end].map { $0.residentKiB / 1024 },
            sharedLeftovers: stage.server.leftovers.count,
            leaks: leaks + end.growth(since: warm, keeping: options.server == .pipewire ? 4 : 0))
    }
}
