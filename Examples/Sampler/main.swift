// Plays an SFZ file, the lowest bank of a SoundFont, or the sounds of a folder, from a MIDI port.
//
//     Sampler FILE.sfz [HEAD]
//     Sampler FILE.sf2 [HEAD]
//     Sampler FOLDER [HEAD]
//
// Keeps the first HEAD seconds of long sounds in memory, 0.5 by default, and streams the rest from
// disk while notes play. With 0, whole sounds are in memory.
//
// Prints what the file asks for that instruments cannot do. Program changes select the presets of a
// SoundFont.
//
// If all file names in a folder end with a number, it is the key of the sound, which is played up
// to the next one at other pitches: "piano 60.wav", "piano 72.wav". Otherwise the sounds are pads,
// in alphabetical order from key 36 on.
import AudioInstruments
import AudioRendering
import AudioSessions
import Foundation

/// Returns the number at the end of a file's name, if it is a key.
func key(of path: String) -> Int? {
    let name = (path as NSString).lastPathComponent as NSString
    let digits = String(name.deletingPathExtension.reversed().prefix { $0.isASCII && $0.isNumber }.reversed())
    return Int(digits).flatMap { (0...127).contains($0) ? $0 : nil }
}

/// Returns a sound of which the first `head` seconds are in memory, or all if it cannot be
/// streamed, such as an Ogg file.
func sound(_ path: String, head: Double?) throws -> any InstrumentSound {
    if let head, let streamed = try? StreamedSound(path: path, head: head) { return streamed }
    return try AudioBuffer(path: path)
}

/// Returns zones for pitched sounds, each of which is played up to the middle of the distance to
/// the next.
func pitchedZones(_ sounds: [(key: Int, path: String)], head: Double?) throws -> [InstrumentZone] {
    let keys = Set(sounds.map(\.key)).sorted()
    return try sounds.map { key, path in
        let lower = keys.last { $0 < key }.map { ($0 + key) / 2 + 1 } ?? 0
        let upper = keys.first { $0 > key }.map { ($0 + key) / 2 } ?? 127
        var zone = InstrumentZone(try sound(path, head: head), keys: lower...upper, rootKey: key)
        zone.envelope.release = 0.2
        return zone
    }
}

/// Returns one zone for each sound, which it plays to its end, from key 36 on.
func pads(_ paths: [String], head: Double?) throws -> [InstrumentZone] {
    try zip(36...127, paths).map { key, path in
        var zone = InstrumentZone(try sound(path, head: head), keys: key...key, rootKey: key)
        zone.isOneShot = true
        return zone
    }
}

func zones(in folder: String, head: Double?) throws -> [InstrumentZone] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let paths = names.sorted().map { folder + "/" + $0 }.filter {
        ["wav", "flac", "ogg", "aiff"].contains(($0 as NSString).pathExtension.lowercased())
    }
    let pitched = paths.compactMap { path in key(of: path).map { (key: $0, path: path) } }
    return try pitched.count < paths.count ? pads(paths, head: head) : pitchedZones(pitched, head: head)
}

/// Returns the zones of an SFZ file, a SoundFont or a folder, and the configuration for them.
func load(_ path: String, head: Double?) throws -> ([InstrumentZone], AudioInstrument.Configuration) {
    switch (path as NSString).pathExtension.lowercased() {
    case "sfz":
        let loaded = try SFZFile(path: path).load(head: head)
        for problem in loaded.problems { print(problem) }
        return (loaded.zones, loaded.configuration)
    case "sf2", "sf3":
        let font = try SoundFont(path: path)
        let loaded = try font.load(bank: font.presets.first?.bank ?? 0, head: head)
        for problem in loaded.problems { print(problem) }
        return (loaded.zones, loaded.configuration)
    default:
        return (try zones(in: path, head: head), .init())
    }
}

/// Returns the total length of the sounds, and that of their parts in memory, in seconds.
func duration(of zones: [InstrumentZone]) -> (all: Double, inMemory: Double) {
    let sounds = Dictionary(zones.map { (ObjectIdentifier($0.sound), $0.sound) }) { first, _ in first }.values
    func seconds(_ frames: (any InstrumentSound) -> Int) -> Double {
        sounds.reduce(0) { $0 + Double(frames($1)) / Double($1.sampleRate ?? 48_000) }
    }
    return (seconds(\.frameCount), seconds(\.preloaded.frameCount))
}

let arguments = CommandLine.arguments.dropFirst()
guard let path = arguments.first, let head = Double(arguments.dropFirst().first ?? "0.5") else {
    print(
        """
        usage: Sampler FILE.sfz | FILE.sf2 | FOLDER [HEAD]; plays its sounds from a MIDI port
        HEAD: seconds of long sounds that are in memory, 0.5 by default; 0: whole sounds
        """)
    exit(64)
}
do {
    let (zones, configuration) = try load(path, head: head == 0 ? nil : head)
    guard !zones.isEmpty else {
        print("'\(path)' is no SFZ file, SoundFont or folder with sounds: WAV, FLAC, Ogg or AIFF files.")
        exit(66)
    }
    let session = AudioSession.shared
    try session.setCategory(.playback, options: .mixWithOthers)
    try session.setActive(true)
    let engine = try session.engine
    let instrument = try engine.makeInstrument(zones, on: session.bus, configuration: configuration)
    let keys = try engine.makeMIDIInput(name: "keys")
    try keys.connect(to: instrument)
    let (all, inMemory) = duration(of: zones)
    print("Zones: \(zones.count). Sounds: \(Int(all)) s, of which \(Int(inMemory)) s are in memory.")
    print("Connect a keyboard to the MIDI port Sampler:keys (jack_lsp, jack_connect).")
    withExtendedLifetime((keys, instrument)) { dispatchMain() }
} catch {
    print(error)
    exit(1)
}
