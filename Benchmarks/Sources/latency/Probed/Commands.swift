import AudioRendering
import AudioSessions
import CProbe
import Foundation
import Processes
import Reporting
import Servers

/// The time from a command to the first frame that it changes: for commands without a time, and for
/// those with a frame.
enum Commands {
    private static let (beyond, error) = ("command.frames_beyond_next_cycle", "command.scheduled_error_frames")

    static func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        var table = Table(
            "Commands, posted by the app's own thread at any phase of the period: first frame that is another",
            note: """
                next: frames beyond the first frame of the next cycle, by counting: 0 is the bound, less than 0 came into the cycle that had begun. from post: \
                frames from the call, by the server's clock. error: frames from the one that was asked for. repeated: the server was late meanwhile
                """,
            [
                .text("server", 11), "period", .text("command", 8), "n", "next, max", "early", "from post", "p99",
                "max", "in periods", "error", "error max", "repeated",
            ])
        for period in [16, 32] {
            let (next, errors) = try postOffline(run.quick ? 100 : 1_000, period: period)
            let conditions: Conditions = [
                "server": "offline", "period": .whole(period), "sampleRate": 48_000, "command": "start",
            ]
            let (found, exact) = (
                findings.add(beyond, "frames", next, conditions), findings.add(error, "frames", errors, conditions)
            )
            table.row(
                "offline", period, "start", found.count, found.maximum, ["", "", "", "", ""], exact[\.median, \.maximum]
            )
        }
        try ProbedApp.run(run) { app, server in
            try app.ask("outputs")
            let count = run.quick ? 40 : server.period > 256 ? 60 : 200
            let untimed = ProbedApp.rows(try app.ask("untimed", count), 3)
            let timed = ProbedApp.rows(try app.ask("timed", count), 2)
            for command in Command.allCases {
                let conditions = Conditions(server).with(["command": .text("\(command)")])
                let now = untimed.rows.filter { $0[0] == Double(command.rawValue) }
                let then = timed.rows.filter { $0[0] == Double(command.rawValue) }
                let sound = findings.add("command.frames_to_sound", "frames", now.map { $0[2] }, conditions)
                let next = findings.add(beyond, "frames", now.map { $0[1] }, conditions)
                let exact = findings.add(error, "frames", then.map { abs($0[1]) }, conditions)
                table.row(
                    server, "\(command)", next.count, next.maximum, now.count { $0[1] < 0 },
                    sound[\.median, \.p99, \.maximum], sound.maximum / Double(server.period),
                    exact[\.median, \.maximum], untimed.repeated + timed.repeated)
            }
        }
        findings.tables = [table]
        findings.targets = targets(findings.results, run.servers)
        return findings
    }

    private static func targets(_ results: [Measurement], _ servers: [ServerKind]) -> [Target] {
        let places = servers.map(\.rawValue).joined(separator: ", ")
        let periods = results.of(beyond).points(against: "period", \.maximum).map { 1 + $1 / $0 }
        return [
            Target(
                what: "command → first changed frame: worst, from the cycle it was posted in, on \(places)",
                unit: "periods", wanted: 1, reached: periods.max() ?? .infinity,
                headline: "command → first changed frame, worst"),
            Target(
                what: "command for a frame → its frame: worst error, on \(places)", unit: "frames", wanted: 0,
                reached: results.of(error).map(\.statistics.maximum).max() ?? .infinity,
                headline: "command for a frame: frames beside it, worst"),
        ]
    }

    /// Measures commands without a server, at periods that are too short for a server on such a
    /// machine. Commands are posted between two cycles, since the same thread calls the core.
    /// Returns, for commands without a time, the frames beyond the first frame of the next cycle,
    /// and for commands with a time, the distance from the requested frame.
    private static func postOffline(_ count: Int, period: Int) throws -> ([Double], [Double]) {
        let driver = OfflineDriver(channels: 2, periodFrames: period)
        let session = try AudioSession(host: AudioSessionHost(driver: driver))
        try session.setCategory(.playback)
        try session.setActive(true)
        let engine = try session.engine
        let queue = try engine.makeCommandQueue()
        let sound = try engine.makeSound(try AudioBuffer([[1]]), on: session.bus, map: .gains([[1], [0]]))
        try driver.render(frames: 48_000)
        func heard(_ value: Float) throws -> Double {
            let plane = try driver.render(frames: 4 * period)[0]
            guard let frame = plane.firstIndex(of: value), plane.count(where: { $0 != 0 }) == 1 else {
                throw BenchmarkError("offline, a sound was not heard exactly once")
            }
            return Double(frame)
        }
        var (beyond, errors) = ([Double](), [Double]())
        for number in 0..<count {
            let value = Float(number % 4_095 + 1) / 4_096
            try queue.trigger(sound, gain: value)
            beyond.append(try heard(value))
            let wait = Int.random(in: 0..<(4 * period))
            try queue.trigger(sound, gain: value, at: engine.currentFrame + UInt64(wait))
            errors.append(abs(try heard(value) - Double(wait)))
        }
        return (beyond, errors)
    }
}

