import AudioRendering
import AudioSessions
import TestSupport
import Testing

/// Runs the code shown in Documentation/MIDI.md.
@Suite struct MIDIPageTests {
    @Test("An instrument is played from a port, messages are handled and sent")
    func page() throws {
        let directory = try TemporaryDirectory()
        try SoundFile.write(
            [Signal.sine(frequency: 440, sampleRate: 48_000, frames: 48_000)], sampleRate: 48_000,
            to: directory.file("sound.wav"))
        let driver = OfflineDriver()
        let host = AudioSessionHost(driver: driver)
        let session = try AudioSession(host: host)
        let file = directory.file("sound.wav")
        let shown = EventLog<[UInt64]>()
        let show: @Sendable (UInt8, UInt64) -> Void = { shown.note([UInt64($0), $1]) }

        // [play]
        try session.setCategory(.playback, options: .mixWithOthers)
        try session.setActive(true)
        let engine = try session.engine

        var zone = InstrumentZone(try AudioBuffer(path: file), keys: 0...127, rootKey: 60)
        // Times in seconds.
        zone.envelope = InstrumentZone.Envelope(attack: 0.002, decay: 0.1, sustain: 0.8, release: 0.3)
        let instrument = try engine.makeInstrument([zone], on: session.bus)

        let keys = try engine.makeMIDIInput(name: "keys")
        try keys.connect(to: instrument)  // all channels
        // [end]
        // [handle]
        keys.setHandler { event in
            if case .controlChange(_, controller: 1, let value) = event.message {
                show(value, event.frame)  // on a thread of the engine
            }
        }
        // [end]
        let played = try driver.render(
            frames: 4_800,
            midi: [
                "keys": [
                    MIDIEvent(message: .noteOn(channel: 0, key: 60, velocity: 127), frame: 100),
                    MIDIEvent(message: .controlChange(channel: 0, controller: 1, value: 5), frame: 200),
                ]
            ])
        #expect(played[0][..<100].allSatisfy { $0 == 0 } && Signal.peak(played[0]) > 0.3)
        #expect(shown.noted == [[5, 200]])
        try instrument.silence()
        _ = try driver.render(frames: 4_800)
        // [filter]
        // A soft attack, and a low-pass filter that opens with velocity and closes again.
        var pad = InstrumentZone(try AudioBuffer(path: file), keys: 0...127, rootKey: 60)
        pad.envelope = .init(attack: 0.05, decay: 2, sustain: 0.5, release: 1, curve: .exponential)
        var filter = InstrumentZone.Filter(.lowPass24, cutoff: 600, resonance: 6)
        filter.velocityRange = 2_400  // cents: two octaves higher at full velocity
        filter.envelopeRange = 1_200
        filter.envelope = .init(attack: 0.1, decay: 1, sustain: 0.2, release: 1)
        filter.controller = .init(74, range: 4_800, rest: 64)  // brightness; per note with MPE
        pad.filter = filter
        let pads = try engine.makeInstrument([pad], on: session.bus)
        // [end]
        try pads.send(.noteOn(channel: 0, key: 60, velocity: 127))
        #expect(Signal.peak(try driver.render(frames: 9_600)[0]) > 0.1)
        try pads.silence()
        _ = try driver.render(frames: 4_800)
        // [send]
        let synth = try engine.makeMIDIOutput(name: "synth", on: session.bus)
        // Passes messages of channel 9 on, in the same cycle.
        try keys.connect(to: synth, channels: MIDIChannels(9))

        // From any thread: at the next period, or at a frame.
        try instrument.send(.noteOn(channel: 0, key: 60, velocity: 100))
        let next = engine.currentFrame + 24_000
        try synth.send(.programChange(channel: 0, program: 5), .noteOn(channel: 0, key: 48, velocity: 90), at: next)

        // A sequencer's thread has a queue of its own, and takes no lock.
        let queue = try engine.makeCommandQueue()
        try queue.transaction {
            for key: UInt8 in [60, 64, 67] {
                try queue.send(.noteOn(channel: 0, key: key, velocity: 80), to: instrument, at: next)
            }
        }
        // [end]
        _ = try driver.render(frames: 24_000)
        #expect(driver.takeMIDI(from: synth).isEmpty && instrument.voiceCount == 1)
        _ = try driver.render(frames: 1)
        #expect(driver.takeMIDI(from: synth).map(\.frame) == [next, next] && instrument.voiceCount == 4)
    }
}
