import AudioRendering
import Foundation
import TestSupport
import Testing

/// Command ports and sounds: from any thread, exact, all or nothing.
@Suite struct CommandPortTests {
    @Test("A sound is triggered on its frame, with its gain, and gives its voice back by itself")
    func triggers() throws {
        let stage = try EngineFixture(configuration: AudioEngine.Configuration(maximumVoices: 4))
        let port = try stage.engine.makeCommandPort()
        let sound = try stage.engine.makeSound(
            AudioBuffer([[Float](repeating: 1, count: 10)]), on: stage.bus, pan: Pan(-1))
        for round in 0..<20 {
            let begin = stage.engine.currentFrame
            for note in 0..<4 {
                try port.trigger(sound, gain: 0.25, at: begin + UInt64(20 * note + 5))
            }
            #expect(throws: AudioEngineError.noFreeVoice(limit: 4)) { try port.trigger(sound) }
            let output = try stage.driver.render(frames: 100)
            for note in 0..<4 {
                let first = 20 * note + 5
                #expect(output[0][first - 1] == 0 && output[0][first] == 0.25, "round \(round)")
                #expect(output[0][first + 9] == 0.25 && output[0][first + 10] == 0)
            }
            #expect(Signal.peak(output[1]) == 0)
        }
    }

    @Test("Voices of a sound can be commanded until they end")
    func commands() throws {
        let stage = try EngineFixture()
        let port = try stage.engine.makeCommandPort()
        let sound = try stage.engine.makeSound(
            AudioBuffer([[Float](repeating: 0.5, count: 1000)]), on: stage.bus, loop: .forever,
            pan: Pan(0, law: .linear))
        let voice = try port.trigger(sound, pan: -1)
        try port.setGain(0.5, of: voice, rampFrames: 0, at: 100)
        try port.setPan(1, of: voice, rampFrames: 0, at: 200)
        try port.setSpeed(2, of: voice, rampFrames: 0, at: 300)
        try port.release(voice, at: 400)
        let output = try stage.driver.render(frames: 1000)
        #expect(output[0][99] == 0.5 && output[0][100] == 0.25 && output[0][200] == 0)
        #expect(output[1][199] == 0 && output[1][200] == 0.25)
        #expect(Signal.extent(of: output[1], above: 0.2)?.last == 649)  // 300 frames, then 700 at twice the speed
        #expect(throws: AudioEngineError.voiceEnded) { try port.stop(voice) }
        #expect(throws: AudioEngineError.self) { try port.trigger(sound, gain: .nan) }
        #expect(throws: AudioEngineError.self) { try port.trigger(sound, pan: 2) }
        #expect(throws: AudioEngineError.self) { try port.trigger(sound, speed: 100) }
    }

    @Test("A group lands on one frame or not at all")
    func groups() throws {
        let stage = try EngineFixture(configuration: AudioEngine.Configuration(maximumVoices: 3))
        let port = try stage.engine.makeCommandPort()
        let sound = try stage.engine.makeSound(AudioBuffer([[Float](repeating: 0.25, count: 50)]), on: stage.bus)
        #expect(throws: AudioEngineError.noFreeVoice(limit: 3)) {
            try port.group {
                for _ in 0..<4 { try port.trigger(sound) }
            }
        }
        #expect(Signal.peak(try stage.driver.render(frames: 100)[0]) == 0)
        try port.group {
            for _ in 0..<3 { try port.trigger(sound) }
        }
        #expect(try stage.driver.render(frames: 100)[0][0] == 0.75)
        #expect(throws: AudioEngineError.self) {
            try port.group { try port.group {} }
        }
        try port.trigger(sound)  // no group is left open
        #expect(try stage.driver.render(frames: 10)[0][0] == 0.25)
    }

    @Test("A sound's memory stays while it is heard, also when sound and bus are gone")
    func retires() throws {
        let stage = try EngineFixture()
        let port = try stage.engine.makeCommandPort()
        weak var buffer: AudioBuffer?
        weak var bus: SessionBus?
        try {
            let own = try stage.engine.makeSessionBus(gate: stage.gate.page, owner: stage.gate)
            let samples = try AudioBuffer([[Float](repeating: 0.5, count: 500)])
            try port.trigger(stage.engine.makeSound(samples, on: own))
            (buffer, bus) = (samples, own)
        }()
        #expect(try stage.driver.render(frames: 256)[0].allSatisfy { $0 == 0.5 })
        #expect(buffer != nil && bus != nil)
        let output = try stage.driver.render(frames: 600)[0]
        #expect(output[243] == 0.5 && output[244] == 0)
        #expect(buffer == nil && bus == nil)
    }

    @Test("Many threads trigger at once, each through its own port: every note is heard once")
    func threads() throws {
        let stage = try EngineFixture()
        let sound = try stage.engine.makeSound(AudioBuffer([[1.0 / 4096]]), on: stage.bus)
        let (threads, notes) = (4, 2000)
        let ports = try (0..<threads).map { _ in try stage.engine.makeCommandPort() }
        let done = Signpost<Int>()
        for port in ports {
            Thread.detachNewThread {
                var played = 0
                while played < notes {
                    // No voice, or no room on the ring: the render thread makes both.
                    if (try? port.trigger(sound)) != nil { played += 1 } else { sched_yield() }
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

    @Test("Ports are given back; more than there are is a clear error")
    func portsComeBack() throws {
        let stage = try EngineFixture(configuration: AudioEngine.Configuration(maximumPorts: 2))
        for _ in 0..<3 {
            let ports = try (0..<2).map { _ in try stage.engine.makeCommandPort() }
            #expect(throws: AudioEngineError.noFreePort(limit: 2)) { try stage.engine.makeCommandPort() }
            withExtendedLifetime(ports) {}
        }
    }

    @Test("Closing the engine ends triggered voices too")
    func closing() throws {
        let stage = try EngineFixture()
        let port = try stage.engine.makeCommandPort()
        let sound = try stage.engine.makeSound(
            AudioBuffer([[Float](repeating: 0.5, count: 500)]), on: stage.bus, loop: .forever)
        try port.trigger(sound)
        try stage.driver.render(frames: 64)
        stage.engine.close()
        try stage.engine.start()
        #expect(Signal.peak(try stage.driver.render(frames: 64)[0]) == 0)
    }
}
