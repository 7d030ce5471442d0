/// Writes SoundFonts, by the specification's numbers.
struct SoundFontWriter {
    struct Zone {
        /// Pairs of a generator and its amount.
        var generators: [(Generator, Int)] = []
        /// Source, destination, amount, amount source, transform.
        var modulators: [[Int]] = []
        /// The instrument or sample; nil: a global zone.
        var target: Int? = 0
    }
    struct Preset {
        var name = "Preset"
        var bank = 0
        var program = 0
        var zones = [Zone()]
    }
    struct Instrument {
        var name = "Instrument"
        var zones = [Zone()]
    }
    struct Sample {
        var name = "Sample"
        var frames = [Int16](repeating: 16_384, count: 1_000)
        /// A file in another format, in place of the frames.
        var compressed: [UInt8]?
        /// The start and end that the record states, if they are not those of the frames.
        var claimed: Range<Int>?
        var rate = 48_000
        /// The first frame and the one after the last frame, in frames of the sample.
        var loop = 0..<0
        var rootKey = 60
        var correction = 0
        var kind = 1
    }
    enum Generator: Int {
        case startAddrsOffset = 0
        case endAddrsOffset = 1
        case startloopAddrsOffset = 2
        case endloopAddrsOffset = 3
        case startAddrsCoarseOffset = 4
        case modLfoToPitch = 5
        case modEnvToPitch = 7
        case initialFilterFc = 8
        case initialFilterQ = 9
        case modEnvToFilterFc = 11
        case reverbEffectsSend = 16
        case endAddrsCoarseOffset = 12
        case pan = 17
        case delayModEnv = 25
        case attackModEnv = 26
        case holdModEnv = 27
        case decayModEnv = 28
        case sustainModEnv = 29
        case releaseModEnv = 30
        case delayVolEnv = 33
        case attackVolEnv = 34
        case holdVolEnv = 35
        case decayVolEnv = 36
        case sustainVolEnv = 37
        case releaseVolEnv = 38
        case keynumToModEnvHold = 31
        case keynumToModEnvDecay = 32
        case keynumToVolEnvHold = 39
        case keynumToVolEnvDecay = 40
        case instrument = 41
        case keyRange = 43
        case velRange = 44
        case keynum = 46
        case velocity = 47
        case initialAttenuation = 48
        case startloopAddrsCoarseOffset = 45
        case endloopAddrsCoarseOffset = 50
        case coarseTune = 51
        case fineTune = 52
        case sampleID = 53
        case sampleModes = 54
        case scaleTuning = 56
        case exclusiveClass = 57
        case overridingRootKey = 58
    }

    var name = "Bank"
    var presets = [Preset()]
    var instruments = [Instrument()]
    var samples = [Sample()]
    /// The low bytes of 24-bit samples; empty: there are none.
    var lowBytes: [UInt8] = []
    /// The version of the format; nil: none.
    var version: Int? = 2
    /// The bytes at the end of the samples that no sample has.
    var trailingBytes = 0
    /// Whether chunks with an odd number of bytes have one more, which does not count.
    var padsChunks = true

    /// One preset with one zone, and its instrument with one zone.
    init(preset: [(Generator, Int)] = [], _ generators: [(Generator, Int)] = [], modulators: [[Int]] = []) {
        presets[0].zones[0].generators = preset
        instruments[0].zones[0] = Zone(generators: generators, modulators: modulators)
    }

