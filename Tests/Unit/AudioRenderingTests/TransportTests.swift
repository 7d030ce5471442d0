import AudioRendering
import Dispatch
import Glibc
import TestSupport
import Testing

/// The transport of an engine and what is scheduled at its beats, on the offline driver.
@Suite struct TransportTests {
    private static let hit = MIDIMessage.noteOn(channel: 0, key: 60, velocity: 127)

    /// A mono engine with an instrument whose sound is one frame.
    private struct Scene {
        let stage: EngineFixture
        let instrument: AudioInstrument
        var transport: AudioTransport { stage.engine.transport }

        init(periodFrames: Int = 256, sound: [Float] = [1]) throws {
            stage = try EngineFixture(channels: 1, periodFrames: periodFrames)
            var zone = InstrumentZone(try AudioBuffer([sound]))
            (zone.keyTracking, zone.isOneShot) = (0, true)
            var configuration = AudioInstrument.Configuration()
            configuration.panLaw = nil
            instrument = try stage.engine.makeInstrument([zone], on: stage.bus, configuration: configuration)
        }

        /// Hits the instrument on each multiple of `step` beats.
        func sequence(step: Double = 0.25, lookahead: Double = 0.2) throws -> BeatScheduler {
            let instrument = instrument
            return try stage.engine.makeBeatScheduler(lookahead: lookahead) { beats, queue in
                for number in beats.steps(every: step) {
                    try? queue.at(Double(number) * step, in: beats.pass) {
                        try queue.send(TransportTests.hit, to: instrument)
                    }
                }
            }
        }

        /// The frames on which something is heard in the next `frames` frames, from 0 on.
        func onsets(_ frames: Int) throws -> [Int] {
            let output = try stage.driver.render(frames: frames)[0]
            return output.indices.filter { output[$0] != 0 }
        }
    }

    /// The frames of the steps from a beat on, if frame 0 is at `beat`.
    private static func frames(_ step: Double, tempo: Double, from beat: Double = 0, below limit: Int) -> [Int] {
        func frame(_ beat: Double) -> Int { Int((beat * 48_000 * 60 / tempo + 0.500001).rounded(.down)) }
        let first = Int((beat / step).rounded(.down))
        return (first..<(first + 10_000)).map { frame(Double($0) * step) - frame(beat) }
            .filter { (0..<limit).contains($0) }
    }

    @Test("Beats are heard on their exact frames from the very frame of the start on", arguments: [17, 256, 1_024])
    func start(periodFrames: Int) throws {
        let scene = try Scene(periodFrames: periodFrames)
        let scheduler = try scene.sequence()
        try scene.transport.setTempoMap(TempoMap(tempo: 127.3))
        try scene.stage.driver.render(frames: 2_048)
        let start = scene.stage.engine.currentFrame + 333
        try scene.transport.start(at: start)
        let expected = Self.frames(0.25, tempo: 127.3, below: 200_000 - 333).map { $0 + 333 }
        #expect(try scene.onsets(200_000) == expected)
        #expect(scene.stage.engine.counters.lateCommands == 0)
        let position = scene.transport.position
        #expect(position.isRolling && position.engineFrame == scene.stage.engine.currentFrame)
        #expect(position.frame == 200_000 - 333)
        #expect(abs(position.beat - Double(position.frame) / (48_000 * 60 / 127.3)) < 1e-6)
        #expect(position.bar == Int(position.beat / 4) + 1 && position.meter == .common)
        #expect(abs(position.beatInBar - 1 - position.beat + Double(position.bar - 1) * 4) < 1e-9)
        _ = scheduler
    }

