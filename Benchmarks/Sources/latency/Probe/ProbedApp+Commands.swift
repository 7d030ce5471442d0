import AudioRendering
import AudioSessions
import CLatencyProbe
import Foundation
import Processes

/// Commands, from the thread that posts them to the first frame that is another.
extension ProbedApp {
    /// What is posted: a sound that starts on the first output, or a gain that changes on the second.
    enum Command: Int, CaseIterable { case start, gain }

    /// What the commands are for.
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
        guard hear(0.125, at: .level) != nil else { throw BenchmarkError("a sound that was triggered is not heard") }
        return sounds
    }

    func post(_ command: Command, _ value: Float, _ sounds: Sounds, at time: UInt64? = nil) throws {
        switch command {
        case .start: try commands.trigger(sounds.impulse, gain: value, at: time)
        case .gain: try commands.setGain(value, of: sounds.held, rampFrames: 0, at: time)
        }
    }

    private func ear(of command: Command) -> Ear { command == .start ? .app : .level }

    /// Of each command without a time, posted at a random phase of the period: which; frames of the first change beyond the start of the next cycle; frames from
    /// the posting by the server's clock. First how many were repeated.
    func postUntimed(_ count: Int, _ sounds: Sounds) throws -> [Double] {
        var (results, repeated) = ([Double](), 0)
        forgetAll()
        while results.count < 3 * count {
            let command = Command.allCases[(results.count / 3) % 2]
            let (value, xruns) = (nextID(), latency_probe_xruns(probe))
            rest(periods: 2)
            let posted = latency_time_us()
            try post(command, value, sounds)
            // The cycle after this one has not begun when the command was there.
            let cycle = latency_probe_cycle(probe)
            let change = hear(value, at: ear(of: command))
            let beyond = change.map { frames(from: cycle, to: $0.frame) - period }
            let planted = change.flatMap { plantedDelay(command, value, $0) }
            let isPlain = beyond.map { $0 <= 0 } ?? false && planted == Self.plantedDelay
            guard !wasLate(since: xruns, isSuspect: !isPlain), let change, let beyond else {
                try repeatOnce(&repeated, of: count)
                continue
            }
            try check(planted)
            results += [
                Double(command.rawValue), Double(beyond),
                (change.time_us - Double(posted)) * 48_000 / 1e6,
            ]
        }
        try checkEars()
        return [Double(repeated)] + results
    }

    /// Of each command for a frame: which; frames by which it was heard late. First how many were repeated.
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
            let change = hear(value, at: ear(of: command))
            let before = origin
            origin = try findOrigin()
            let wanted = origin &+ UInt32(truncatingIfNeeded: time)
            let error = change.map { frames(from: wanted, to: $0.frame) }
            let planted = change.flatMap { plantedDelay(command, value, $0) }
            let isPlain = error == 0 && planted == Self.plantedDelay
            // Where the server left out frames meanwhile, the app's time and the server's are others.
            guard !wasLate(since: xruns, isSuspect: !isPlain), let error, before == origin, wasPostedInTime else {
                try repeatOnce(&repeated, of: count)
                continue
            }
            try check(planted)
            results += [Double(command.rawValue), Double(error)]
        }
        try checkEars()
        return [Double(repeated)] + results
    }

    func repeatOnce(_ repeated: inout Int, of count: Int) throws {
        repeated += 1
        guard repeated <= 20 + count else { throw BenchmarkError("of \(repeated) commands nothing was heard") }
    }

    /// The server's frame at the app's frame 0: of an impulse that comes in, the app tells its own frame, and the emitter the server's. So no command is
    /// needed to know on which frame a command should be heard.
    func findOrigin() throws -> UInt32 {
        // An app that the server did not wait for misses what came in: once more, then.
        for _ in 0..<10 {
            while input.capture.read() != nil {}
            let id = nextID()
            let emitted = try emit(id)
            if let time = awaitInput(id) { return emitted &- UInt32(truncatingIfNeeded: time) }
        }
        throw BenchmarkError("of ten impulses none came in at the app")
    }

    /// The app's frame at which a sample came in; nil: not within half a second.
    private func awaitInput(_ value: Float) -> UInt64? {
        let limit = now() + 500_000_000
        while now() < limit {
            while let block = input.capture.read() {
                if let place = block.samples.firstIndex(of: value) { return block.time + UInt64(place) }
            }
            poll(nil, 0, 1)
        }
        return nil
    }

    /// The detector: the same sound, once more behind a delay that is known, must be heard later by exactly that.
    private func plantedDelay(_ command: Command, _ value: Float, _ change: latency_change_t) -> Int? {
        guard command == .start else { return Self.plantedDelay }
        return hear(value, at: .planted).map { frames(from: change.frame, to: $0.frame) }
    }

    private func check(_ planted: Int?) throws {
        guard planted == Self.plantedDelay else {
            throw BenchmarkError(
                "a delay of \(Self.plantedDelay) frames was measured as \(planted.map(String.init) ?? "none")")
        }
    }
}
