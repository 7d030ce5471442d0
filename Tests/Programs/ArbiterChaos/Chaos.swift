import ArbiterTesting
import Foundation
import SessionArbiter
import SessionPolicy
import Glibc
import TestRandom
import TestSupport

/// The parent process: starts the apps, injects the faults, and checks the result.
final class Chaos {
    private let options: ChaosOptions
    private let folder: TrialFolder
    private var random: SeededGenerator
    private var apps: [Program] = []
    /// The stopped apps, and when each continues.
    private var stopped: [pid_t: ContinuousClock.Instant] = [:]
    private var seeds: UInt64
    private(set) var counts = Counts()

    struct Counts {
        var appsKilled = 0
        var appsStopped = 0
        var arbitersKilled = 0
        var unconnected = 0
        var decisionsReplayed = 0
        var arbiters: Set<pid_t> = []
    }

    init(_ options: ChaosOptions) throws {
        self.options = options
        random = SeededGenerator(seed: options.seed)
        seeds = options.seed
        folder = try TrialFolder()
        try FileManager.default.createDirectory(atPath: folder.configuration, withIntermediateDirectories: true)
        try """
        service:
          ping-interval: 0.2
          lease-limit: 2.0
          idle-exit: 5.0
        """.write(toFile: folder.configuration + "/audiosession.yaml", atomically: false, encoding: .utf8)
    }

    /// Runs the test and returns what it found.
    func run() throws -> [String] {
        // Starts few at a time: the arbiter disconnects an app that a busy machine keeps from
        // answering for seconds, like any app that hangs.
        while apps.count < options.clients {
            let count = min(8, options.clients - apps.count)
            for _ in 0..<count { try startApp() }
            for app in apps.suffix(count) { try awaitReady(of: app) }
        }
        let clock = ContinuousClock()
        let end = clock.now + .seconds(options.seconds)
        var findings: [String] = []
        var nextDeath = clock.now + .seconds(options.lifetime)
        while clock.now < end {
            try pause(milliseconds: 20 + random.below(100))
            if clock.now >= nextDeath {
                nextDeath = clock.now + .seconds(options.lifetime)
                killArbiter()
            }
            continueApps(dueAt: clock.now)
            try injectAppFault(at: clock.now)
            if random.oneIn(64) { findings += inspect() }
        }
        continueApps(dueAt: nil)
        do {
            for app in apps { app.write("quiet") }
            for app in apps { try awaitLine("quiet", of: app) }
            return findings + (try conclude())
        } catch {
            return [
                "\(error)", "The end of the arbiters' log: \(folder.text("audiosession/arbiter.log").suffix(3_000))",
                appErrors,
            ]
        }
    }

    /// The errors that apps reported.
    private var appErrors: String {
        folder.text("apps.err").split(separator: "\n").filter { $0.contains("top level") || $0.hasPrefix("audio") }
            .suffix(5).joined(separator: "\n")
    }

    /// Checks the current arbiter during the run: a replay of its decisions has the same results
    /// and violates no rule.
    private func inspect() -> [String] {
        guard let tool = try? RawClient(folder.socket), (try? tool.hello()) != nil, let report = try? tool.report(),
            let history = try? tool.ask(.history).history
        else { return [] }
        counts.decisionsReplayed += history.decisions.count
        return Agreement(report: report, history: history, living: []).logFindings()
    }

    // MARK: Apps

    private func startApp() throws {
        seeds += 1
        let environment = folder.environment.merging(["AUDIOSESSIOND": try Program.built("audiosessiond")]) { $1 }
        apps.append(
            try Program(
                try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"), ["--client", "\(seeds)"],
                environment: environment, errorsTo: folder.path + "/apps.err"))
    }

    private func awaitReady(of app: Program) throws {
        switch try app.readLine(within: 60) {
        case "ready": return
        case "alone": try replaceUnconnected(app)
        case let line: throw TrialError("App \(app.process) began with '\(line ?? "end of output")': \(appErrors)")
        }
    }

