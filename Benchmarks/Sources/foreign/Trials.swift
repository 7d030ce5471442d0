import CProbe
import Foundation
import PositionSignals
import Processes
import Servers

/// What was measured of a program.
struct Outcome {
    var version = ""
    /// What the program is controlled by, as `audiosession status` says.
    var control = ""
    var duckings: [Passage.Ducking] = []
    var holdings: [Passage.Holding] = []
    /// The runs that failed, with their reasons.
    var failures: [String] = []
    /// The frames that the recorder missed.
    var missed = 0

    /// Adds what a run found, or that it failed.
    mutating func add<Found>(
        _ passage: Passage, _ run: String, _ found: Found?, to list: WritableKeyPath<Outcome, [Found]>
    ) {
        missed += passage.missed
        if let found { self[keyPath: list].append(found) } else { failures.append("\(run): \(passage.shape)") }
    }
}

/// Repeated runs of one program, which plays all the time.
final class Trials {
    private let program: Program
    private let desktop: Desktop
    private var capture: Capture { desktop.capture }
    private let arbiter: ArbiterConnection
    /// The session that lowers others.
    private let prompt: UInt64

    init(_ program: Program, on desktop: Desktop) throws {
        (self.program, self.desktop) = (program, desktop)
        arbiter = try ArbiterConnection(to: desktop.service.socket)
        let (reply, descriptor) = try arbiter.ask(#""request": "register""#)
        close(descriptor)
        guard let session = reply.number(after: #""session":"#) else {
            throw BenchmarkError("The reply has no session.")
        }
        prompt = session
        let options = #""category": "playback", "mode": "voicePrompt", "options": ["duckOthers"]"#
        _ = _ = try arbiter.ask(#""action": "configure", "session": \#(prompt), \#(options)"#)
    }

    func measure(runs: Int) throws -> Outcome {
        var outcome = Outcome(version: program.version(desktop))
        let begin = capture.end
        let child = try desktop.start(program)
        defer { try? finish(child) }
        try capture.expect(
            "\(program.name) plays", 48_000, since: begin, seconds: 60,
            meanwhile: {
                try arbiter.catchUp()
                guard child.isRunning else { throw BenchmarkError("\(program.name) has ended: \(child.lastOutput)") }
            }, where: \.isSteady)
        outcome.control = try control()
        do {
            for run in 1...runs {
                let ducked = try lower(phase: run)
                outcome.add(ducked, "run \(run), prompt", ducked.ducking, to: \.duckings)
                try expectSteadySound("run \(run), after the prompt")
                let held = try hold(phase: run + 5)
                outcome.add(held, "run \(run), call", held.holding, to: \.holdings)
                try expectSteadySound("run \(run), after the call")
            }
        } catch let error as BenchmarkError {
            // The runs so far count.
            outcome.failures.append(error.description)
        }
        // A media player may have appeared on the bus after the first sound.
        outcome.control = (try? control()) ?? outcome.control
        return outcome
    }

    private func expectSteadySound(_ what: String) throws {
        do {
            try capture.expect(what, 9_600, seconds: 20, meanwhile: arbiter.catchUp, where: \.isSteady)
        } catch let error as BenchmarkError {
            throw BenchmarkError("\(error) It does not play on as before: \(evidence)")
        }
    }

    /// What the arbiter, the player and PipeWire say about the program's state.
    private var evidence: String {
        func output(_ name: String, _ arguments: String...) -> String {
            Child.output(name, arguments, environment: desktop.environment) ?? ""
        }
        let session = (desktop.audiosession("status") ?? "").split(separator: "\n").first { $0.contains("adopted") }
        let player = output("playerctl", "-a", "status").split(separator: "\n").joined(separator: " ")
        let corks = output("pactl", "list", "sink-inputs").matches(of: /Corked: \w+/).map { String($0.0) }
        let volumes = output("pw-dump").matches(of: /"softVolumes": \[[^\]]*\]/).map { match in
            String(match.0.filter { !$0.isWhitespace })
        }
        return ([session.map { String($0) } ?? "no session", "player: \(player)"] + corks + volumes)
            .joined(separator: "; ")
    }

    private func lower(phase: Int) throws -> Passage {
        try trial(phase: phase) {
            _ = try arbiter.ask(#""action": "activate", "session": \#(prompt)"#)
            try rest(24_000)
        } withdrawal: {
            _ = try arbiter.ask(#""action": "deactivate", "session": \#(prompt), "notifyOthers": true"#)
        }
    }

    private func hold(phase: Int) throws -> Passage {
        var call: UInt64 = 0
        return try trial(phase: phase) {
            let reply = try arbiter.ask(#""request": "beginSystemSession", "rank": "call", "isRinging": true"#).reply
            guard let session = reply.number(after: #""session":"#) else { throw BenchmarkError("There is no call.") }
            call = session
            // The player is asked to pause after the fade, and its streams run again then.
            try rest(72_000)
        } withdrawal: {
            _ = try arbiter.ask(#""action": "endSystemSession", "session": \#(call), "shouldResume": true"#)
        }
    }

    /// Submits a request, withdraws it, and returns what was heard.
    private func trial(phase: Int, request: () throws -> Void, withdrawal: () throws -> Void) throws -> Passage {
        // Requests, and withdrawals in another order, are spread over the quantum.
        let quantum = UInt64(desktop.quantum) * 1_000_000_000 / UInt64(PositionSignal.sampleRate)
        probe_rest(quantum * UInt64(phase % 10) / 10)
        let before = capture.frames(capture.end - 4_096..<capture.end)
        let begin = capture.now
        try request()
        probe_rest(quantum * UInt64(phase * 3 % 10) / 10)
        let end = capture.now
        try withdrawal()
        // A program that does not return to its level fails this run only.
        let level = before.compactMap(\.gain).sorted().dropFirst(before.count / 2).first ?? 0
        try? capture.expect("level", 9_600, since: end, seconds: 6, meanwhile: arbiter.catchUp) { frames in
            frames.isSteady && frames.allSatisfy { abs(($0.gain ?? 0) - level) <= level * 1e-3 }
        }
        let first = begin - 2_048
        return Passage(
            capture.frames(first..<capture.end), submitted: begin - first, withdrawn: end - first)
    }

    /// Waits for frames, and answers the arbiter's pings.
    private func rest(_ frames: Int) throws {
        let end = capture.end + frames
        while capture.end < end {
            try capture.advance(4_096)
            try arbiter.catchUp()
        }
    }

    /// Returns what controls the program, once it is adopted and known to play.
    private func control() throws -> String {
        var found: String?
        try wait(for: "\(program.name) is adopted", seconds: 20) {
            try arbiter.catchUp()
            let status = desktop.audiosession("status", "--verbose") ?? ""
            guard status.contains("running"), let match = status.firstMatch(of: /controlled by ([^.]*)\./) else {
                return false
            }
            found = String(match.1)
            return true
        }
        let words = found ?? ""
        let ways = [("level", "level"), ("holding", "hold"), ("media player", "MPRIS")]
        return ways.filter { words.contains($0.0) }.map(\.1).joined(separator: ", ")
    }

    /// Ends the program, and waits until its streams are gone.
    private func finish(_ child: Child) throws {
        child.end()
        try capture.expect(
            "silence", 9_600, since: capture.end, seconds: 20, meanwhile: arbiter.catchUp, where: \.isSilent)
        try wait(for: "the end of \(program.name)", seconds: 20) {
            try arbiter.catchUp()
            return desktop.audiosession("status")?.contains("adopted") != true
        }
    }
}

extension Passage {
    /// A summary for the message about a run that failed.
    var shape: String {
        func level(_ range: Range<Int>) -> String {
            let gains = frames[range.clamped(to: frames.indices)].compactMap(\.gain)
            guard let least = gains.min(), let greatest = gains.max() else { return "nothing" }
            return "gain \(least)…\(greatest)"
        }
        return "before: \(level(0..<submitted)); at the end of the request: \(level(withdrawn - 1_024..<withdrawn)); "
            + "at the end: \(level(frames.count - 1_024..<frames.count)); missed \(missed)"
    }
}
