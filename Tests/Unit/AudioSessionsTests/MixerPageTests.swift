import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import TestSupport
import Testing

/// Runs the code shown in Documentation/Mixer.md.
@Suite struct MixerPageTests {
    @Test func `a mixer is described, operated, changed and removed`() throws {
        let directory = try TemporaryDirectory()
        try SoundFile.write(
            [Signal.sine(frequency: 440, sampleRate: 48_000, frames: 48_000)], sampleRate: 48_000,
            to: directory.file("vocals.wav"))
        let driver = OfflineDriver()
        let host = AudioSessionHost(driver: driver)
        let session = try AudioSession(host: host)
        try session.setCategory(.playback)
        let file = directory.file("vocals.wav")
        let samples = [Float](repeating: 0.25, count: 4_800)

        // [mixer]
        try session.bus.setGraph(
            BusGraph(
                buses: [
                    // A group and its strips.
                    .init("drums"), .init("kick", to: "drums"), .init("snare", to: "drums"),
                    .init("vocals", gain: 0.8, pan: -0.2),
                    .init("reverb", isSoloSafe: true),  // a return, audible whichever bus is soloed
                ],
                sends: [
                    .init(from: "vocals", to: "reverb", level: 0.3),
                    .init(from: "snare", to: "reverb", level: 0.1),
                ]))
        // [end]
        // [work]
        let drums = try session.bus("drums")
        drums.gain = 0.7  // within 5 ms
        drums.pan = 0.1
        try session.bus("kick").isMuted = true
        try session.bus("vocals").isSoloed = true
        try session.bus("vocals").send(to: "reverb").level = 0.5

        let engine = try session.engine
        let bar = engine.currentFrame + 48_000
        // At that frame, over two seconds at 48 kHz.
        try drums.setGain(0, rampFrames: 96_000, at: bar)
        // [end]
        // [automate]
        try session.bus("vocals").automateGain([
            AutomationPoint(frame: bar, value: 0.8), AutomationPoint(frame: bar + 24_000, value: 0.2, curve: .s),
        ])
        // [end]
        // [play]
        let vocals = try AudioPlayer(path: file, session: session, on: session.bus("vocals"))
        try vocals.play()

        let kick = try engine.makeSound(AudioBuffer([samples]), on: session.bus("kick"))
        let queue = try engine.makeCommandQueue()
        try queue.trigger(kick, at: bar)

        try engine.play(.buffer(AudioBuffer([samples])), on: session.bus("snare"), pan: Pan(0.5))
        // [end]
        host.settle()
        #expect(Signal.peak(try driver.render(frames: 4_800)[0]) > 0.1)
        try session.bus("vocals").isSoloed = false
        _ = try driver.render(frames: 960)
        #expect(try session.bus("vocals").hasPlayingVoices)

        // [change]
        var graph = try session.bus.graph
        graph.buses.append(.init("echo", to: "reverb"))
        graph.sends.append(.init(from: "vocals", to: "echo", level: 0.2))
        try session.bus.setGraph(graph)  // playback continues; rerouted buses crossfade in 5 ms
        // [end]
        // [meter]
        let meter = try AudioMeter()
        try session.bus("drums").setMeter(meter)
        // [end]
        _ = try driver.render(frames: 4_800)
        #expect(meter.channels == 2 && vocals.isPlaying)
        // [errors]
        do {
            try session.bus.setGraph(BusGraph(buses: [.init("drums"), .init("snare", to: "drumz")]))
        } catch {
            print(error)  // Bus 'snare' is routed to unknown bus 'drumz'. Buses: 'drums', 'snare'.
        }
        // [end]
        #expect(try session.bus.graph == graph)

        try session.bus.setGraph(BusGraph())
        host.settle()
        _ = try driver.render(frames: 960)
        host.settle()
        #expect(!vocals.isPlaying, "playback on a removed bus ends")
        #expect(throws: AudioEngineError.self) { try session.bus("drums") }
    }

    @Test func `a player uses only its own session's buses`() throws {
        let directory = try TemporaryDirectory()
        try SoundFile.write([[0.5, 0.5]], sampleRate: 48_000, to: directory.file("a.wav"))
        let host = AudioSessionHost(driver: OfflineDriver())
        let (session, other) = (try AudioSession(host: host), try AudioSession(host: host))
        try other.bus.setGraph(BusGraph(buses: [.init("a")]))
        let error = #expect(throws: AudioEngineError.self) {
            try AudioPlayer(path: directory.file("a.wav"), session: session, on: other.bus("a"))
        }
        #expect(
            error?.description
                == "Invalid argument: a player on a bus of another session; pass that session, or a bus of this one.")
        _ = try AudioPlayer(path: directory.file("a.wav"), session: other, on: other.bus("a"))
    }
}
