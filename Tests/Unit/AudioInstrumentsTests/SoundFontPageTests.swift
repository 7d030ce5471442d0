import AudioInstruments
import AudioRendering
import TestSupport
import Testing

/// The code of Documentation/MIDI.md about SoundFonts.
@Suite struct SoundFontPageTests {
    @Test("the code of the page makes an instrument for a MIDI file")
    func load() throws {
        let folder = try SFZTestFolder()
        var writer = SoundFontWriter()
        writer.presets.append(.init(name: "Kit", bank: 128))
        try folder.write(writer.bytes(), to: "general.sf2")
        let path = folder.path + "/general.sf2"
        let engine = try AudioEngine(driver: OfflineDriver())
        let gate = try TestGate()
        let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        let input = try engine.makeMIDIInput(name: "keys")
        // [load]
        let font = try SoundFont(path: path)
        for preset in font.presets { print(preset.bank, preset.program, preset.name) }
        let sounds = try font.load(bank: 0)  // all presets of the bank; or: load([preset])
        for problem in sounds.problems { print(problem) }
        let instrument = try engine.makeInstrument(sounds.zones, on: bus, configuration: sounds.configuration)

        // Channel 10, which is 9 if counted from 0, plays the drums.
        let drums = try font.load(bank: SoundFont.drumBank)
        let kit = try engine.makeInstrument(drums.zones, on: bus, configuration: drums.configuration)
        try input.connect(to: instrument, channels: MIDIChannels.all.subtracting(MIDIChannels(9)))
        try input.connect(to: kit, channels: MIDIChannels(9))
        // [end]
        // [font]
        let synth = try SoundFont(path: path).load(bank: 0)
        let melody = try engine.makeInstrument(synth.zones, on: bus, configuration: synth.configuration)
        // [end]
        #expect(melody.voiceCount == 0)
        #expect(sounds.zones.count == 1 && drums.zones.count == 1 && instrument.voiceCount + kit.voiceCount == 0)
    }
}
