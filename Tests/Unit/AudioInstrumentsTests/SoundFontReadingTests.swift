import AudioInstruments
import AudioRendering
import Testing

/// Presets of SoundFonts, damaged files, and errors.
@Suite struct SoundFontReadingTests {
    /// A bank of two presets and one of two drum kits.
    private static var bank: SoundFontWriter {
        var writer = SoundFontWriter()
        writer.presets = [
            .init(name: "Second", bank: 0, program: 40), .init(name: "Kit 2", bank: 128, program: 8),
            .init(name: "First", bank: 0, program: 5), .init(name: "Copy", bank: 0, program: 40),
            .init(name: "Kit", bank: 128, program: 0), .init(name: "Other", bank: 1, program: 5),
        ]
        writer.presets[0].zones[0].generators = [(.pan, 100)]
        return writer
    }

    @Test("presets are in the order of banks and programs")
    func presets() throws {
        let font = try SoundFont(data: Self.bank.bytes())
        #expect(font.name == "Bank" && font.problems.isEmpty)
        #expect(font.presets.map(\.name) == ["First", "Second", "Copy", "Other", "Kit", "Kit 2"])
        #expect(
            font.presets.map(\.bank) == [0, 0, 0, 1, 128, 128] && font.presets.map(\.program) == [5, 40, 40, 5, 0, 8])
    }

    @Test("a bank's programs without a preset play the next lower one; one preset plays for all programs")
    func programs() throws {
        let font = try SoundFont(data: Self.bank.bytes())
        let zones = try font.load(bank: 0).zones
        #expect(zones.map(\.programs) == [0...39, 40...127] && zones.map(\.pan) == [0, 0.2])
        #expect(try font.load(bank: SoundFont.drumBank).zones.map(\.programs) == [0...7, 8...127])
        #expect(try font.load([font.presets[1]]).zones.map(\.programs) == [0...127])
        let layers = try font.load([font.presets[1], font.presets[0], font.presets[2]]).zones
        #expect(layers.map(\.programs) == [0...39, 40...127, 40...127] && layers.map(\.pan) == [0, 0.2, 0])
        #expect(throws: SoundFontError.self) { try font.load(bank: 2) }
        #expect(throws: SoundFontError.self) { try font.load([]) }
        let twice = try font.load([font.presets[1], font.presets[0], font.presets[1]]).zones
        #expect(twice.map(\.programs) == [0...39, 40...127])
    }

    @Test("presets of another file are refused, even if they look the same")
    func otherFiles() throws {
        let font = try SoundFont(data: Self.bank.bytes())
        let other = try SoundFont(data: Self.bank.bytes())
        let copy = font
        #expect(try copy.load([font.presets[0]]).zones.count == 1 && copy.presets == font.presets)
        let error = #expect(throws: SoundFontError.self) { try other.load([font.presets[0]]) }
        #expect(error?.cause == .presetNotFound(name: "First"))
    }

    @Test("the polyphony is that of 64 notes with the most zones")
    func polyphony() throws {
        func polyphony(_ zones: [[(SoundFontWriter.Generator, Int)]]) throws -> Int {
            var writer = SoundFontWriter()
            writer.instruments[0].zones = zones.map { .init(generators: $0) }
            writer.presets.append(.init(name: "Other", program: 1, zones: [.init(generators: [(.velRange, 127 << 8)])]))
            return try SoundFont(data: writer.bytes()).load(bank: 0).configuration.polyphony
        }
        #expect(try polyphony([[]]) == 64)
        // Next to each other in keys or velocities, and with a common key and velocity.
        #expect(try polyphony([[(.keyRange, 60 << 8)], [(.keyRange, 61 + 127 << 8)]]) == 64)
        #expect(try polyphony([[(.velRange, 60 << 8)], [(.velRange, 61 + 127 << 8)]]) == 64)
        #expect(
            try polyphony([[(.velRange, 61 << 8)], [(.velRange, 61 + 127 << 8)], [(.keyRange, 127 + 127 << 8)]]) == 192)
        #expect(try polyphony(Array(repeating: [], count: 100)) == 4_096)
    }

    @Test("zones of one exclusive class end each other, within a preset")
    func exclusiveClasses() throws {
        var writer = Self.bank
        writer.instruments[0].zones = [7, 0, 7, 8].map { .init(generators: [(.exclusiveClass, $0)]) }
        let font = try SoundFont(data: writer.bytes())
        let groups = try font.load(bank: 128).zones.map(\.group)
        #expect(groups == [1, 0, 1, 2, 3, 0, 3, 4])
        #expect(try font.load(bank: 128).zones.map(\.chokedBy) == groups)
        let times = try font.load(bank: 128).zones.map(\.chokeTime)
        #expect(groups.indices.allSatisfy { groups[$0] == 0 || times[$0] == 0.05 })
    }

    @Test("a file from the disk, and paths that are no SoundFont")
    func paths() throws {
        let folder = try SFZTestFolder()
        try folder.write(Self.bank.bytes(), to: "bank.sf2")
        let font = try SoundFont(path: folder.path + "/bank.sf2")
        // The file that was opened is read, whatever its name means now.
        try folder.write("text", to: "other.sf2")
        #expect(try font.load(bank: 0).zones.count == 2)
        func cause(_ name: String) -> SoundFontError.Cause? {
            do { _ = try SoundFont(path: folder.path + name) } catch { return error.cause }
            return nil
        }
        #expect(cause("/none.sf2") == .notFound && cause("") == .notAFile && cause("/other.sf2") == .notASoundFont)
    }

    @Test("a file that is truncated anywhere is an error, or states a problem")
    func truncation() throws {
        let bytes = Self.bank.bytes()
        for count in 0..<bytes.count {
            do {
                let font = try SoundFont(data: Array(bytes.prefix(count)))
                #expect(!font.problems.isEmpty, "\(count) of \(bytes.count)")
            } catch {
                #expect(error.path == nil && "\(error)".hasPrefix("The data "), "\(error)")
            }
        }
    }

    /// Replaces numbers in the table of this name, from an offset on.
    private func damage(_ writer: SoundFontWriter, _ table: String, at offset: Int, _ numbers: [UInt8]) throws
        -> [UInt8]
    {
        var bytes = writer.bytes()
        let name = Array(table.utf8)
        let place = try #require(bytes.indices.last { bytes[$0...].starts(with: name) })
        bytes.replaceSubrange(place + 8 + offset..<place + 8 + offset + numbers.count, with: numbers)
        return bytes
    }

    @Test("indices out of order leave out what they refer to, and are a problem")
    func indices() throws {
        // The zones of the second preset, and of the last two, are those of no preset.
        let font = try SoundFont(data: try damage(Self.bank, "phdr", at: 38 + 24, [9, 0]))
        #expect(font.problems.count == 1 && "\(font.problems)".contains("'phdr' into 'pbag'"))
        #expect(try font.load(bank: 128).zones.count == 1)
        let bags = try SoundFont(data: try damage(SoundFontWriter(), "ibag", at: 4, [255, 255]))
        #expect(bags.problems.count == 1)
        #expect(throws: SoundFontError.self) { try bags.load(bags.presets) }
        // An instrument, a sample and a program that do not exist.
        let missing = try SoundFont(data: try damage(SoundFontWriter(), "pgen", at: 2, [1, 0]))
        #expect(throws: SoundFontError.self) { try missing.load(missing.presets) }
        let silent = try SoundFont(data: try damage(SoundFontWriter(), "igen", at: 2, [1, 0]))
        #expect(throws: SoundFontError.self) { try silent.load(silent.presets) }
        let program = try SoundFont(data: try damage(Self.bank, "phdr", at: 20, [128, 0]))
        #expect(program.problems.count == 1 && program.presets.count == 5)
        #expect(throws: SoundFontError.self) {
            try SoundFont(data: try damage(SoundFontWriter(), "phdr", at: 20, [128]))
        }
    }

    @Test("banks that MIDI cannot select are read as well")
    func banks() throws {
        var writer = Self.bank
        writer.presets[0].bank = 129
        writer.presets[1].bank = 65_535
        let font = try SoundFont(data: writer.bytes())
        #expect(font.presets.map(\.bank) == [0, 0, 1, 128, 129, 65_535] && font.problems.isEmpty)
        #expect(try font.load(bank: 65_535).zones.count == 1)
    }

    @Test("chunks of odd sizes, with and without padding", arguments: [true, false], [0, 1])
    func padding(pads: Bool, trailingBytes: Int) throws {
        var writer = Self.bank
        (writer.padsChunks, writer.trailingBytes) = (pads, trailingBytes)
        // After the name, of either parity, follows a list.
        for name in ["Bank", "Banks"] {
            writer.name = name
            for lowBytes in [0, 1_093] {
                writer.lowBytes = Array(repeating: 0, count: lowBytes)
                let font = try SoundFont(data: writer.bytes())
                #expect(font.name == name && font.presets.count == 6 && font.problems.isEmpty, "\(font.problems)")
                #expect(try font.load(bank: 0).zones.map(\.sound.frameCount) == [1_000, 1_000])
            }
        }
    }

    @Test("versions 2 and 3 of the format; none is a problem")
    func versions() throws {
        func font(_ version: Int?) throws(SoundFontError) -> SoundFont {
            var writer = SoundFontWriter()
            writer.version = version
            return try SoundFont(data: writer.bytes())
        }
        #expect(try font(2).problems.isEmpty && font(3).problems.isEmpty && font(nil).problems.count == 1)
        for version in [0, 1, 4, 65_535] {
            let error = #expect(throws: SoundFontError.self) { try font(version) }
            #expect(error?.cause == .unsupportedVersion(version))
        }
    }

    @Test("errors name what was asked for, and why nothing can be played")
    func errors() throws {
        func text(_ body: () throws -> Void) -> String {
            do { try body() } catch { return "\(error)" }
            return ""
        }
        let font = try SoundFont(data: Self.bank.bytes())
        #expect(text { _ = try font.load([]) } == "No sound of the data can be played: no presets were asked for.")
        #expect(
            text { _ = try font.load(bank: 0, memoryLimit: 100) }
                == "The samples of the data need more than 100 bytes of memory; allow more, stream them, or load fewer presets."
        )
        var writer = SoundFontWriter()
        writer.presets[0].program = 200
        #expect(
            text { _ = try SoundFont(data: writer.bytes()) }
                == "The data is damaged: the programs of all its presets are higher than 127. Get the file again.")
        writer.presets = []
        #expect(text { _ = try SoundFont(data: writer.bytes()) }.contains("has no presets"))
    }

    @Test("names: Latin-1, and characters that control a terminal")
    func names() throws {
        let font = try SoundFont(data: try damage(SoundFontWriter(), "phdr", at: 0, [0x1B, 0xE9, 0x41, 0]))
        #expect(font.presets[0].name == "\\x1béA")
    }

    @Test("a file whose zones all refer to one large instrument is read up to a number of zones")
    func manyZones() throws {
        func load(_ count: Int) throws -> SoundFontInstrument {
            var writer = SoundFontWriter()
            let low = SoundFontWriter.Zone(generators: [(.velRange, 1 + 1 << 8)])
            let high = SoundFontWriter.Zone(generators: [(.velRange, 2 + 2 << 8)])
            writer.presets[0].zones = Array(repeating: low, count: count)
            writer.instruments[0].zones = [.init()] + Array(repeating: high, count: count - 1)
            let font = try SoundFont(data: writer.bytes())
            return try font.load(font.presets)
        }
        let few = try load(1_000)
        #expect(few.zones.count == 1_000 && few.problems.isEmpty)
        // 2^20 pairs of zones are compared.
        let many = try load(8_192)
        #expect(many.zones.count == 128 && many.problems.count == 1)
    }

    @Test("at most as many zones as an instrument can have")
    func maximumZones() throws {
        var writer = SoundFontWriter()
        let scaled = SoundFontWriter.Zone(generators: [(.keynumToVolEnvHold, 1_200)])
        writer.instruments[0].zones = Array(repeating: scaled, count: 513)
        let font = try SoundFont(data: writer.bytes())
        let loaded = try font.load(font.presets)
        #expect(loaded.zones.count == SoundFont.maximumZoneCount && loaded.problems.count == 1)
    }
}
