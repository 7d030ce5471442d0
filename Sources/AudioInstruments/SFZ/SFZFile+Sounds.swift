internal import AudioRendering

extension SFZFile {
    /// Reads sounds: each file once, or each part of it that regions with an `end` play.
    struct Sounds {
        struct Sound {
            /// In memory, or streamed.
            var samples: any InstrumentSound
            /// The frame of the file at which the samples begin.
            var firstFrame: Int
            /// In frames of the file.
            var loop: Range<Int64>?
            var rootKey: Int?
        }

        private let memoryLimit: Int
        /// Seconds; nil: nothing is streamed.
        private let head: Double?
        /// The frames of the files at which the regions begin. Empty if nothing is streamed.
        private var offsets: [Key: Set<Int>] = [:]
        private var sounds: [Key: Sound] = [:]
        private var failures: Set<AudioFilePath> = []
        private var byteCount = 0

        /// A file, or a part of it.
        private struct Key: Hashable {
            var path: AudioFilePath
            var part: Range<Int64>?
            /// Whether the part begins with the loop that the file states, if that is earlier.
            var hasLoopOfFile = false

            init(_ region: Region) {
                path = region.path
                guard let end = region.end else { return }
                // A loop may begin before the region does.
                let first = min(region.offset, region.loopStart ?? region.offset, end)
                part = Int64(first)..<Int64(end) + 1
                hasLoopOfFile = region.mayLoop && region.loopStart == nil
            }
        }

        init(_ regions: [Region], memoryLimit: Int, head: Double?) {
            (self.memoryLimit, self.head) = (max(memoryLimit, 0), head)
            guard head != nil else { return }
            for region in regions { offsets[Key(region), default: []].insert(region.offset) }
        }

        /// Returns the region's sound; nil if one of this file could not be read before. Throws if
        /// it cannot be read; that it needs too much memory is an `SFZFileError`.
        mutating func sound(of region: Region) throws -> Sound? {
            let key = Key(region)
            if let known = sounds[key] { return known }
            guard !failures.contains(region.path) else { return nil }
            do {
                let sound = try read(key)
                sounds[key] = sound
                return sound
            } catch {
                failures.insert(region.path)
                throw error
            }
        }

        private mutating func read(_ key: Key) throws -> Sound {
            let file = try AudioFile(path: key.path)
            var (first, end): (Int64, Int64) = (0, .max)
            if let part = key.part {
                first = min(part.lowerBound, key.hasLoopOfFile ? file.loop?.lowerBound ?? .max : .max)
                first = file.seek(toFrame: min(first, max(file.frameCount - 1, 0)))
                end = part.upperBound
            }
            guard first < end else {
                throw AudioFileError.undecodable(path: key.path.description, reason: "it cannot seek")
            }
            let samples: any InstrumentSound =
                try streamed(key, file, first..<end) ?? inMemory(key, file, first..<end)
            return Sound(samples: samples, firstFrame: Int(first), loop: file.loop, rootKey: file.rootKey)
        }

        private mutating func inMemory(_ key: Key, _ file: AudioFile, _ frames: Range<Int64>) throws -> AudioBuffer {
            // One frame more than the memory has room for: what a header declares may be wrong.
            let room = Int64((memoryLimit - byteCount) / (4 * file.channels)) + 1
            let source = FilePart(
                file, firstFrame: frames.lowerBound, frames: min(frames.upperBound - frames.lowerBound, room))
            let buffer = try AudioBuffer(reading: source, name: key.path.description)
            byteCount += try memory(of: buffer.frameCount, channels: file.channels)
            return buffer
        }

        /// Returns a sound whose head reaches `head` seconds beyond the last frame at which a
        /// region begins; nil if the sound cannot be streamed, or if its head would be most of it.
        private mutating func streamed(
            _ key: Key, _ file: AudioFile, _ frames: Range<Int64>
        ) throws -> StreamedSound? {
            guard let head, file.seeksExactly, file.channels <= StreamedSound.maximumChannelCount else { return nil }
            let part = frames.clamped(to: 0..<file.frameCount)
            let starts = (offsets[key] ?? []).filter { part.contains(Int64($0)) }
            let start = starts.max().map { $0 - Int(part.lowerBound) } ?? 0
            let headFrames = start + max(1, Int(head * Double(file.sampleRate)))
            guard 2 * headFrames < part.count else { return nil }
            let bytes = try memory(of: headFrames, channels: file.channels)
            let path = key.path
            let sound = try StreamedSound(name: path.description, headFrames: headFrames) {
                try FilePart(path, frames: part)
            }
            byteCount += bytes
            return sound
        }

        /// Returns the number of bytes of frames; throws if that is more than there may be.
        private func memory(of frames: Int, channels: Int) throws(SFZFileError) -> Int {
            let bytes = 4 * channels * frames
            guard bytes <= memoryLimit - byteCount else { throw SFZFileError(.soundsTooLarge(limit: memoryLimit)) }
            return bytes
        }
    }
}
