import AudioPlayback
import AudioRendering
import AudioSessions
import CProbe
import Foundation
import Processes
import Reporting
import Servers

/// The time from an app's call to its sound at the port, in milliseconds, compared with the musical
/// yardstick: at most 10 ms, varying by at most 1 ms.
enum Actions {
    static func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        var table = Table(
            "Action → sound at the port: from before the call to the time of the first frame, by the server's clock (ms)",
            note: """
                spread: from p1 to p99; one period is what any call at any phase must have, and its deviation is the last column. trigger(at:): for the frame a \
                period from now. What the device adds (its latency, as JACK reports it) is not in it
                """,
            [
                .text("server", 11), "period", .text("call", 24), .text("priority", 9), "n", "median", "p99", "max",
                "spread", "deviation", "of any", "late",
            ])
        /// The plotted times: those at 128 frames.
        var plotted: [ServerKind: [Figure.Line]] = [:]
        try ProbedApp.run(run) { app, server in
            try app.ask("outputs")
            let isLong = server.period > 256
            let rounds = run.quick ? 15 : isLong ? 20 : server.period == 128 ? 100 : 60
            let actions: [Action] = run.quick || !isLong ? Action.allCases : [.trigger, .scheduled]
            let kinds = actions.map(\.rawValue).map(String.init).joined(separator: "\t")
            let found = ProbedApp.rows(try app.ask("act", rounds, kinds), 4).rows
            for action in actions {
                for isRealTime in [false, true] {
                    let own = found.filter { $0[0] == Double(action.rawValue) && ($0[1] == 1) == isRealTime }
                    add(action, isRealTime, own, server, run, &findings, &table)
                    if server.period == 128 {
                        plotted[server.kind, default: []].append(
                            Figure.Line(
                                title: isRealTime ? action.call : "", color: action.color, dashed: !isRealTime,
                                points: Figure.shares(own.map { $0[2] }), symbol: 0))
                    }
                }
            }
        }
        findings.tables = [table]
        findings.figures = [figure(plotted)]
        return findings
    }

    private static func add(
        _ action: Action, _ isRealTime: Bool, _ found: [[Double]], _ server: Server, _ run: Run,
        _ findings: inout Findings, _ table: inout Table
    ) {
        let conditions = Conditions(server).with([
            "call": .text(action.call), "thread": isRealTime ? "real-time" : "normal",
        ])
        let times = found.map { $0[2] }
        let spread = Spread(times)
        let sound = findings.add("action.ms_to_sound", "ms", times, conditions)
        findings.add("action.spread_ms", "ms", [spread.percentiles], conditions)
        findings.add("action.deviation_ms", "ms", [spread.deviation], conditions)
        let isScheduled = action == .scheduled
        let period = Double(server.period) / Double(Server.sampleRate) * 1000
        table.row(
            server, action.call, isRealTime ? "real time" : "normal", sound.count, sound[\.median, \.p99, \.maximum],
            spread.percentiles, spread.deviation, isScheduled ? 0 : period / 12.0.squareRoot(),
            isScheduled ? found.count { $0[3] != 0 } : nil)
        guard server.period == 128, isRealTime else { return }
        if action == .seek {
            findings.targets.append(
                Target(
                    what:
                        "\(action.call), set while FLAC at 44.1 kHz plays, on \(server.kind.rawValue), 128 frames: p99",
                    unit: "ms", wanted: 10, reached: sound.p99, range: run.noise.range(ofTail: sound, inRealTime: true),
                    headline: server.kind == .jackd ? "seek → first frame at the port, period of 128 (p99)" : nil))
        }
        guard [.trigger, .scheduled].contains(action) else { return }
        let targetName = "\(action.call) on \(server.kind.rawValue), 128 frames, in real time"
        let isHeadline = server.kind == .jackd
        let bound = isScheduled ? "" : " (a call without a time has one period)"
        findings.targets += [
            Target(
                what: "\(targetName): action → sound, p99", unit: "ms", wanted: 10, reached: sound.p99,
                range: run.noise.range(ofTail: sound, inRealTime: true),
                headline: isHeadline && !isScheduled ? "action → sound at the port, period of 128 (p99)" : nil),
            Target(
                what: "\(targetName): jitter, p1 to p99\(bound)", unit: "ms", wanted: 1, reached: spread.percentiles,
                range: run.noise.range(ofExcess: spread.percentiles, inRealTime: true),
                headline: isHeadline && isScheduled ? "jitter of an action that has a time (p1 to p99)" : nil),
        ]
    }

    private static func figure(_ plotted: [ServerKind: [Figure.Line]]) -> Figure {
        let yardstick = Figure.Line(
            title: "10 ms", color: Figure.grey, dashed: true, points: [(10, 0), (10, 100)], symbol: 0)
        return Figure(
            "latency-action", size: "\(max(1, plotted.count) * 600),600",
            caption: """
                Action → sound at the port, at 128 frames: share of calls that took at most that long. Any call at any phase of the period is a slope as wide as \
                the period; a call for a frame is upright. Dashed: a thread of normal priority. At 10 ms: what musicians bear.
                """,
            panels: Figure.panels { kind in plotted[kind].map { $0 + [yardstick] } ?? [] },
            settings: """
                set xlabel "ms from the call to the first frame"
                set ylabel "% of calls"
                set yrange [0:100]
                set xrange [-0.5:11]
                set key at graph 0.38, graph 0.4
                """)
    }
}

