import Processes
import Reporting
import Servers

/// What happens to a counting signal while the server's buffer size changes, compared with a bare
/// client's during the same change.
struct PeersPeriods {
    var peers: [Peer]
    private(set) var results: [Measurement] = []
    private(set) var table: Table?

    init(peers: [Peer]) { self.peers = peers }

    private static let first = 256
    private static let changes = [64, 1_024, 256]

    /// The result of one change.
    private struct Change {
        var period: Int
        /// The losses beyond the bare client's, which `bareLost` has.
        var lost, repeated, silent: Double
        var bareLost: Double
        /// The percentage of the expected frames after the change.
        var share: Double
        var survived: Bool { share > 99 }
        /// A silent peer loses nothing more.
        var isSilent: Bool { share < 1 }
        var isWhole: Bool { survived && lost <= 0 && repeated <= 0 && silent <= 0 }
    }

    private struct Scenario {
        var peer: Peer
        var library = ""
        var backend = ""
        var changes: [Change] = []
        var failure: String?
        var notices: [String] = []
    }

    mutating func measure(_ context: ServerContext, rounds: Int, _ record: inout PeersRecord) throws {
        let scenarios = try peers.map { peer in
            var scenario = Scenario(peer: peer)
            var left = rounds
            while left > 0, scenario.failure == nil { left -= try live(&scenario, context, rounds: left, &record) }
            return scenario
        }
        report(scenarios, &record)
    }

    /// Runs rounds on a separate server as long as the sound survives. Returns their number.
    private func live(
        _ scenario: inout Scenario, _ context: ServerContext, rounds: Int, _ record: inout PeersRecord
    ) throws -> Int {
        let stage = try PeersStage(context, period: Self.first)
        let bare = try stage.open(.bare, .count)
        let open: OpenPeer
        do {
            open = try stage.open(scenario.peer, .count)
        } catch let failure as PeerFailure {
            scenario.failure = "\(failure)"
            return rounds
        }
        record.note(open)
        (scenario.library, scenario.backend) = (open.library, open.backend)
        defer {
            // The reply arrives after all notices.
            _ = try? open.process.ask("status")
            scenario.notices += open.process.notices
            _ = open.process.quit()
            _ = bare.process.quit()
        }
        open.process.forgetNotices()
        guard try stage.probe.awaitCount(bare.tap, frames: 4_800, milliseconds: 5_000) else {
            throw BenchmarkError("The bare client has no sound.")
        }
        guard try stage.probe.awaitCount(open.tap, frames: 4_800, milliseconds: 2_000) else {
            scenario.failure = "its count is not heard as it is"
            return rounds
        }
        for round in 1...rounds {
            for period in Self.changes {
                let change = try change(to: period, stage.probe, open.tap, comparedWith: bare.tap)
                scenario.changes.append(change)
                if change.isSilent { return round }
            }
        }
        return rounds
    }

    private func change(to period: Int, _ probe: PeerProbe, _ tap: Int, comparedWith bare: Int) throws -> Change {
        let before = (peer: try probe.heard(tap), bare: try probe.heard(bare))
        try probe.setPeriod(period)
        try listen(probe, bare, frames: 5_000)
        let after = (peer: try probe.heard(tap), bare: try probe.heard(bare))
        try listen(probe, bare, frames: 4_800)
        let then = (peer: try probe.heard(tap), bare: try probe.heard(bare))
        let expected = Double(then.bare.frames - after.bare.frames)
        func beyond(_ key: KeyPath<PeerProbe.Heard, Int>) -> Double {
            let (own, bound) = (
                after.peer[keyPath: key] - before.peer[keyPath: key],
                after.bare[keyPath: key] - before.bare[keyPath: key]
            )
            return Double(own - bound)
        }
        return Change(
            period: period, lost: beyond(\.lost), repeated: beyond(\.repeated), silent: beyond(\.silent),
            bareLost: Double(after.bare.lost - before.bare.lost),
            share: min(100, Double(then.peer.frames - after.peer.frames) / expected * 100))
    }

