import AudioRendering
import Foundation
import TestSupport
import Testing

/// Command queues and sounds: usable from any thread, exact to the frame, all or nothing.
@Suite struct CommandQueueTests {
    @Test("A sound is triggered at its frame, with its gain, and releases its voice automatically")
    func triggers() throws {
        let stage = try EngineFixture(configuration: AudioEngine.Configuration(maximumVoices: 4))
        let queue = try stage.engine.makeCommandQueue()
        let sound = try stage.engine.makeSound(
            AudioBuffer([[Float](repeating: 1, count: 10)]), on: stage.bus, pan: Pan(-1))
        for round in 0..<20 {
            let begin = stage.engine.currentFrame
            for note in 0..<4 {
                try queue.trigger(sound, gain: 0.25, at: begin + UInt64(20 * note + 5))
            }
            #expect(throws: AudioEngineError.noFreeVoice(limit: 4)) { try queue.trigger(sound) }
            let output = try stage.driver.render(frames: 100)
            for note in 0..<4 {
                let first = 20 * note + 5
                #expect(output[0][first - 1] == 0 && output[0][first] == 0.25, "round \(round)")
                #expect(output[0][first + 9] == 0.25 && output[0][first + 10] == 0)
            }
            #expect(Signal.peak(output[1]) == 0)
        }
    }

    @Test("Voices of a sound accept commands until they end")
    func commands() throws {
        let stage = try EngineFixture()
        let queue = try stage.engine.makeCommandQueue()
        let sound = try stage.engine.makeSound(
            AudioBuffer([[Float](repeating: 0.5, count: 1000)]), on: stage.bus, loop: .forever,
            pan: Pan(0, law: .linear))
        let voice = try queue.trigger(sound, pan: -1)
        try queue.setGain(0.5, of: voice, rampFrames: 0, at: 100)
        try queue.setPan(1, of: voice, rampFrames: 0, at: 200)
        try queue.setSpeed(2, of: voice, rampFrames: 0, at: 300)
        try queue.release(voice, at: 400)
        let output = try stage.driver.render(frames: 1000)
        #expect(output[0][99] == 0.5 && output[0][100] == 0.25 && output[0][200] == 0)
        #expect(output[1][199] == 0 && output[1][200] == 0.25)
        // 300 frames, then 700 at twice the speed
        #expect(Signal.extent(of: output[1], above: 0.2)?.last == 649)
        #expect(throws: AudioEngineError.voiceEnded) { try queue.stop(voice) }
        #expect(throws: AudioEngineError.self) { try queue.trigger(sound, gain: .nan) }
        #expect(throws: AudioEngineError.self) { try queue.trigger(sound, pan: 2) }
        #expect(throws: AudioEngineError.self) { try queue.trigger(sound, speed: 100) }
    }

    @Test("A transaction takes effect at one frame or not at all")
    func transactions() throws {
        let stage = try EngineFixture(configuration: AudioEngine.Configuration(maximumVoices: 3))
        let queue = try stage.engine.makeCommandQueue()
        let sound = try stage.engine.makeSound(AudioBuffer([[Float](repeating: 0.25, count: 50)]), on: stage.bus)
        #expect(throws: AudioEngineError.noFreeVoice(limit: 3)) {
            try queue.transaction {
                for _ in 0..<4 { try queue.trigger(sound) }
            }
        }
        #expect(Signal.peak(try stage.driver.render(frames: 100)[0]) == 0)
        try queue.transaction {
            for _ in 0..<3 { try queue.trigger(sound) }
        }
        #expect(try stage.driver.render(frames: 100)[0][0] == 0.75)
        #expect(throws: AudioEngineError.self) {
            try queue.transaction { try queue.transaction {} }
        }
        try queue.trigger(sound)  // no transaction remains open
        #expect(try stage.driver.render(frames: 10)[0][0] == 0.25)
    }

    @Test("A sound's memory stays alive while it is audible, even if sound and bus are released")
    func retires() throws {
        let stage = try EngineFixture()
        let queue = try stage.engine.makeCommandQueue()
        weak var buffer: AudioBuffer?
        weak var bus: SessionBus?
        try {
            let own = try stage.engine.makeSessionBus(gate: stage.gate.page, owner: stage.gate)
            let samples = try AudioBuffer([[Float](repeating: 0.5, count: 500)])
            try queue.trigger(stage.engine.makeSound(samples, on: own))
            (buffer, bus) = (samples, own)
        }()
        #expect(try stage.driver.render(frames: 256)[0].allSatisfy { $0 == 0.5 })
        #expect(buffer != nil && bus != nil)
        let output = try stage.driver.render(frames: 600)[0]
        #expect(output[243] == 0.5 && output[244] == 0)
        #expect(buffer == nil && bus == nil)
    }

    @Test("Many threads trigger concurrently, each through its own queue: every note is heard once")
    func threads() throws {
        let stage = try EngineFixture()
        let sound = try stage.engine.makeSound(AudioBuffer([[1.0 / 4096]]), on: stage.bus)
        let (threads, notes) = (4, 2000)
        let queues = try (0..<threads).map { _ in try stage.engine.makeCommandQueue() }
        let done = EventLog<Int>()
        for queue in queues {
            Thread.detachNewThread {
                var played = 0
                while played < notes {
                    // No free voice, or no room in the ring: the render thread makes room for both.
                    if (try? queue.trigger(sound)) != nil { played += 1 } else { sched_yield() }
                }
                done.note(played)
            }
        }
        var sum: Float = 0
        var isLast = false
        while !isLast {
            isLast = done.noted.count == threads
            sum += try stage.driver.render(frames: 8)[0].reduce(0, +)
        }
        #expect(sum == Float(threads * notes) / 4096)
    }

    @Test("Queues are released; requesting more than the limit is a clear error")
    func queuesComeBack() throws {
        let stage = try EngineFixture(configuration: AudioEngine.Configuration(maximumQueues: 2))
        for _ in 0..<3 {
            let queues = try (0..<2).map { _ in try stage.engine.makeCommandQueue() }
            #expect(throws: AudioEngineError.noFreeQueue(limit: 2)) { try stage.engine.makeCommandQueue() }
            withExtendedLifetime(queues) {}
        }
    }

    @Test("Closing the engine also ends triggered voices")
    func closing() throws {
        let stage = try EngineFixture()
        let queue = try stage.engine.makeCommandQueue()
        let sound = try stage.engine.makeSound(
            AudioBuffer([[Float](repeating: 0.5, count: 500)]), on: stage.bus, loop: .forever)
        try queue.trigger(sound)
        try stage.driver.render(frames: 64)
        stage.engine.close()
        try stage.engine.start()
        #expect(Signal.peak(try stage.driver.render(frames: 64)[0]) == 0)
    }
}
