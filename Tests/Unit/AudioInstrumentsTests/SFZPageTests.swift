import AudioInstruments
import AudioRendering
import TestSupport
import Testing

/// The code of Documentation/MIDI.md about SFZ files.
@Suite struct SFZPageTests {
    @Test("the code of the page makes an instrument of a file")
    func load() throws {
        let folder = try SFZTestFolder()
        try folder.writeSound("a.wav")
        try folder.write("<region> sample=a.wav key=60", to: "piano.sfz")
        let path = folder.path + "/piano.sfz"
        let engine = try AudioEngine(driver: OfflineDriver())
        let gate = try TestGate()
        let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        // [load]
        let file = try SFZFile(path: path)
        let piano = try file.load()  // reads the sounds
        for problem in piano.problems { print(problem) }
        let instrument = try engine.makeInstrument(piano.zones, on: bus, configuration: piano.configuration)
        // [end]
        #expect(piano.zones.count == 1 && instrument.voiceCount == 0)
    }
}
