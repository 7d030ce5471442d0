internal import AudioRendering

extension SoundFont {
    /// Reads samples, each part of the file once.
    struct Samples {
        /// A sample as the file describes it. Frames are those of all samples of the file; of a
        /// compressed one, its own.
        struct Header {
            var name: String
            var start: Int
            var end: Int
            var loop: Range<Int>?
            var rate: Int
            var rootKey: Int
            /// In cents.
            var correction: Int
            var isCompressed: Bool
            var isInROM: Bool

            /// Reads a record; nil if there is none, or only the last one, which ends the table.
            init?(_ tables: Tables, _ record: Int) {
                let table = tables[.shdr]
                guard record >= 0, record < table.count - 1 else { return nil }
                name = table.name(record)
                (start, end) = (table.longNumber(record, at: 20), table.longNumber(record, at: 24))
                let (first, last) = (table.longNumber(record, at: 28), table.longNumber(record, at: 32))
                loop = first < last ? first..<last : nil
                rate = table.longNumber(record, at: 36)
                rootKey = Int(table.byte(record, at: 40))
                correction = Int(Int8(bitPattern: table.byte(record, at: 41)))
                let kind = table.number(record, at: 44)
                (isInROM, isCompressed) = (kind & 0x8000 != 0, kind & 0x10 != 0)
            }
        }

        struct Sound {
            /// In memory, or streamed.
            var samples: any InstrumentSound
            /// The frame of the file at which the samples begin.
            var firstFrame: Int
        }

        /// Why a sample is not played.
        struct Failure: Error { var reason: String }

        private struct Key: Hashable {
            var record: Int
            /// Frames of the file.
            var frames: Range<Int>
        }

        /// Compressed samples have at most this many times the bytes of their chunk.
        private static let maximumOverlap = 4

        private let bytes: SoundFontBytes
        private let tables: Tables
        private let memoryLimit: Int
        /// Seconds; nil: nothing is streamed.
        private let head: Double?
        /// The greatest distance from the beginning of a sample at which a zone begins. Empty if
        /// nothing is streamed.
        private var starts: [Key: Int] = [:]
        private var byteCount = 0
        /// The compressed bytes that have been read.
        private var compressedByteCount = 0
        private var sounds: [Key: Result<Sound, Failure>] = [:]

        init(_ font: SoundFont, memoryLimit: Int, head: Double?) {
            (bytes, tables, self.memoryLimit) = (font.bytes, font.tables, max(memoryLimit, 0))
            self.head = head
        }

        /// Returns which frames a zone needs that plays from `first` up to `end`: those from the
        /// earlier of `first` and the start on. nil if there are none.
        private func key(_ record: Int, _ header: Header, _ part: ZonePair.Part) -> Key? {
            let end = min(part.end, header.isCompressed ? .max : tables.samples.count / 2)
            let begin = max(min(part.first, header.isCompressed ? 0 : header.start), 0)
            guard begin < end, part.first < end else { return nil }
            return Key(record: record, frames: begin..<end)
        }

        /// Has the head of the sample reach beyond the beginning of a zone. Before it is read.
        mutating func addStart(_ record: Int, _ header: Header, _ part: ZonePair.Part) {
            guard let key = key(record, header, part) else { return }
            starts[key] = max(starts[key] ?? 0, part.first - key.frames.lowerBound)
        }

        /// Returns the sound of the part of a sample that a zone plays. Throws if it cannot be
        /// played; that it needs too much memory is a `SoundFontError`.
        mutating func sound(_ record: Int, _ header: Header, _ part: ZonePair.Part) throws -> Sound {
            guard let key = key(record, header, part) else {
                throw Failure(reason: "it is empty or outside the file's samples")
            }
            if let known = sounds[key] { return try known.get() }
            do {
                let sound = Sound(samples: try read(header, key), firstFrame: key.frames.lowerBound)
                sounds[key] = .success(sound)
                return sound
            } catch let error as SoundFontError {
                throw error
            } catch {
                let failure = Failure(reason: (error as? Failure)?.reason ?? "\(error)")
                sounds[key] = .failure(failure)
                throw failure
            }
        }

        private mutating func read(_ header: Header, _ key: Key) throws -> any InstrumentSound {
            guard !header.isInROM else { throw Failure(reason: "it is in the memory of a sound card") }
            return try header.isCompressed ? decoded(header, frames: key.frames.upperBound) : samples(header, key)
        }