/// The posted command: a sound that starts on the first output, or a gain change on the second.
enum Command: Int, CaseIterable {
    case start, gain

    var tap: ProbedStage.Tap { self == .start ? .app : .level }
}

/// The targets of the commands.
struct Sounds {
    var impulse: Sound
    var held: TriggeredVoice
}

extension ProbedStage {
    func makeSounds() throws -> Sounds {
        let impulse = try engine.makeSound(try AudioBuffer([[1]]), on: session.bus, map: .gains([[1], [0]]))
        let level = try engine.makeSound(
            try AudioBuffer([[Float](repeating: 1, count: 4_096)]), on: session.bus, loop: .forever,
            map: .gains([[0], [1]]))
        let sounds = Sounds(impulse: impulse, held: try commands.trigger(level, gain: 0.125))
        guard hear(0.125, at: .level) != nil else { throw BenchmarkError("a triggered sound was not received") }
        return sounds
    }

    func madeSounds() throws -> Sounds {
        guard let sounds else { throw BenchmarkError("the app is not connected to the probe") }
        return sounds
    }

    private func post(_ command: Command, _ value: Float, at time: UInt64? = nil) throws {
        switch command {
        case .start: try commands.trigger(try madeSounds().impulse, gain: value, at: time)
        case .gain: try commands.setGain(value, of: try madeSounds().held, rampFrames: 0, at: time)
        }
    }

    /// Posts commands without a time, at random phases of the period. Returns for each: its kind,
    /// the frames of the first change beyond the start of the next cycle, and the frames from the
    /// posting by the server's clock.
    func postUntimed(_ count: Int) throws -> [Double] {
        try trials(count) { number in
            let command = Command.allCases[number % 2]
            let (value, before) = (nextID(), disturbances)
            rest(periods: 2)
            let posted = now()
            try post(command, value)
            // The cycle after this one had not begun when the command was posted.
            let cycle = probe_cycle(emitter.client)
            guard let change = hear(value, at: command.tap) else { return nil }
            let beyond = frames(from: cycle, to: change.frame) - period
            let injected = injectedDelay(command, value, change)
            if wasLate(since: before, isSuspect: beyond > 0 || injected != Self.injectedDelay) { return nil }
            try check(injected)
            return [
                Double(command.rawValue), Double(beyond),
                (change.time_ns - Double(posted)) * Double(Server.sampleRate) / 1e9,
            ]
        }
    }

    /// Posts commands with a frame. Returns for each: its kind, and the frames by which it was
    /// late.
    func postTimed(_ count: Int) throws -> [Double] {
        var origin = try findOrigin()
        return try trials(count) { number in
            let command = Command.allCases[number % 2]
            let (value, disturbed) = (nextID(), disturbances)
            rest(periods: 0)
            let time = engine.currentFrame + UInt64(2 * period + .random(in: 0..<period))
            try post(command, value, at: time)
            let wasPostedInTime = engine.currentFrame < time
            let change = hear(value, at: command.tap)
            let before = origin
            origin = try findOrigin()
            let wanted = origin &+ UInt32(truncatingIfNeeded: time)
            let error = change.map { frames(from: wanted, to: $0.frame) }
            let injected = change.flatMap { injectedDelay(command, value, $0) }
            let isPlain = error == 0 && injected == Self.injectedDelay
            // If the server omitted frames meanwhile, the app's time and the server's no longer
            // correspond.
            guard !wasLate(since: disturbed, isSuspect: !isPlain), let error, before == origin, wasPostedInTime else {
                return nil
            }
            try check(injected)
            return [Double(command.rawValue), Double(error)]
        }
    }

    /// Finds the server's frame at the app's frame 0. For an impulse at the input, the app reports
    /// its own frame and the emitter the server's. The expected frame of a command is thus known
    /// without any command.
    func findOrigin() throws -> UInt32 {
        // Retries, since an app that the server did not wait for misses its input.
        for _ in 0..<10 {
            while input.capture.read() != nil {}
            let id = nextID()
            let emitted = try emit(id)
            var time: UInt64?
            _ = holds(within: 0.5) {
                while time == nil, let block = input.capture.read() {
                    time = block.samples.firstIndex(of: id).map { block.time + UInt64($0) }
                }
                return time != nil
            }
            if let time { return emitted &- UInt32(truncatingIfNeeded: time) }
        }
        throw BenchmarkError("none of ten impulses reached the app")
    }

    /// Verifies the detector: the same sound through a known delay must arrive later by exactly
    /// that.
    private func injectedDelay(_ command: Command, _ value: Float, _ change: probe_change_t) -> Int? {
        guard command == .start else { return Self.injectedDelay }
        return hear(value, at: .injected).map { frames(from: change.frame, to: $0.frame) }
    }

    private func check(_ injected: Int?) throws {
        guard injected == Self.injectedDelay else {
            throw BenchmarkError(
                "a delay of \(Self.injectedDelay) frames was measured as \(injected.map(String.init) ?? "none")")
        }
    }
}