    private func listen(_ probe: PeerProbe, _ bare: Int, frames: Int) throws {
        let heard = try probe.heard(bare).frames
        guard try probe.awaitCount(bare, frames: heard + frames, milliseconds: 5_000) else {
            throw BenchmarkError("The bare client became silent when the period changed.")
        }
    }

    private mutating func report(_ scenarios: [Scenario], _ record: inout PeersRecord) {
        var table = Table(
            "Peers: the period goes 256 → 64 → 1024 → 256 while it plays",
            note: """
                frames beyond what a bare client lost in the same change (the last of them; below 0: it lost more), medians; sounds: of what \
                should be heard afterwards
                """,
            [
                .text("library", 40), "to", "sounds %", "lost", "most", "repeated", "silent", "bare lost", "n",
                .text("", 0),
            ])
        for scenario in scenarios {
            let name = record.library(scenario.peer)
            for period in Self.changes {
                let changes = scenario.changes.filter { $0.period == period }
                guard !changes.isEmpty else { continue }
                add(changes, of: scenario, to: period)
                let isLast = period == scenario.changes.last?.period
                table.add([name, "\(period)"] + cells(changes) + [isLast ? scenario.notices.last ?? "" : ""])
            }
            if let failure = scenario.failure { table.add([name] + Array(repeating: "", count: 8) + [failure]) }
            record.note(scenario.peer, .periods, words(scenario))
        }
        self.table = table
    }

    private func cells(_ changes: [Change]) -> [String] {
        let sounding = changes.filter { !$0.isSilent }
        func median(_ key: KeyPath<Change, Double>, _ changes: [Change]) -> String {
            changes.isEmpty ? "" : digits(Statistics(changes.map { $0[keyPath: key] }).median)
        }
        return [
            median(\.share, changes), median(\.lost, sounding), sounding.map(\.lost).max().map(digits) ?? "",
            median(\.repeated, sounding), median(\.silent, changes), median(\.bareLost, changes), "\(changes.count)",
        ]
    }

    private mutating func add(_ changes: [Change], of scenario: Scenario, to period: Int) {
        let conditions = Conditions(backend: scenario.backend, period: Self.first).with([
            "changesTo": .whole(period)
        ])
        let sounding = changes.filter { !$0.isSilent }
        let series: [(String, String, [Double])] = [
            ("period.frames_lost", "frames", sounding.map(\.lost)),
            ("period.frames_repeated", "frames", sounding.map(\.repeated)),
            ("period.frames_silent", "frames", changes.map(\.silent)),
            ("period.survives", "share", changes.map { $0.survived ? 1 : 0 }),
        ]
        results += series.filter { !$0.2.isEmpty }.map {
            Measurement($0.0, scenario.library, $0.1, Statistics($0.2), conditions)
        }
    }

    /// Returns a one-line summary.
    private func words(_ scenario: Scenario) -> String {
        if let failure = scenario.failure { return failure }
        if let change = scenario.changes.first(where: \.isSilent) {
            return "falls silent at \(change.period)" + (scenario.notices.isEmpty ? ", notifies no client" : "")
        }
        let byPeriod = Self.changes.compactMap { period -> (period: Int, changes: [Change])? in
            let changes = scenario.changes.filter { $0.period == period }
            return changes.isEmpty ? nil : (period, changes)
        }
        let shares = byPeriod.map { ($0.period, Statistics($0.changes.map(\.share)).median) }
        if let (period, share) = shares.min(by: { $0.1 < $1.1 }), share < 99 {
            return "goes on, with gaps at \(period): sounds \(digits(share)) % of the time"
        }
        let lost = byPeriod.map { Statistics($0.changes.map(\.lost)).median }.max() ?? 0
        let silent = byPeriod.map { Statistics($0.changes.map(\.silent)).median }.max() ?? 0
        if lost > 0 || silent > 0 {
            return "goes on; up to \(digits(max(0, lost))) frames lost, \(digits(max(0, silent))) silent (medians)"
        }
        let whole = scenario.changes.count(where: \.isWhole)
        return whole == scenario.changes.count
            ? "goes on, no frame lost" : "goes on, no frame lost in \(whole) of \(scenario.changes.count) changes"
    }
}