    static func number(_ value: Int, bytes: Int) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    static func chunk(_ name: String, _ content: [UInt8], pads: Bool = true) -> [UInt8] {
        Array(name.utf8) + number(content.count, bytes: 4) + content + (pads && content.count % 2 == 1 ? [0] : [])
    }
    private func list(_ name: String, _ chunks: [[UInt8]]) -> [UInt8] {
        Self.chunk("LIST", Array(name.utf8) + chunks.flatMap(\.self), pads: padsChunks)
    }
    private static func name(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8.prefix(20))
        return bytes + [UInt8](repeating: 0, count: 20 - bytes.count)
    }

    /// The bytes of the file.
    func bytes() -> [UInt8] {
        let version = version.map { [Self.chunk("ifil", Self.number($0, bytes: 2) + [4, 0])] } ?? []
        let info =
            version + [
                Self.chunk("ICOP", [65], pads: padsChunks),
                Self.chunk("INAM", Array(name.utf8) + [0], pads: padsChunks),
            ]
        let (headers, data) = sampleChunks()
        let trailing = [UInt8](repeating: 0, count: trailingBytes)
        var chunks = [Self.chunk("smpl", data + trailing, pads: padsChunks)]
        if !lowBytes.isEmpty { chunks.append(Self.chunk("sm24", lowBytes)) }
        let presetZones = zoneChunks("p", presets.map(\.zones), .instrument)
        let instrumentZones = zoneChunks("i", instruments.map(\.zones), .sampleID)
        var (presetRecords, instrumentRecords): ([UInt8], [UInt8]) = ([], [])
        for (index, preset) in (presets + [Preset(name: "EOP")]).enumerated() {
            let numbers = [
                (preset.program, 2), (preset.bank, 2), (presetZones.first[index], 2), (0, 4), (0, 4), (0, 4),
            ]
            presetRecords += Self.name(preset.name) + numbers.flatMap(Self.number)
        }
        for (index, instrument) in (instruments + [Instrument(name: "EOI")]).enumerated() {
            instrumentRecords += Self.name(instrument.name) + Self.number(instrumentZones.first[index], bytes: 2)
        }
        let tables =
            [Self.chunk("phdr", presetRecords)] + presetZones.chunks + [Self.chunk("inst", instrumentRecords)]
            + instrumentZones.chunks + [Self.chunk("shdr", headers)]
        let content = [list("INFO", info), list("sdta", chunks), list("pdta", tables)]
        return Self.chunk("RIFF", Array("sfbk".utf8) + content.flatMap(\.self))
    }

    /// The records of the samples, and their data; 46 zeros follow each sample.
    private func sampleChunks() -> (headers: [UInt8], data: [UInt8]) {
        var (headers, data): ([UInt8], [UInt8]) = ([], [])
        for sample in samples {
            let start = sample.compressed == nil ? data.count / 2 : data.count
            let base = sample.compressed == nil ? start : 0
            data += sample.compressed ?? sample.frames.flatMap { Self.number(Int($0), bytes: 2) }
            let end = sample.compressed == nil ? data.count / 2 : data.count
            data += [UInt8](repeating: 0, count: 92 + data.count % 2)
            let numbers = [
                (sample.claimed?.lowerBound ?? start, 4), (sample.claimed?.upperBound ?? end, 4),
                (base + sample.loop.lowerBound, 4), (base + sample.loop.upperBound, 4),
                (sample.rate, 4), (sample.rootKey, 1), (sample.correction, 1), (0, 2), (sample.kind, 2),
            ]
            headers += Self.name(sample.name) + numbers.flatMap(Self.number)
        }
        return (headers + Self.name("EOS") + [UInt8](repeating: 0, count: 26), data)
    }

    /// The chunks of the zones of presets or instruments, and the index of the first zone of each.
    private func zoneChunks(
        _ prefix: String, _ owners: [[Zone]], _ target: Generator
    ) -> (first: [Int], chunks: [[UInt8]]) {
        var (bags, modulators, generators): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
        var first: [Int] = []
        func addBag() {
            bags += Self.number(generators.count / 4, bytes: 2) + Self.number(modulators.count / 10, bytes: 2)
        }
        for zones in owners {
            first.append(bags.count / 4)
            for zone in zones {
                addBag()
                let all = zone.generators + (zone.target.map { [(target, $0)] } ?? [])
                generators += all.flatMap { Self.number($0.rawValue, bytes: 2) + Self.number($1, bytes: 2) }
                modulators += zone.modulators.flatMap { $0.flatMap { Self.number($0, bytes: 2) } }
            }
        }
        first.append(bags.count / 4)
        addBag()
        let ends = (modulators: [UInt8](repeating: 0, count: 10), generators: [UInt8](repeating: 0, count: 4))
        return (
            first,
            [
                Self.chunk(prefix + "bag", bags), Self.chunk(prefix + "mod", modulators + ends.modulators),
                Self.chunk(prefix + "gen", generators + ends.generators),
            ]
        )
    }
}
