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
            var buffer: AudioBuffer
            /// The frame of the file at which the buffer begins.
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
        private var byteCount = 0
        /// The compressed bytes that have been read.
        private var compressedByteCount = 0
        private var sounds: [Key: Result<Sound, Failure>] = [:]

        init(_ font: SoundFont, memoryLimit: Int) {
            (bytes, tables, self.memoryLimit) = (font.bytes, font.tables, max(memoryLimit, 0))
        }

        /// Returns the sound of a sample from the earlier of `first` and its start on, up to `end`.
        /// Throws if it cannot be played; that it needs too much memory is a `SoundFontError`.
        mutating func sound(_ record: Int, _ header: Header, first: Int, end: Int) throws -> Sound {
            let available = header.isCompressed ? .max : tables.samples.count / 2
            let end = min(end, available)
            let begin = max(min(first, header.isCompressed ? 0 : header.start), 0)
            guard begin < end, first < end else { throw Failure(reason: "it is empty or outside the file's samples") }
            let key = Key(record: record, frames: begin..<end)
            if let known = sounds[key] { return try known.get() }
            do {
                let sound = Sound(buffer: try read(header, begin..<end), firstFrame: begin)
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

        private mutating func read(_ header: Header, _ frames: Range<Int>) throws -> AudioBuffer {
            guard !header.isInROM else { throw Failure(reason: "it is in the memory of a sound card") }
            return try header.isCompressed ? decoded(header, frames: frames.upperBound) : samples(header, frames)
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

        private mutating func samples(_ header: Header, _ frames: Range<Int>) throws -> AudioBuffer {
            // Before the bytes are read, which each zone could do again.
            guard (1_000...768_000).contains(header.rate) else {
                throw Failure(reason: "its rate is \(header.rate) Hz; valid: 1,000 to 768,000 Hz")
            }
            try count(frames.count)
            let high = try content(tables.samples, 2 * frames.lowerBound..<2 * frames.upperBound)
            let low = try tables.lowBytes.map { try content($0, frames) }
            let samples = [Float](unsafeUninitializedCapacity: frames.count) { samples, count in
                for frame in 0..<frames.count {
                    let sample = Int32(Int16(bitPattern: UInt16(littleEndian: high, at: 2 * frame))) << 8
                    samples.initializeElement(at: frame, to: Float(sample | Int32(low?[frame] ?? 0)) / 8_388_608)
                }
                count = frames.count
            }
            return try AudioBuffer(interleaved: samples, channels: 1, sampleRate: header.rate)
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
