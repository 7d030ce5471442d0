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
        let piano = try file.load()  // reads the sounds; load(head: 0.5) streams long ones
        for problem in piano.problems { print(problem) }
        let instrument = try engine.makeInstrument(
            piano.zones, on: bus, configuration: piano.configuration)
        // [end]
        #expect(piano.zones.count == 1 && instrument.voiceCount == 0)
    }

    @Test("the code of the page streams a sound and a set")
    func stream() throws {
        let folder = try SFZTestFolder()
        try folder.writeSound("long.wav", frames: 60_000)
        try folder.write("<region> sample=long.wav lokey=60 hikey=127", to: "piano.sfz")
        let (sound, set) = (folder.path + "/long.wav", folder.path + "/piano.sfz")
        let engine = try AudioEngine(driver: OfflineDriver())
        let gate = try TestGate()
        let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        // [stream]
        // One sound of which half a second is in memory.
        let drone = InstrumentZone(try StreamedSound(path: sound, head: 0.5), keys: 0...59, rootKey: 48)
        // A set: half a second of each region. SoundFont.load has the same parameter.
        let piano = try SFZFile(path: set).load(head: 0.5)
        let instrument = try engine.makeInstrument(piano.zones + [drone], on: bus, configuration: piano.configuration)
        // [end]
        #expect(piano.zones[0].streamed != nil && drone.streamed != nil && instrument.voiceCount == 0)
    }
}