/// How much values differ that should be equal.
struct Spread {
    /// The distance between the first and the 99th percentile.
    var percentiles: Double
    /// The standard deviation.
    var deviation: Double

    /// Computes the spread of one or more values.
    init(_ values: [Double]) {
        let sorted = values.sorted()
        let (low, high) = (sorted.count / 100, sorted.count - 1 - sorted.count / 100)
        percentiles = sorted[high] - sorted[low]
        let mean = values.reduce(0, +) / Double(values.count)
        deviation = (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)).squareRoot()
    }
}

/// The ways in which an app plays a sound immediately.
enum Action: Int, CaseIterable {
    /// `CommandQueue.trigger`, as used by games and instruments.
    case trigger
    /// The same for a frame one period ahead.
    case scheduled
    /// `AudioEngine.play` with samples in memory.
    case play
    /// `AudioPlayer.play()` with a file.
    case player
    /// Setting `AudioPlayer.currentTime` while a compressed file of another rate plays.
    case seek

    var call: String {
        [
            "CommandQueue.trigger", "CommandQueue.trigger(at:)", "AudioEngine.play", "AudioPlayer.play",
            "AudioPlayer.currentTime",
        ][rawValue]
    }
    var color: String { [Figure.blue, Figure.green, Figure.orange, Figure.violet, Figure.yellow][rawValue] }
}

/// The players of the actions, and their files in memory.
private struct ActionPlayers {
    /// A tenth of a second at full scale, at the server's rate.
    let short: AudioPlayer
    /// A minute of FLAC at 44.1 kHz: the first half is silent, the second at full scale.
    let long: AudioPlayer

    init(_ session: AudioSession) throws {
        func player(_ name: String, _ sampleRate: Int, _ samples: [Float]) throws -> AudioPlayer {
            let path = "/dev/shm/latency-\(getpid())-\(name)"
            defer { try? FileManager.default.removeItem(atPath: path) }
            let file = try AudioFileWriter(path: path, channels: 1, sampleRate: sampleRate)
            try file.write(samples, frameCount: samples.count)
            if let error = file.close() { throw error }
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            return try AudioPlayer(.data(bytes, name: name), session: session)
        }
        short = try player("short.wav", Server.sampleRate, [Float](repeating: 1, count: 4_800))
        let half = 30 * 44_100
        long = try player("long.flac", 44_100, (0..<(2 * half)).map { $0 < half ? 0 : 1 })
    }
}

extension ProbedStage {
    /// Performs each kind of action, alternately on a thread of normal priority and on one with
    /// real-time priority. Returns for each action: its kind, whether it was in real time, the
    /// milliseconds from before the call to the first frame, and the frames by which a requested
    /// time was missed.
    func act(_ rounds: Int, _ actions: [Action]) throws -> [Double] {
        let players = try ActionPlayers(session)
        let (buffer, map) = (try AudioBuffer([[1]]), try ChannelMap.gains([[1], [0]]))
        return try trials(rounds * 2 * actions.count, repeating: rounds) { turn in
            let round = turn / (2 * actions.count)
            let action = actions[(turn / 2 + round) % actions.count]
            let isRealTime = (turn + round) % 2 == 0
            if action == .seek { try players.long.play() }
            let found = try act(action, inRealTime: isRealTime) { value, time in
                switch action {
                case .trigger, .scheduled: try commands.trigger(try madeSounds().impulse, gain: value, at: time)
                case .play: try engine.play(.buffer(buffer), on: session.bus, gain: value, map: map)
                case .player: try players.short.play()
                case .seek: players.long.currentTime = .random(in: 31..<55)
                }
            }
            if [.player, .seek].contains(action) {
                for player in [players.short, players.long] {
                    player.stop()
                    player.currentTime = 0
                }
                try wait(for: "silence") { level(.app) == 0 }
            }
            return found.map { [Double(action.rawValue), isRealTime ? 1 : 0] + $0 }
        }
    }

    private func act(
        _ action: Action, inRealTime: Bool, _ perform: (_ value: Float, _ time: UInt64?) throws -> Void
    ) throws -> [Double]? {
        defer { Scheduling.useNormal() }
        let origin = action == .scheduled ? try findOrigin() : 0
        let (value, before) = (nextID(), disturbances)
        forgetAll()
        if inRealTime { try Scheduling.useRealTime() }
        rest(periods: 2)
        let begun = now()
        var time: UInt64?
        if action == .scheduled {
            let wanted = probe_frame_at(listener.client, begun) &+ UInt32(period)
            let present = engine.currentFrame
            time = UInt64(Int(present) + frames(from: origin &+ UInt32(truncatingIfNeeded: present), to: wanted))
        }
        try perform(value, time)
        if inRealTime { Scheduling.useNormal() }
        guard
            let heard = hear(
                at: .app, where: { [.player, .seek].contains(action) ? $0.value != 0 : $0.value == value })
        else {
            return nil
        }
        let late = time.map { frames(from: origin &+ UInt32(truncatingIfNeeded: $0), to: heard.frame) } ?? 0
        if wasLate(since: before, isSuspect: late != 0) { return nil }
        return [(heard.time_ns - Double(begun)) / 1e6, Double(late)]
    }
}
