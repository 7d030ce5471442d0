import ArbiterTesting
import Foundation
import SessionArbiter
import SessionPolicy
import Glibc
import TestRandom
import TestSupport

/// The parent of all: starts the apps, harms them, and looks at what is left.
final class Chaos {
    private let options: ChaosOptions
    private let folder: TrialFolder
    private var random: SeededGenerator
    private var apps: [Program] = []
    /// Stopped ones, and when each goes on.
    private var stopped: [pid_t: ContinuousClock.Instant] = [:]
    private var seeds: UInt64
    private(set) var counts = Counts()

    struct Counts {
        var appsKilled = 0
        var appsStopped = 0
        var arbitersKilled = 0
        var lonely = 0
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
        [service]
        ping-interval = 0.2
        lease-limit = 2.0
        idle-exit = 5.0
        """.write(toFile: folder.configuration + "/audiosession.toml", atomically: false, encoding: .utf8)
    }

    /// Returns what is wrong.
    func run() throws -> [String] {
        // Some at a time: an app that the machine keeps from answering for seconds is cut off like any that hangs.
        while apps.count < options.clients {
            let count = min(8, options.clients - apps.count)
            for _ in 0..<count { try startApp() }
            for app in apps.suffix(count) { try awaitBeginning(of: app) }
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
            goOn(until: clock.now)
            try harm(at: clock.now)
            if random.oneIn(64) { findings += inspect() }
        }
        goOn(until: nil)
        do {
            for app in apps { app.write("quiet") }
            for app in apps { try awaitLine("quiet", of: app) }
            return findings + (try conclude())
        } catch {
            return [
                "\(error)", "The arbiters' log ends with: \(folder.text("audiosession/arbiter.log").suffix(3_000))",
                appErrors,
            ]
        }
    }

    /// What apps said that was wrong.
    private var appErrors: String {
        folder.text("apps.err").split(separator: "\n").filter { $0.contains("top level") || $0.hasPrefix("audio") }
            .suffix(5).joined(separator: "\n")
    }

    /// In the midst of it all: what the arbiter of the moment has decided comes out the same in a replay, and breaks no rule.
    private func inspect() -> [String] {
        guard let tool = try? RawClient(folder.socket), (try? tool.hello()) != nil, let report = try? tool.report(),
            let history = try? tool.ask(.history).history
        else { return [] }
        counts.decisionsReplayed += history.decisions.count
        return Agreement(report: report, history: history, living: []).findingsOfTheLog()
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

    private func awaitBeginning(of app: Program) throws {
        switch try app.readLine(within: 60) {
        case "ready": return
        case "alone": try replaceLonely(app)
        case let line: throw TrialError("App \(app.process) begins with '\(line ?? "its end")': \(appErrors)")
        }
    }

    /// One that reached no arbiter in the time it has, such as on a machine with too much to do: it goes on for itself, as it should, and
    /// another takes its place.
    private func replaceLonely(_ app: Program) throws {
        counts.lonely += 1
        guard counts.lonely < 20 else { throw TrialError("App after app finds no arbiter: \(appErrors)") }
        _ = try app.waitForEnd()
        apps.removeAll { $0 === app }
        try startApp()
    }

    private func awaitLine(_ expected: String, of app: Program) throws {
        while let line = try app.readLine(within: 60) {
            if line == expected { return }
            if line == "alone" {
                try replaceLonely(app)
                apps[apps.count - 1].write(expected)
                return try awaitLine(expected, of: apps[apps.count - 1])
            }
        }
        throw TrialError("An app ended without '\(expected)': \(appErrors)")
    }

    /// A while in which something may happen by itself: an app that ends, which none does.
    private func pause(milliseconds: Int) throws {
        var watched = apps.map { $0.watched }
        guard poll(&watched, nfds_t(watched.count), Int32(milliseconds)) > 0 else { return }
        for (app, one) in zip(apps, watched) where one.revents != 0 {
            // What it says first is that it is ready.
            try awaitBeginning(of: app)
        }
    }

    private func harm(at now: ContinuousClock.Instant) throws {
        switch random.below(8) {
        case 0:
            let place = random.below(apps.count)
            apps[place].send(SIGKILL)
            stopped[apps[place].process] = nil
            _ = try apps[place].waitForEnd()
            apps.remove(at: place)
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

    /// Those whose time has come; nil: all.
    private func goOn(until now: ContinuousClock.Instant?) {
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

    // MARK: The end

    private func conclude() throws -> [String] {
        var findings: [String] = []
        let living = Set(apps.map(\.process))
        // Whoever lost its arbiter in the last moment comes back by itself.
        var tool = try reach()
        let areBack = try Limit.waits(seconds: 30) {
            Set(try tool.report().clients.map(\.process)).subtracting([getpid()]) == living
        }
        if !areBack {
            findings.append(
                "Not all that live are clients, or some that do not are: \(try tool.report().clients.map(\.process))")
        }
        var (views, agreement) = try look(living)
        plant(in: &views, &agreement)
        findings += try agreement.findings(views)
        let service = agreement.report.process
        tool = try reach()
        guard try Limit.waits(until: { try tool.report().clients.count == living.count + 1 }) else {
            return findings + ["There are other clients than those that live."]
        }
        // What a long reply takes has been given back when the next one comes.
        try tool.ask(.synchronise)
        let full = try ResourceSnapshot(of: service)
        let acts = views.reduce(into: View.Counts()) {
            $0.acts += $1.counts.acts
            $0.refused += $1.counts.refused
            $0.unserved += $1.counts.unserved
            $0.renewed += $1.counts.renewed
        }
        for app in apps { app.endInput() }
        for app in apps where try app.waitForEnd(within: 60) != 0 { findings.append("App \(app.process) ended badly.") }
        tool = try reach()
        findings += try leave(tool, service, full, views.count)
        ChaosTable(options: options, counts: counts, acts: acts, agreement: agreement, views: views, full: full).print()
        return findings
    }

    /// Asks all until nothing changes meanwhile: who was stopped may have come back but now.
    private func look(_ living: Set<Int32>) throws -> ([View], Agreement) {
        // One decision at least, however late the last of them came.
        try reach().ask(.setSilentSwitch(false))
        for _ in 0..<20 {
            let before = try reach().report().substance
            for app in apps { app.write("view") }
            let views = try apps.map { app in
                try JSONDecoder().decode(View.self, from: Data((try app.readLine(within: 60) ?? "").utf8))
            }
            // A connection of its own: while the apps were asked nobody answered pings on another.
            let (report, history) = try reach().reportWithHistory()
            let agreement = Agreement(report: report, history: history, living: living)
            if agreement.report.substance == before { return (views, agreement) }
        }
        throw TrialError("The arbiter's state does not come to rest.")
    }

    /// The arbiter that the apps have started by now.
    private func reach() throws -> RawClient {
        var client: RawClient?
        let isThere = Limit.waits(seconds: 30) {
            client = try? RawClient(folder.socket)
            return (try? client?.hello()) != nil
        }
        guard isThere, let client else {
            throw TrialError("No arbiter serves: \(folder.text("audiosession/arbiter.log").suffix(2_000))")
        }
        return client
    }

    /// Everybody has left: the arbiter has let go of all that was theirs, and goes, and leaves what it should.
    private func leave(_ tool: RawClient, _ service: pid_t, _ full: ResourceSnapshot, _ clients: Int) throws -> [String]
    {
        var findings: [String] = []
        let isAlone = try Limit.waits(seconds: 20) { try tool.report().clients.count == 1 }
        if !isAlone { findings.append("Clients that have ended are listed still.") }
        try tool.ask(.synchronise)
        let empty = try ResourceSnapshot(of: service)
        if try !tool.report().sessions.isEmpty { findings.append("Sessions are left of apps that have ended.") }
        if full.descriptorCount - empty.descriptorCount != 2 * clients {
            findings.append(
                "\(clients) clients had \(full.descriptorCount - empty.descriptorCount) descriptors, not 2 each.")
        }
        if empty.descriptorCount > 10 {
            findings.append("\(empty.descriptorCount) descriptors are left with one client.")
        }
        if empty.residentKiB > 128 << 10 { findings.append("The arbiter takes \(empty.residentKiB) KiB.") }
        tool.shutDown()
        if options.fault == .file { _ = try folder.write("", as: "audiosession/stray") }
        var stray: Program?
        if options.fault == .process { stray = try Program("/bin/cat", [], environment: folder.environment) }
        let hasLeft = Limit.waits(seconds: 20) { Processes.of(folder, named: "audiosessiond").isEmpty }
        if !hasLeft { findings.append("The arbiter has not left, though nobody needs it.") }
        let known: Set = ["arbiter.lock", "arbiter.running", "arbiter.state.json", "arbiter.log", "audiosession.toml"]
        let files = Set(folder.files).subtracting(known)
        if !files.isEmpty { findings.append("Files are left: \(files.sorted()).") }
        let processes = Processes.of(folder)
        if !processes.isEmpty { findings.append("Processes are left: \(processes).") }
        withExtendedLifetime(stray) {}
        return findings
    }

    private func plant(in views: inout [View], _ agreement: inout Agreement) {
        switch options.fault {
        case .view: views[0].activity = views[0].activity == "running" ? "interrupted" : "running"
        case .gain: for place in views.indices where views[place].gain != nil { views[place].gain = 0.7 }
        case .log: agreement.falsifyTheLog()
        case .session: agreement.living.remove(agreement.living.first ?? 0)
        case .file, .process, nil: break
        }
    }
}