    /// Replaces an app that reached no arbiter in time, for instance on an overloaded machine. Such
    /// an app correctly continues with an in-process arbiter.
    private func replaceUnconnected(_ app: Program) throws {
        counts.unconnected += 1
        guard counts.unconnected < 20 else { throw TrialError("Too many apps reach no arbiter: \(appErrors)") }
        _ = try app.waitForEnd()
        apps.removeAll { $0 === app }
        try startApp()
    }

    private func awaitLine(_ expected: String, of app: Program) throws {
        while let line = try app.readLine(within: 60) {
            if line == expected { return }
            if line == "alone" {
                try replaceUnconnected(app)
                apps[apps.count - 1].write(expected)
                return try awaitLine(expected, of: apps[apps.count - 1])
            }
        }
        throw TrialError("An app ended without printing '\(expected)': \(appErrors)")
    }

    /// Waits, and checks that no app ends meanwhile.
    private func pause(milliseconds: Int) throws {
        var watched = apps.map { $0.watched }
        guard poll(&watched, nfds_t(watched.count), Int32(milliseconds)) > 0 else { return }
        for (app, entry) in zip(apps, watched) where entry.revents != 0 {
            // The app's first output is that it is ready.
            try awaitReady(of: app)
        }
    }

    /// Kills and replaces an app, or stops one for a while, or does nothing, at random.
    private func injectAppFault(at now: ContinuousClock.Instant) throws {
        switch random.below(8) {
        case 0:
            let index = random.below(apps.count)
            apps[index].send(SIGKILL)
            stopped[apps[index].process] = nil
            _ = try apps[index].waitForEnd()
            apps.remove(at: index)
            try startApp()
            counts.appsKilled += 1
        case 1...2:
            let app = random.pick(apps)
            guard stopped[app.process] == nil, stopped.count < apps.count / 4 + 1 else { return }
            app.send(SIGSTOP)
            stopped[app.process] = now + .milliseconds(50 + random.below(random.oneIn(4) ? 5_000 : 500))
            counts.appsStopped += 1
        default: break
        }
    }

    /// Continues the stopped apps that are due; with nil, all of them.
    private func continueApps(dueAt now: ContinuousClock.Instant?) {
        for (process, time) in stopped where now.map({ $0 >= time }) ?? true {
            kill(process, SIGCONT)
            stopped[process] = nil
        }
    }

    private func killArbiter() {
        for process in Processes.of(folder, named: "audiosessiond") {
            kill(process, SIGKILL)
            counts.arbitersKilled += 1
        }
    }

    // MARK: Conclusion

    private func conclude() throws -> [String] {
        var findings: [String] = []
        let living = Set(apps.map(\.process))
        // An app that has just lost its arbiter reconnects on its own.
        var tool = try connect()
        let areBack = try Limit.waits(seconds: 30) {
            Set(try tool.report().clients.map(\.process)).subtracting([getpid()]) == living
        }
        if !areBack {
            findings.append(
                "The arbiter's clients are not the running apps: \(try tool.report().clients.map(\.process))")
        }
        var (views, agreement) = try collectViews(living)
        inject(in: &views, &agreement)
        findings += try agreement.findings(views)
        let service = agreement.report.process
        tool = try connect()
        guard try Limit.waits(until: { try tool.report().clients.count == living.count + 1 }) else {
            return findings + ["The arbiter has clients that are not running."]
        }
        // The arbiter has released the memory of a long reply when the next reply arrives.
        try tool.ask(.synchronise)
        let full = try ResourceSnapshot(of: service)
        let acts = views.reduce(into: View.Counts()) {
            $0.acts += $1.counts.acts
            $0.refused += $1.counts.refused
            $0.unserved += $1.counts.unserved
            $0.renewed += $1.counts.renewed
        }
        for app in apps { app.endInput() }
        for app in apps where try app.waitForEnd(within: 60) != 0 {
            findings.append("App \(app.process) ended with an error.")
        }
        tool = try connect()
        findings += try checkRelease(tool, service, full, views.count)
        ChaosTable(options: options, counts: counts, acts: acts, agreement: agreement, views: views, full: full).print()
        return findings
    }

