import AudioRendering
import Foundation
import TestSupport
import Testing

/// Automation from Swift: the curve passes through every point at its frame, or is refused as a
/// whole. The C tests check the curve shapes.
@Suite struct AutomationTests {
    private static let points = [
        AutomationPoint(frame: 1000, value: 0.5),
        AutomationPoint(frame: 3000, value: 0.05, curve: .exponential),
        AutomationPoint(frame: 5001, value: 0.8, curve: .s),
        AutomationPoint(frame: 6000, value: 0.2),
        AutomationPoint(frame: 6001, value: 0, curve: .s),
    ]

    /// Returns the value on each frame of a parameter that begins at `from`.
    private static func course(of points: [AutomationPoint], from: Double, frames: Int) -> [Double] {
        (0..<frames).map { frame in
            guard let next = points.firstIndex(where: { $0.frame >= frame }) else {
                return Double(points.last?.value ?? 0)
            }
            let (to, end) = (Double(points[next].value), Double(points[next].frame))
            guard next > 0 else { return points[0].frame == frame ? to : from }
            let (start, begin) = (Double(points[next - 1].value), Double(points[next - 1].frame))
            let x = (Double(frame) - begin) / (end - begin)
            return switch points[next].curve {
            case .linear: start + (to - start) * x
            case .exponential: start * pow(to / start, x)
            case .s: start + (to - start) * x * x * (3 - 2 * x)
            }
        }
    }

    private static func expect(
        _ heard: [Float], follows points: [AutomationPoint] = points, from: Double = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let wanted = course(of: points, from: from, frames: heard.count)
        let worst = zip(heard, wanted).map { abs(Double($0) - $1) }.max() ?? 0
        #expect(worst < 2e-4, sourceLocation: sourceLocation)
        for point in points where point.frame < heard.count {
            #expect(heard[Int(point.frame)] == point.value, "frame \(point.frame)", sourceLocation: sourceLocation)
        }
    }

    private static func ones(_ frames: Int = 8000) throws -> AudioBuffer {
        try AudioBuffer([[Float](repeating: 1, count: frames)])
    }

    @Test("A voice's gain passes through its automation points, each at its frame")
    func gains() throws {
        let stage = try EngineFixture()
        let voice = try stage.engine.play(.buffer(Self.ones()), on: stage.bus)
        try voice.automate(.gain, Self.points)
        let output = try stage.driver.render(frames: 7000)
        Self.expect(output[0])
        Self.expect(output[1])
    }

    @Test("A bus's gain passes through its automation points, and keeps its value before the first one")
    func buses() throws {
        let stage = try EngineFixture()
        try stage.engine.play(.buffer(Self.ones()), on: stage.bus)
        try stage.bus.setGain(0.25, rampFrames: 0)
        try stage.bus.automateGain(Self.points)
        Self.expect(try stage.driver.render(frames: 7000)[0], from: 0.25)
    }

    @Test("An input's gain passes through its automation points")
    func inputs() throws {
        let stage = try EngineFixture(inputs: 1)
        stage.gate.set(rampMilliseconds: 0, inputGranted: true)
        let input = try stage.engine.makeInput(for: stage.bus, channels: 1)
        try stage.engine.play(.input(input), on: stage.bus)
        try input.automateGain(Self.points)
        let output = try stage.driver.render(frames: 7000, inputs: [[Float](repeating: 1, count: 7000)])
        Self.expect(output[0])
    }

    @Test("A pan passes through its automation points, from side to side")
    func pans() throws {
        let stage = try EngineFixture()
        let voice = try stage.engine.play(.buffer(Self.ones()), on: stage.bus, pan: Pan(-1, law: .linear))
        try voice.automate(
            .pan,
            [
                AutomationPoint(frame: 500, value: -1), AutomationPoint(frame: 2500, value: 1, curve: .s),
                // A pan curve is linear.
                AutomationPoint(frame: 4000, value: 0, curve: .exponential),
            ])
        let right = [
            AutomationPoint(frame: 500, value: 0), AutomationPoint(frame: 2500, value: 1, curve: .s),
            AutomationPoint(frame: 4000, value: 0.5),
        ]
        Self.expect(try stage.driver.render(frames: 5000)[1], follows: right, from: 0)
    }