        /// Counts frames before they are read, or as they are decoded; also of samples that turn
        /// out to be damaged, which could be thousands.
        private mutating func count(_ frames: Int) throws {
            guard 4 * frames <= memoryLimit - byteCount else {
                throw SoundFontError(.samplesTooLarge(limit: memoryLimit), path: bytes.path)
            }
            byteCount += 4 * frames
        }

        private func content(_ chunk: Range<Int>, _ part: Range<Int>) throws -> [UInt8] {
            let range = chunk.lowerBound + part.lowerBound..<chunk.lowerBound + part.upperBound
            guard chunk.lowerBound <= range.lowerBound, range.upperBound <= chunk.upperBound else {
                throw Failure(reason: "it is outside the file's samples")
            }
            do {
                let content = try bytes.read(range)
                guard content.count == part.count else { throw Failure(reason: "the file has become shorter") }
                return content
            } catch let failure as RegularFile.Failure {
                throw SoundFontError(.init(failure), path: bytes.path)
            }
        }

        private mutating func samples(_ header: Header, _ key: Key) throws -> any InstrumentSound {
            // Before the bytes are read, which each zone could do again.
            guard (1_000...768_000).contains(header.rate) else {
                throw Failure(reason: "its rate is \(header.rate) Hz; valid: 1,000 to 768,000 Hz")
            }
            let frames = try frames(key.frames)
            if let head {
                let headFrames = (starts[key] ?? 0) + max(1, Int(head * Double(header.rate)))
                if 2 * headFrames < frames.count { return try streamed(header, frames, headFrames: headFrames) }
            }
            try count(frames.count)
            return try AudioBuffer(
                interleaved: try read(frames, 0..<frames.count), channels: 1, sampleRate: header.rate)
        }

        private mutating func streamed(_ header: Header, _ frames: Frames, headFrames: Int) throws -> StreamedSound {
            try count(headFrames)
            // So that a file that has become shorter is noticed here.
            _ = try read(frames, frames.count - 1..<frames.count)
            let (rate, name) = (header.rate, bytes.path?.description ?? header.name)
            return try StreamedSound(name: name, headFrames: headFrames) {
                FrameReader(frames, sampleRate: rate, name: name)
            }
        }

        private func frames(_ part: Range<Int>) throws -> Frames {
            let samples = tables.samples
            guard 2 * part.upperBound <= samples.count, part.upperBound <= tables.lowBytes?.count ?? .max else {
                throw Failure(reason: "it is outside the file's samples")
            }
            let high = samples.lowerBound + 2 * part.lowerBound..<samples.lowerBound + 2 * part.upperBound
            let low = tables.lowBytes.map { $0.lowerBound + part.lowerBound..<$0.lowerBound + part.upperBound }
            return Frames(bytes: bytes, high: high, low: low)
        }

        private func read(_ frames: Frames, _ range: Range<Int>) throws -> [Float] {
            do {
                let samples = try frames.read(range)
                guard samples.count == range.count else { throw Failure(reason: "the file has become shorter") }
                return samples
            } catch let failure as RegularFile.Failure {
                throw SoundFontError(.init(failure), path: bytes.path)
            }
        }

        /// Decodes a compressed sample, whose start and end are bytes of the chunk.
        private mutating func decoded(_ header: Header, frames: Int) throws -> AudioBuffer {
            guard header.start < header.end else { throw Failure(reason: "it is empty") }
            // Thousands of samples could each claim the whole chunk.
            compressedByteCount += header.end - header.start
            guard compressedByteCount <= Self.maximumOverlap * tables.samples.count else {
                throw Failure(reason: "it overlaps many others")
            }
            let content = try content(tables.samples, header.start..<header.end)
            // Other decoders of libsndfile would search damaged bytes for frames of theirs.
            guard content.starts(with: "OggS".utf8) else { throw Failure(reason: "it is not in Ogg Vorbis") }
            let file = try AudioFile(data: content, name: header.name)
            guard file.channels == 1 else { throw Failure(reason: "it has \(file.channels) channels instead of 1") }
            var (samples, block): ([Float], [Float]) = ([], [])
            // What its header declares may be wrong.
            samples.reserveCapacity(min(Int(clamping: file.frameCount), frames, (memoryLimit - byteCount) / 4))
            while samples.count < frames {
                let decoded = file.read(into: &block, maximumFrames: min(65_536, frames - samples.count))
                guard decoded > 0 else { break }
                try count(decoded)
                samples += block.prefix(decoded)
            }
            if let defect = file.defect { throw defect }
            guard !samples.isEmpty else { throw Failure(reason: "it is empty") }
            return try AudioBuffer(interleaved: samples, channels: 1, sampleRate: file.sampleRate)
        }
    }
}