    /// Queries all apps until nothing changes meanwhile: an app that was stopped may have
    /// reconnected only now.
    private func collectViews(_ living: Set<Int32>) throws -> ([View], Agreement) {
        // Adds one decision, so that the log is not empty however late the last arbiter started.
        try connect().ask(.setSilentSwitch(false))
        for _ in 0..<20 {
            let before = try connect().report().substance
            for app in apps { app.write("view") }
            let views = try apps.map { app in
                try JSONDecoder().decode(View.self, from: Data((try app.readLine(within: 60) ?? "").utf8))
            }
            // A separate connection: another one would not have answered pings while the apps were
            // queried.
            let (report, history) = try connect().reportWithHistory()
            let agreement = Agreement(report: report, history: history, living: living)
            if agreement.report.substance == before { return (views, agreement) }
        }
        throw TrialError("The arbiter's state keeps changing.")
    }

    /// Connects to the arbiter that the apps have started.
    private func connect() throws -> RawClient {
        var client: RawClient?
        let isConnected = Limit.waits(seconds: 30) {
            client = try? RawClient(folder.socket)
            return (try? client?.hello()) != nil
        }
        guard isConnected, let client else {
            throw TrialError("No arbiter responds: \(folder.text("audiosession/arbiter.log").suffix(2_000))")
        }
        return client
    }

    /// Checks, after all apps have ended, that the arbiter has released everything of theirs,
    /// exits, and leaves only the expected files.
    private func checkRelease(
        _ tool: RawClient, _ service: pid_t, _ full: ResourceSnapshot, _ clients: Int
    ) throws -> [String] {
        var findings: [String] = []
        let isAlone = try Limit.waits(seconds: 20) { try tool.report().clients.count == 1 }
        if !isAlone { findings.append("The arbiter still lists clients that have ended.") }
        try tool.ask(.synchronise)
        let empty = try ResourceSnapshot(of: service)
        if try !tool.report().sessions.isEmpty {
            findings.append("The arbiter still has sessions of apps that have ended.")
        }
        if full.descriptorCount - empty.descriptorCount != 2 * clients {
            findings.append(
                "\(clients) clients had \(full.descriptorCount - empty.descriptorCount) descriptors, not 2 each.")
        }
        // Standard streams, socket, events, files and locks, the keys page, and this client.
        if empty.descriptorCount > 11 {
            findings.append("\(empty.descriptorCount) descriptors remain with one client.")
        }
        if empty.residentKiB > 128 << 10 { findings.append("The arbiter uses \(empty.residentKiB) KiB.") }
        tool.shutDown()
        if options.fault == .file { _ = try folder.write("", as: "audiosession/stray") }
        var stray: Program?
        if options.fault == .process { stray = try Program("/bin/cat", [], environment: folder.environment) }
        let hasLeft = Limit.waits(seconds: 20) { Processes.of(folder, named: "audiosessiond").isEmpty }
        if !hasLeft { findings.append("The arbiter has not exited, although it has no clients.") }
        let known: Set = ["arbiter.lock", "arbiter.running", "arbiter.state.json", "arbiter.log", "audiosession.yaml"]
        let files = Set(folder.files).subtracting(known)
        if !files.isEmpty { findings.append("Files are left: \(files.sorted()).") }
        let processes = Processes.of(folder)
        if !processes.isEmpty { findings.append("Processes are left: \(processes).") }
        withExtendedLifetime(stray) {}
        return findings
    }

    private func inject(in views: inout [View], _ agreement: inout Agreement) {
        switch options.fault {
        case .view: views[0].activity = views[0].activity == "running" ? "interrupted" : "running"
        case .gain: for index in views.indices where views[index].gain != nil { views[index].gain = 0.7 }
        case .log: agreement.falsifyLog()
        case .session: agreement.living.remove(agreement.living.first ?? 0)
        case .file, .process, nil: break
        }
    }
}
