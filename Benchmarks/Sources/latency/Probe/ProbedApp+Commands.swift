import AudioRendering
import AudioSessions
import CLatencyProbe
import Foundation
import Processes

/// Measurements of commands, from the posting thread to the first changed frame.
extension ProbedApp {
    /// The posted command: a sound that starts on the first output, or a gain change on the second.
    enum Command: Int, CaseIterable { case start, gain }

    /// The targets of the commands.
    struct Sounds {
        var impulse: Sound
        var held: TriggeredVoice
    }

    func makeSounds() throws -> Sounds {
        let impulse = try engine.makeSound(try AudioBuffer([[1]]), on: session.bus, map: .gains([[1], [0]]))
        let level = try engine.makeSound(
            try AudioBuffer([[Float](repeating: 1, count: 4_096)]), on: session.bus, loop: .forever,
            map: .gains([[0], [1]]))
        let sounds = Sounds(impulse: impulse, held: try commands.trigger(level, gain: 0.125))
        guard hear(0.125, at: .level) != nil else { throw BenchmarkError("a triggered sound was not received") }
        return sounds
    }

    func post(_ command: Command, _ value: Float, _ sounds: Sounds, at time: UInt64? = nil) throws {
        switch command {
        case .start: try commands.trigger(sounds.impulse, gain: value, at: time)
        case .gain: try commands.setGain(value, of: sounds.held, rampFrames: 0, at: time)
        }
    }

    private func tap(of command: Command) -> Tap { command == .start ? .app : .level }

    /// Posts commands without a time, at random phases of the period. Returns the number of
    /// repetitions, and then for each command: its kind, the frames of the first change beyond the
    /// start of the next cycle, and the frames from the posting by the server's clock.
    func postUntimed(_ count: Int, _ sounds: Sounds) throws -> [Double] {
        var (results, repeated) = ([Double](), 0)
        forgetAll()
        while results.count < 3 * count {
            let command = Command.allCases[(results.count / 3) % 2]
            let (value, xruns) = (nextID(), latency_probe_xruns(probe))
            rest(periods: 2)
            let posted = latency_time_us()
            try post(command, value, sounds)
            // The cycle after this one had not begun when the command was posted.
            let cycle = latency_probe_cycle(probe)
            let change = hear(value, at: tap(of: command))
            let beyond = change.map { frames(from: cycle, to: $0.frame) - period }
            let injected = change.flatMap { injectedDelay(command, value, $0) }
            let isPlain = beyond.map { $0 <= 0 } ?? false && injected == Self.injectedDelay
            guard !wasLate(since: xruns, isSuspect: !isPlain), let change, let beyond else {
                try repeatOnce(&repeated, of: count)
                continue
            }
            try check(injected)
            results += [
                Double(command.rawValue), Double(beyond),
                (change.time_us - Double(posted)) * 48_000 / 1e6,
            ]
        }
        try checkTaps()
        return [Double(repeated)] + results
    }

    /// Posts commands with a frame. Returns the number of repetitions, and then for each command:
    /// its kind, and the frames by which it was late.
    func postTimed(_ count: Int, _ sounds: Sounds) throws -> [Double] {
        var (results, repeated) = ([Double](), 0)
        forgetAll()
        var origin = try findOrigin()
        while results.count < 2 * count {
            let command = Command.allCases[(results.count / 2) % 2]
            let (value, xruns) = (nextID(), latency_probe_xruns(probe))
            rest(periods: 0)
            let time = engine.currentFrame + UInt64(2 * period + .random(in: 0..<period, using: &random))
            try post(command, value, sounds, at: time)
            let wasPostedInTime = engine.currentFrame < time
            let change = hear(value, at: tap(of: command))
            let before = origin
            origin = try findOrigin()
            let wanted = origin &+ UInt32(truncatingIfNeeded: time)
            let error = change.map { frames(from: wanted, to: $0.frame) }
            let injected = change.flatMap { injectedDelay(command, value, $0) }
            let isPlain = error == 0 && injected == Self.injectedDelay
            // If the server omitted frames meanwhile, the app's time and the server's no longer
            // correspond.
            guard !wasLate(since: xruns, isSuspect: !isPlain), let error, before == origin, wasPostedInTime else {
                try repeatOnce(&repeated, of: count)
                continue
            }
            try check(injected)
            results += [Double(command.rawValue), Double(error)]
        }
        try checkTaps()
        return [Double(repeated)] + results
    }

    func repeatOnce(_ repeated: inout Int, of count: Int) throws {
        repeated += 1
        guard repeated <= 20 + count else { throw BenchmarkError("\(repeated) commands had no effect") }
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
            if let time = awaitInput(id) { return emitted &- UInt32(truncatingIfNeeded: time) }
        }
        throw BenchmarkError("none of ten impulses reached the app")
    }

    /// Returns the app's frame at which a sample arrived; nil after half a second.
    private func awaitInput(_ value: Float) -> UInt64? {
        let limit = now() + 500_000_000
        while now() < limit {
            while let block = input.capture.read() {
                if let frame = block.samples.firstIndex(of: value) { return block.time + UInt64(frame) }
            }
            poll(nil, 0, 1)
        }
        return nil
    }

    /// Verifies the detector: the same sound through a known delay must arrive later by exactly
    /// that.
    private func injectedDelay(_ command: Command, _ value: Float, _ change: latency_change_t) -> Int? {
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
