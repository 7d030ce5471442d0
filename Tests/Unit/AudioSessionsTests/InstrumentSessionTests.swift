import AudioRendering
import AudioSessions
import TestSupport
import Testing

/// Instruments and MIDI ports of a session, by the session's rules.
@Suite struct InstrumentSessionTests {
    @Test(
        "INT-1, INT-8: during a call, held notes are suspended and a MIDI output is silenced; then the very next frame")
    func call() throws {
        let device = try Device(apps: 1)
        let session = try device.session(of: 0)
        try session.setCategory(.playback)
        try session.setActive(true)
        let engine = try session.engine
        let sound = Signal.counting(frames: 96_000)
        var configuration = AudioInstrument.Configuration()
        configuration.panLaw = nil
        let instrument = try engine.makeInstrument(
            [InstrumentZone(try AudioBuffer([sound]))], on: session.bus, configuration: configuration)
        let synth = try engine.makeMIDIOutput(name: "synth", on: session.bus)
        let note = MIDIMessage.noteOn(channel: 0, key: 60, velocity: 127)
        try instrument.send(note)
        try synth.send(note)
        #expect(Signal.firstDifference(try device.render(2_400)[0].samples, sound[..<2_400]) == nil)
        #expect(device.driver.takeMIDI(from: synth).map(\.message) == [note])

        try device.system.ring()
        #expect(try device.render(2_400)[0].fallsSilent)
        #expect(
            device.driver.takeMIDI(from: synth).map(\.message) == [
                .controlChange(channel: 0, controller: 120, value: 0),
                .controlChange(channel: 0, controller: 123, value: 0),
                .controlChange(channel: 0, controller: 121, value: 0),
            ])
        try synth.send(note)
        try instrument.send(.noteOn(channel: 0, key: 72, velocity: 127))
        #expect(try device.render(2_400)[0].isSilent && instrument.voiceCount == 1)
        #expect(device.driver.takeMIDI(from: synth).isEmpty)

        try device.system.declineCall()
        device.settle()
        try session.setActive(true)
        let resumed = try device.render(4_800)[0].samples
        let next = 2_400 + Device.fade  // the fade-out was heard
        #expect(
            Signal.firstDifference(resumed[Device.fade...], sound[(next + Device.fade)..<(next + 4_800)]) == nil)
        try synth.send(note)
        _ = try device.render(240)
        #expect(device.driver.takeMIDI(from: synth).map(\.message) == [note])
    }

    @Test("DUCK-1: an instrument is ducked like every other sound of its session")
    func duck() throws {
        let device = try Device(apps: 2)
        let session = try device.session(of: 0)
        try session.setCategory(.playback, options: .mixWithOthers)
        try session.setActive(true)
        let planes = [[Float](repeating: 0.5, count: 96_000), [Float](repeating: 0, count: 96_000)]
        let instrument = try session.engine.makeInstrument(
            [InstrumentZone(try AudioBuffer(planes))], on: session.bus)
        try instrument.send(.noteOn(channel: 0, key: 60, velocity: 127))
        #expect(try device.render(2_400)[0].samples.allSatisfy { $0 == 0.5 })
        let navigation = try device.session(of: 1)
        try navigation.setCategory(.playback, mode: .voicePrompt, options: .duckOthers)
        try navigation.setActive(true)
        let ducked = try device.render(4_800)[0].samples
        #expect(abs(Signal.decibels((ducked.last ?? 0) / 0.5) + 14) < 0.1)
    }
}