    @Test("A stop discards what waits, and the next start goes on there; a locate goes on elsewhere")
    func passes() throws {
        let scene = try Scene()
        let scheduler = try scene.sequence()
        try scene.transport.start()
        let first = try scene.onsets(30_000)
        #expect(first == Self.frames(0.25, tempo: 120, below: 30_000))
        try scene.transport.stop()
        #expect(try scene.onsets(48_000) == [], "nothing is heard while it is stopped")
        let stopped = scene.transport.position
        #expect(!stopped.isRolling && stopped.frame == 30_000)
        try scene.transport.start()
        #expect(try scene.onsets(30_000) == Self.frames(0.25, tempo: 120, from: 1.25, below: 30_000))
        // While it rolls: it waits one period, until what is to be heard there is posted.
        try scene.transport.locate(toBeat: 7.1)
        #expect(
            try scene.onsets(30_256) == Self.frames(0.25, tempo: 120, from: 7.1, below: 30_000).map { $0 + 256 })
        try scene.transport.stop()
        try scene.transport.locate(toBeat: 1 / 3.0)
        try scene.stage.driver.render(frames: 256)
        #expect(scene.transport.position.pass != stopped.pass)
        try scene.transport.start()
        #expect(try scene.onsets(10_000) == Self.frames(0.25, tempo: 120, from: 1 / 3.0, below: 10_000))
        _ = scheduler
    }

    @Test("The beat at which the transport starts is heard, on whichever side of its frame it is")
    func firstBeat() throws {
        let scene = try Scene()
        let scheduler = try scene.sequence()
        try scene.transport.setTempoMap(TempoMap(tempo: 127.3))
        for number in 1...12 {
            try scene.transport.locate(toBeat: Double(number) * 0.25)
            try scene.stage.driver.render(frames: 1_024)
            try scene.transport.start()
            #expect(try scene.onsets(1_024) == [0], "step \(number)")
            try scene.transport.stop()
            try scene.stage.driver.render(frames: 256)
        }
        _ = scheduler
    }

    @Test("A scheduler receives all beats once, in ranges that join, and ends when it is released")
    func ranges() throws {
        let scene = try Scene()
        let ranges = EventLog<BeatRange>()
        var scheduler: BeatScheduler? = try scene.stage.engine.makeBeatScheduler(lookahead: 0.1) { beats, _ in
            ranges.note(beats)
        }
        try scene.transport.start()
        try scene.stage.driver.render(frames: 96_000)
        let noted = ranges.noted
        #expect(zip(noted, noted.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound && $0.pass == $1.pass })
        #expect(noted.count > 10 && abs((noted.first?.lowerBound ?? 1) - 0) < 1e-3)
        let end = try #require(noted.last?.upperBound)
        #expect(end >= 4 && end < 4.3)
        try scene.transport.locate(toBeat: 100)
        try scene.stage.driver.render(frames: 512)
        #expect(ranges.noted.count == noted.count + 1)
        #expect(abs((ranges.noted.last?.lowerBound ?? 0) - 100) < 1e-3)
        scheduler = nil
        try scene.stage.driver.render(frames: 96_000)
        #expect(ranges.noted.count == noted.count + 1 && scheduler == nil)
    }

    @Test("The tempo changes at the position, and with the map")
    func tempo() throws {
        let scene = try Scene()
        let scheduler = try scene.sequence(step: 1)
        try scene.transport.start()
        #expect(try scene.onsets(36_000) == [0, 24_000])
        try scene.transport.setTempo(60)  // at beat 1.5
        #expect(try scene.onsets(80_000) == [24_000, 72_000])
        #expect(abs(scene.transport.position.beat - 1.5 - 80_000 / 48_000) < 1e-6)
        #expect(scene.transport.position.tempo == 60)
        // After a jump, the map counts from the start: two beats of a second, then beats of 0.5 s.
        try scene.transport.setTempoMap(
            TempoMap([.init(beat: 0, tempo: 60), .init(beat: 2, tempo: 120, meter: Meter(3, 4))]))
        try scene.transport.locate(toBeat: 0)
        #expect(try scene.onsets(150_000) == [0, 48_000, 96_000, 120_000, 144_000].map { $0 + 256 })
        #expect(scene.transport.position.bar == 2 && scene.transport.position.meter == Meter(3, 4))
        _ = scheduler
    }

    @Test("A tempo map says where beats and bars are, and refuses what is out of range")
    func maps() throws {
        let map = try TempoMap([
            .init(beat: 0, tempo: 90), .init(beat: 4, tempo: 180, meter: Meter(6, 8)), .init(beat: 10, tempo: 45),
        ])
        #expect(abs(map.seconds(atBeat: 10) - (4 * 60 / 90 + 6 * 60 / 180.0)) < 1e-9)
        for beat in [0, 0.5, 3.999, 4, 7, 10, 123.456] {
            #expect(abs(map.beat(atSeconds: map.seconds(atBeat: beat)) - beat) < 1e-9)
        }
        let bar = map.bar(atBeat: 9)
        #expect(bar.number == 2 && bar.beat == 4 && bar.meter == Meter(6, 8) && bar.tempo == 180)
        #expect(map.bar(atBeat: 10).number == 3 && map.bar(atBeat: 14).number == 4)
        let bad: [[TempoMap.Change]] = [
            [], [.init(beat: 1, tempo: 120)], [.init(beat: 0, tempo: 0)], [.init(beat: 0, tempo: .nan)],
            [.init(beat: 0, tempo: 120, meter: Meter(0, 4))], [.init(beat: 0, tempo: 120, meter: Meter(4, 3))],
            [.init(beat: 0, tempo: 120), .init(beat: 0, tempo: 130)],
            (0...4_096).map { .init(beat: Double($0), tempo: 120) },
        ]
        for changes in bad { #expect(throws: AudioEngineError.self) { try TempoMap(changes) } }
    }

    @Test("Steps of a range, with rounding errors of their lengths", arguments: [0.25, 1 / 3.0, 0.1, 1.5])
    func steps(length: Double) throws {
        let scene = try Scene()
        let numbers = EventLog<Int>()
        let scheduler = try scene.stage.engine.makeBeatScheduler { beats, _ in
            for number in beats.steps(every: length) { numbers.note(number) }
        }
        try scene.transport.start()
        try scene.stage.driver.render(frames: 480_000)
        #expect(numbers.noted == Array(0..<numbers.noted.count), "each once")
        #expect(numbers.noted.count >= Int(20 / length))
        _ = scheduler
    }

    @Test("Observers are notified of changes, each with its position")
    func events() throws {
        let scene = try Scene()
        let positions = EventLog<TransportPosition>()
        let observation = scene.stage.engine.observe { event in
            if case .transportChanged(let position) = event { positions.note(position) }
        }
        try scene.stage.driver.render(frames: 1_024)
        #expect(positions.noted.isEmpty)
        try scene.transport.locate(toBeat: 4)
        try scene.stage.driver.render(frames: 1_024)
        #expect(positions.noted.map(\.beat) == [4] && positions.noted.first?.isRolling == false)
        try scene.transport.start()
        try scene.stage.driver.render(frames: 1_024)
        try scene.transport.setTempo(99)
        try scene.stage.driver.render(frames: 1_024)
        try scene.transport.locate(toBeat: 8)
        try scene.stage.driver.render(frames: 1_024)
        try scene.transport.stop()
        try scene.stage.driver.render(frames: 1_024)
        scene.stage.engine.drain()
        let noted = Array(positions.noted.dropFirst())
        #expect(noted.map(\.isRolling) == [true, true, true, false])
        #expect(noted.map(\.tempo) == [120, 99, 99, 99])
        #expect(noted.count == 4 && noted[2].beat >= 8 && noted[3].beat > noted[2].beat)
        observation.cancel()
    }

    @Test("The server's transport waits for a scheduler, and starts and jumps with all its beats", arguments: [1, 3])
    func follower(role: Int) throws {
        let scene = try Scene()
        let role: TransportRole = role == 1 ? .follower : .leader
        let scheduler = try scene.sequence()
        try scene.transport.setTempoMap(TempoMap(tempo: 133))
        try scene.transport.setRole(role)
        #expect(scene.transport.role == role && scene.transport.isLeader == (role == .leader))
        #expect(throws: AudioEngineError.self) { try scene.transport.start(at: 5_000) }
        try scene.transport.start()
        var onsets = try scene.onsets(60_000)
        let first = try #require(onsets.first)
        #expect(first < 1_024 && first % 256 == 0, "it starts with a period")
        #expect(onsets.map { $0 - first } == Self.frames(0.25, tempo: 133, below: 60_000 - first))
        #expect(scene.transport.position.hasLeader == (role == .leader) && scene.transport.position.isServers)
        try scene.transport.locate(toBeat: 16)
        onsets = try scene.onsets(60_000)
        let again = try #require(onsets.first)
        #expect(onsets.map { $0 - again } == Self.frames(0.25, tempo: 133, from: 16, below: 60_000 - again))
        try scene.transport.stop()
        #expect(try scene.onsets(10_000) == [])
        #expect(scene.stage.engine.counters.lateCommands == 0)
        try scene.transport.setRole(.own)
        try scene.transport.locate(toBeat: 0)
        try scene.transport.start()
        #expect(try scene.onsets(1_000) == [256])
        _ = scheduler
    }

    @Test("Commands at beats: sounds, ramps and chords; what ends a sound is not discarded")
    func commands() throws {
        let scene = try Scene()
        let engine = scene.stage.engine
        let queue = try engine.makeCommandQueue()
        let sound = try engine.makeSound(AudioBuffer([[Float](repeating: 0.5, count: 48_000)]), on: scene.stage.bus)
        let pass = scene.transport.position.pass
        var voice: TriggeredVoice?
        try queue.at(1, in: pass) { voice = try queue.trigger(sound) }
        let triggered = try #require(voice)
        try queue.at(1.5, in: pass) { try queue.setGain(0.5, of: triggered, rampFrames: 0) }
        try queue.at(100, in: pass) { try queue.stop(triggered) }
        try scene.transport.start()
        let output = try scene.stage.driver.render(frames: 40_000)[0]
        #expect(output.firstIndex { $0 != 0 } == 24_000)
        #expect(output[35_999] == 0.5 && output[36_001] == 0.25)
        try scene.transport.stop()
        #expect(try scene.stage.driver.render(frames: 1_024)[0].last == 0, "stopped with the transport")
        // A frame that is no beat, however late it is: the sound waits.
        let late = try queue.trigger(sound, at: .max)
        try scene.stage.driver.render(frames: 256)
        try queue.setGain(0.5, of: late, rampFrames: 0)
        try queue.stop(late)
        // Of a pass that has ended.
        try queue.at(1.7, in: pass) { try queue.trigger(sound) }
        try scene.transport.start()
        #expect(try scene.onsets(20_000) == [])
    }

    @Test("After an edit while the transport is stopped, the schedulers are asked again")
    func reschedule() throws {
        let scene = try Scene()
        let step = EventLog<Double>()
        step.note(0.25)
        let instrument = scene.instrument
        let scheduler = try scene.stage.engine.makeBeatScheduler { beats, queue in
            let length = step.noted.last ?? 1
            for number in beats.steps(every: length, offset: length / 2) {
                try? queue.at((Double(number) + 0.5) * length, in: beats.pass) {
                    try queue.send(Self.hit, to: instrument)
                }
            }
        }
        try scene.stage.driver.render(frames: 1_024)
        step.note(0.5)
        try scene.transport.reschedule()
        try scene.stage.driver.render(frames: 1_024)
        try scene.transport.start()
        #expect(try scene.onsets(24_000) == [6_000, 18_000])
        _ = scheduler
    }

    @Test("The lookahead is a time, also across a change of the tempo in the map")
    func fasterSoon() throws {
        let scene = try Scene(periodFrames: 4_096)
        let scheduler = try scene.sequence()
        try scene.transport.setTempoMap(TempoMap([.init(beat: 0, tempo: 60), .init(beat: 1, tempo: 900)]))
        try scene.stage.driver.render(frames: 4_096)
        let start = scene.stage.engine.currentFrame
        try scene.transport.start(at: start)
        let onsets = try scene.onsets(80_000)
        #expect(Array(onsets.prefix(5)) == [0, 12_000, 24_000, 36_000, 48_000])
        #expect(onsets.dropFirst(4).map { $0 - 48_000 } == Array(stride(from: 0, to: 32_000, by: 800)))
        #expect(scene.stage.engine.counters.lateCommands == 0)
        _ = scheduler
    }

    @Test("Stopping the engine calls no scheduler, which may wait for a lock that the app holds")
    func stopping() throws {
        let driver = ClockDriver(OfflineDriver())
        let engine = try AudioEngine(driver: driver)
        try engine.start()
        let calls = EventLog<Bool>()
        let caller = pthread_self()
        let scheduler = try engine.makeBeatScheduler(lookahead: 10) { _, _ in
            calls.note(pthread_equal(caller, pthread_self()) != 0)
        }
        try engine.transport.start()
        #expect(
            eventually {
                driver.cycle()
                return engine.transport.position.isRolling
            })
        engine.drain()
        // Half the lookahead is over before the engine's thread looks again.
        for _ in 1...1_000 { driver.cycle() }
        engine.stop()
        try engine.transport.reschedule()
        engine.close()
        engine.drain()
        #expect(calls.noted.allSatisfy { !$0 } && !calls.noted.isEmpty)
        withExtendedLifetime(scheduler) {}
    }

    @Test("Schedulers are made and released by several threads at once")
    func crowd() throws {
        let scene = try Scene()
        let engine = scene.stage.engine
        DispatchQueue.concurrentPerform(iterations: 6) { _ in
            for _ in 1...200 { _ = try? engine.makeBeatScheduler { _, _ in } }
        }
        engine.drain()
        // None is left, for which the transport would wait.
        try scene.transport.start()
        try scene.stage.driver.render(frames: 256)
        #expect(scene.transport.position.isRolling)
    }

    @Test("The transport waits for a scheduler that has not been asked yet")
    func lateScheduler() throws {
        let driver = ClockDriver(OfflineDriver())
        let engine = try AudioEngine(driver: driver)
        try engine.start()
        driver.cycle()
        let release = DispatchSemaphore(value: 0)
        // What the background thread did before does not count for it.
        engine.drain()
        let scheduler = try engine.makeBeatScheduler { _, _ in release.wait() }
        try engine.transport.start()
        driver.cycle()
        #expect(!engine.transport.position.isRolling && engine.transport.position.isStarting)
        for _ in 1...10 { release.signal() }
        #expect(
            eventually {
                driver.cycle()
                return engine.transport.position.isRolling
            })
        withExtendedLifetime(scheduler) {}
        engine.close()
    }

    @Test("While the server freewheels, each cycle writes the capture and asks the schedulers, whatever else waits")
    func freewheel() throws {
        let folder = try TemporaryDirectory()
        let driver = ClockDriver(OfflineDriver(channels: 1))
        let engine = try AudioEngine(driver: driver)
        try engine.open()
        let gate = try TestGate()
        let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        let beats = EventLog<Double>()
        let scheduler = try engine.makeBeatScheduler { range, _ in beats.note(range.upperBound) }
        try engine.startCapture(path: folder.file("capture.wav"))
        try engine.start()
        let (blocked, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try engine.play(.buffer(AudioBuffer([[1]])), on: bus) { _ in
            blocked.signal()
            release.wait()
        }
        driver.cycle()
        blocked.wait()  // the engine's own thread
        try engine.transport.start()
        for _ in 1...1_000 {
            driver.fill()
            driver.cycle()
        }
        #expect((beats.noted.last ?? 0) >= engine.transport.position.beat && engine.transport.position.beat > 10)
        release.signal()
        engine.stop()
        let summary = engine.stopCapture()
        #expect(summary?.lostPeriods == 0 && summary?.frames == 256_256)
        withExtendedLifetime(scheduler) {}
    }

    @Test("A pass is prepared only when a scheduler that was made meanwhile has been asked, too")
    func meanwhile() throws {
        let driver = ClockDriver(OfflineDriver())
        let engine = try AudioEngine(driver: driver)
        try engine.start()
        driver.cycle()
        let asked = DispatchSemaphore(value: 0)
        let releases = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        let one = try engine.makeBeatScheduler { _, _ in
            asked.signal()
            releases[0].wait()
        }
        asked.wait()
        let two = try engine.makeBeatScheduler { _, _ in
            asked.signal()
            releases[1].wait()
        }
        try engine.transport.start()
        releases[0].signal()
        asked.wait()  // the second one
        driver.cycle()
        driver.cycle()
        #expect(!engine.transport.position.isRolling)
        for _ in 1...10 { for release in releases { release.signal() } }
        #expect(
            eventually {
                driver.cycle()
                return engine.transport.position.isRolling
            })
        withExtendedLifetime((one, two)) {}
        engine.close()
    }

    @Test("The calls of a scheduler may use the transport and the engine")
    func reentrance() throws {
        let scene = try Scene()
        let engine = scene.stage.engine
        let calls = EventLog<Double>()
        let scheduler = try engine.makeBeatScheduler(lookahead: 0.05) { [weak engine] beats, _ in
            calls.note(beats.lowerBound)
            guard let engine, beats.lowerBound > 1 else { return }
            try? engine.transport.locate(toBeat: 0)
            try? engine.transport.setTempo(100)
            engine.stop()
        }
        try scene.transport.start()
        #expect(throws: DriverError.self) { try scene.stage.driver.render(frames: 96_000) }
        #expect(calls.noted.count > 2)
        _ = scheduler
    }

    @Test("Values out of range are refused, and change nothing")
    func refusals() throws {
        let scene = try Scene()
        #expect(throws: AudioEngineError.self) { try scene.transport.locate(toBeat: -1) }
        #expect(throws: AudioEngineError.self) { try scene.transport.locate(toBeat: .nan) }
        #expect(throws: AudioEngineError.self) { try scene.transport.setTempo(0.5) }
        for lookahead in [0, -1, 11, Double.nan] {
            #expect(throws: AudioEngineError.self) {
                try scene.stage.engine.makeBeatScheduler(lookahead: lookahead) { _, _ in }
            }
        }
        let transport = scene.transport
        try transport.setRole(.follower)
        #expect(throws: AudioEngineError.self) { try transport.locate(toBeat: 16_000_000) }
        let map = try TempoMap(tempo: 120)
        #expect(transport.position.frame == 0 && transport.tempoMap == map)
    }
}

/// A driver with a clock, whose cycles the test runs: nothing is done between them.
private final class ClockDriver: ProxyDriver<OfflineDriver>, @unchecked Sendable {
    override var hasClock: Bool { true }
    override func setPrepareHandler(_ handler: @escaping @Sendable () -> Void) {}

    private let fills = EventLog<@Sendable () -> Void>()
    override func setFillHandler(_ handler: @escaping @Sendable () -> Void) { fills.note(handler) }

    func fill() { fills.noted.last?() }
    func cycle() { _ = try? inner.render(frames: 256) }
}
