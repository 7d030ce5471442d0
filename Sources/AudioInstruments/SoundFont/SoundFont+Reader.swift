extension SoundFont {
    /// Finds the chunks of a file, and reads the tables of presets, instruments and zones.
    struct Reader {
        var problems = ProblemList()
        private let bytes: SoundFontBytes
        /// Different for each file.
        private let file = UInt64.random(in: .min ... .max)

        init(_ bytes: SoundFontBytes) { self.bytes = bytes }

        private struct Chunk {
            var name: [UInt8]
            /// Of the file.
            var content: Range<Int>
        }

        /// The most chunks of a list that are read; lists of SoundFonts have up to eleven.
        private static let maximumChunks = 256

        /// The names of chunks. Text and the padding of others do not look like these.
        private static let names = Set(
            ([
                "LIST", "ifil", "isng", "INAM", "irom", "iver", "ICRD", "IENG", "IPRD", "ICOP", "ICMT", "ISFT", "smpl",
                "sm24",
            ] + Tables.Kind.allCases.map(\.rawValue)).map { Array($0.utf8) })

        /// Returns the name of the bank and its tables.
        mutating func read() throws(SoundFontError) -> (String, Tables) {
            let header = try bytes(0..<min(12, bytes.count))
            guard header.count == 12, header.starts(with: "RIFF".utf8), header.suffix(4).elementsEqual("sfbk".utf8)
            else { throw SoundFontError(.notASoundFont) }
            let end = 8 + Int(UInt32(littleEndian: header, at: 4))
            if end > bytes.count { problems.add(.malformed("the file is truncated")) }
            var lists: [[UInt8]: [Chunk]] = [:]
            for list in try chunks(in: 12..<max(min(end, bytes.count), 12)) where list.content.count >= 4 {
                let begin = list.content.lowerBound
                let kind = try bytes(begin..<begin + 4)
                if lists[kind] == nil { lists[kind] = try chunks(in: begin + 4..<list.content.upperBound) }
            }
            func chunk(_ list: String, _ name: String) -> Range<Int>? {
                lists[Array(list.utf8)]?.first { $0.name.elementsEqual(name.utf8) }?.content
            }
            try checkVersion(chunk("INFO", "ifil"))
            var tables = try tables { chunk("pdta", $0) }
            tables.samples = chunk("sdta", "smpl") ?? 0..<0
            tables.lowBytes = chunk("sdta", "sm24")
            if let low = tables.lowBytes, low.count < tables.samples.count / 2 {
                problems.add(.malformed("the third bytes of 24-bit samples are incomplete; 16 bits are played"))
                tables.lowBytes = nil
            }
            // A name has at most 256 bytes.
            let name = chunk("INFO", "INAM")?.prefix(256) ?? 0..<0
            return (Tables.text(try bytes(name)[...]), tables)
        }

        private mutating func checkVersion(_ chunk: Range<Int>?) throws(SoundFontError) {
            guard let chunk, chunk.count >= 4 else {
                problems.add(.malformed("the version of the format is missing; it is read as version 2"))
                return
            }
            let version = UInt16(littleEndian: try bytes(chunk.prefix(2)), at: 0)
            // 3 stands for compressed samples.
            guard (2...3).contains(version) else { throw SoundFontError(.unsupportedVersion(Int(version))) }
        }

        private func bytes(_ range: Range<Int>) throws(SoundFontError) -> [UInt8] {
            do { return try bytes.read(range) } catch { throw SoundFontError(.init(error)) }
        }

        private mutating func chunks(in range: Range<Int>) throws(SoundFontError) -> [Chunk] {
            var chunks: [Chunk] = []
            var position = range.lowerBound
            while position + 8 <= range.upperBound, chunks.count < Self.maximumChunks {
                let header = try bytes(position..<position + 8)
                guard header.count == 8 else { break }
                let begin = position + 8
                let size = Int(UInt32(littleEndian: header, at: 4))
                if size > range.upperBound - begin {
                    problems.add(.malformed("chunk '\(Tables.text(header.prefix(4)))' is truncated"))
                }
                chunks.append(
                    Chunk(name: Array(header.prefix(4)), content: begin..<min(begin + size, range.upperBound)))
                position = begin + size
                // Chunks have even positions, but some programs do not pad odd chunks.
                guard size % 2 == 1 else { continue }
                let isPadded = try isChunk(at: position + 1, in: range)
                let isUnpadded = try isChunk(at: position, in: range)
                if isPadded || !isUnpadded { position += 1 }
            }
            return chunks
        }

        private func isChunk(at position: Int, in range: Range<Int>) throws(SoundFontError) -> Bool {
            guard position + 8 <= range.upperBound else { return false }
            return Self.names.contains(try bytes(position..<position + 4))
        }

        private mutating func tables(_ chunk: (String) -> Range<Int>?) throws(SoundFontError) -> Tables {
            var tables = Tables()
            for kind in Tables.Kind.allCases {
                guard let content = chunk(kind.rawValue) else {
                    throw SoundFontError(.damaged(reason: "its chunk '\(kind.rawValue)' is missing"))
                }
                if !content.count.isMultiple(of: kind.recordSize) {
                    problems.add(.malformed("chunk '\(kind.rawValue)' ends within a record"))
                }
                // Further records cannot be referred to: indices have 16 bits.
                let count = min(content.count / kind.recordSize, 65_537)
                let bytes = try bytes(content.prefix(count * kind.recordSize))
                tables[kind] = Tables.Table(bytes: bytes, recordSize: kind.recordSize)
            }
            for (referring, place, referred) in Tables.references
            where !tables.connect(referring, at: place, to: referred) {
                problems.add(
                    .malformed(
                        "indices of '\(referring.rawValue)' into '\(referred.rawValue)' are out of order; the others are used"
                    ))
            }
            return tables
        }

        /// Returns the presets, in the order of their banks and programs.
        mutating func presets(of tables: Tables) throws(SoundFontError) -> [Preset] {
            let table = tables[.phdr]
            // The last record only ends the zones of the one before it.
            var presets: [Preset] = []
            for index in 0..<max(table.count - 1, 0) {
                let (program, bank) = (table.number(index, at: 20), table.number(index, at: 22))
                let preset = Preset(name: table.name(index), bank: bank, program: program, index: index, file: file)
                guard program <= 127 else {
                    problems.add(.malformed("preset '\(preset.name)' has the program \(program); left out"))
                    continue
                }
                presets.append(preset)
            }
            guard !presets.isEmpty else {
                guard table.count > 1 else { throw SoundFontError(.noPresets) }
                throw SoundFontError(.damaged(reason: "the programs of all its presets are higher than 127"))
            }
            return presets.sorted { ($0.bank, $0.program, $0.index) < ($1.bank, $1.program, $1.index) }
        }
    }
}