    @Test("A speed glides at constant cents per second, and the playhead is the sum of the speeds")
    func speeds() throws {
        let stage = try EngineFixture()
        let buffer = try AudioBuffer([Signal.counting(frames: 30_000)])
        let voice = try stage.engine.play(.buffer(buffer), on: stage.bus)
        let points = [
            AutomationPoint(frame: 1000, value: 1), AutomationPoint(frame: 5000, value: 2, curve: .exponential),
        ]
        try voice.automate(.speed, points)
        let output = try stage.driver.render(frames: 8000)[0]
        // The speed at a frame is the distance from its source position to the next one.
        let place = Self.course(of: points, from: 1, frames: 7999).reduce(0, +)
        #expect(abs(Double(output[7999]) * 1_048_576 - 1 - place) < 0.1)
    }

    @Test("Speeds and their limits are relative to the server's sample rate")
    func speedsOfOtherRates() throws {
        let stage = try EngineFixture(sampleRate: 48_000)
        let buffer = try AudioBuffer([Signal.counting(frames: 30_000)], sampleRate: 24_000)
        let voice = try stage.engine.play(.buffer(buffer), on: stage.bus)
        try voice.automate(.speed, [AutomationPoint(frame: 100, value: 2)])
        let output = try stage.driver.render(frames: 1000)[0]
        #expect(abs((output[900] - output[899]) * 1_048_576 - 1) < 1e-3)
        #expect(throws: AudioEngineError.self) {
            try voice.automate(.speed, [AutomationPoint(frame: 2000, value: 1 / 16)])
        }
    }

    @Test("Triggered voices follow automation points through a command queue, with or without a transaction")
    func triggered() throws {
        let stage = try EngineFixture()
        let queue = try stage.engine.makeCommandQueue()
        let sound = try stage.engine.makeSound(Self.ones(), on: stage.bus)
        try queue.transaction {
            let voice = try queue.trigger(sound)
            try queue.automate(.gain, of: voice, Self.points)
        }
        Self.expect(try stage.driver.render(frames: 7000)[0])
        let begin = stage.engine.currentFrame
        let voice = try queue.trigger(sound, at: begin + 1000)
        try queue.setGain(0, of: voice, rampFrames: 1000, curve: .s, at: begin + 2000)
        let output = Array(try stage.driver.render(frames: 4000)[0].dropFirst(1000))
        #expect(abs(output[1499] - 0.5) < 1e-4 && output[1999] == 0 && output[999] == 1)
    }

    @Test("Every setter takes a curve")
    func setters() throws {
        let stage = try EngineFixture()
        let voice = try stage.engine.play(.buffer(Self.ones()), on: stage.bus, pan: Pan(-1, law: .linear))
        try voice.setGain(0.01, rampFrames: 2000, curve: .exponential, at: 1000)
        let gain = try stage.driver.render(frames: 3000)[0]
        #expect(abs(gain[1999] - 0.1) < 1e-4 && gain[2999] == 0.01)
        try voice.setGain(1, rampFrames: 0)
        try voice.setPan(1, rampFrames: 1024, curve: .s)
        let pan = try stage.driver.render(frames: 1024)[1]
        #expect(abs(pan[255] - 0.15625) < 1e-4 && pan[1023] == 1)
        try voice.setSpeed(2, rampFrames: 100, curve: .s)
        try stage.driver.render(frames: 100)
        #expect(abs(Int(voice.framesRendered) - 4174) <= 1)
    }

    @Test(
        "An invalid point is named in the error, and nothing changes",
        arguments: [
            ([AutomationPoint(frame: 10, value: .nan)], "point 0 of an automation of a voice's gain: its value nan"),
            (
                [AutomationPoint(frame: 10, value: 0), AutomationPoint(frame: 20, value: .infinity)],
                "point 1 of an automation of a voice's gain: its value inf is not finite"
            ),
            (
                [AutomationPoint(frame: 10, value: 0), AutomationPoint(frame: 10, value: 0.5)],
                "point 1 of an automation of a voice's gain: its frame 10 does not come after 10"
            ),
            (
                [AutomationPoint(frame: 10, value: 0), AutomationPoint(frame: .max, value: 0.5)],
                "point 1 of an automation of a voice's gain: its frame 18446744073709551615 is more than 4294967295 frames"
            ),
        ])
    func badPoints(_ points: [AutomationPoint], _ words: String) throws {
        let stage = try EngineFixture()
        let queue = try stage.engine.makeCommandQueue()
        let sound = try stage.engine.makeSound(Self.ones(), on: stage.bus)
        let (voice, other) = (try stage.engine.play(.buffer(Self.ones()), on: stage.bus), try queue.trigger(sound))
        for automate in [{ try voice.automate(.gain, points) }, { try queue.automate(.gain, of: other, points) }] {
            let error = #expect(throws: AudioEngineError.self) { try automate() }
            #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        }
        #expect(try stage.driver.render(frames: 100)[0].allSatisfy { $0 == 2 })
    }

    @Test("The error names an out-of-range value, or the pan of a voice that has no pan law")
    func ranges() throws {
        let stage = try EngineFixture()
        let voice = try stage.engine.play(.buffer(Self.ones()), on: stage.bus)
        let bad: [(VoiceParameter, Float, String)] = [
            (.pan, 1.5, "its value 1.5 is not in -1.0…1.0"), (.speed, 20, "its value 20.0 is not in 0.0625…16.0"),
            (.pan, 0.5, "a voice's pan"),
        ]
        for (parameter, value, words) in bad {
            let error = #expect(throws: AudioEngineError.self) {
                try voice.automate(parameter, [AutomationPoint(frame: 10, value: value)])
            }
            #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        }
        try voice.automate(.gain, [])
        #expect(try stage.driver.render(frames: 100)[0].allSatisfy { $0 == 1 })
        try stage.driver.render(frames: 8000)
        #expect(throws: AudioEngineError.voiceEnded) { try voice.automate(.gain, Self.points) }
    }

    @Test(
        "More curves than the engine has slots for: none takes effect, and no slot is lost")
    func full() throws {
        let stage = try EngineFixture(configuration: AudioEngine.Configuration(maximumCurves: 3))
        let voice = try stage.engine.play(.buffer(Self.ones(100_000)), on: stage.bus)
        let many = (0..<5).map { AutomationPoint(frame: UInt64(100 * $0 + 50), value: 0.5, curve: .s) }
        for _ in 0..<3 {
            #expect(throws: AudioEngineError.commandQueueFull) { try voice.automate(.gain, many) }
        }
        #expect(try stage.driver.render(frames: 1000)[0].allSatisfy { $0 == 1 })
        try voice.automate(
            .gain, many.dropLast().map { AutomationPoint(frame: $0.frame + 1000, value: 0.5, curve: .s) })
        #expect(try stage.driver.render(frames: 1000)[0].last == 0.5)
        let long = (0..<2000).map { AutomationPoint(frame: UInt64(3000 + $0), value: 0) }
        #expect(throws: AudioEngineError.commandQueueFull) { try voice.automate(.gain, long) }
        #expect(throws: AudioEngineError.self) {
            try AudioEngine(driver: OfflineDriver(), configuration: AudioEngine.Configuration(maximumCurves: 5000))
        }
    }

    @Test("A session's pause suspends a curve")
    func paused() throws {
        let stage = try EngineFixture()
        let voice = try stage.engine.play(.buffer(Self.ones()), on: stage.bus)
        try voice.automate(
            .gain, [AutomationPoint(frame: 0, value: 1), AutomationPoint(frame: 2000, value: 0, curve: .s)])
        let before = try stage.driver.render(frames: 1024)[0]
        stage.gate.set(paused: true, rampMilliseconds: 0)
        #expect(try stage.driver.render(frames: 2048)[0].allSatisfy { $0 == 0 })
        stage.gate.set(rampMilliseconds: 0)
        let after = try stage.driver.render(frames: 2048)[0]
        Self.expect(
            before + after,
            follows: [AutomationPoint(frame: 0, value: 1), AutomationPoint(frame: 2000, value: 0, curve: .s)])
    }
}
