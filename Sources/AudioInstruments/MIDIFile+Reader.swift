extension MIDIFile {
    /// Reads the chunks of a file. No position is read twice, except that of one event per track
    /// and those of the bytes that `isChunk` compares: the cost is linear.
    struct Reader {
        private let data: [UInt8]
        private var position = 0
        /// The end of the MIDI data: of the file, or of a chunk of a RIFF file.
        private var end: Int
        private var tracks: [Track] = []
        private var problems: [Problem] = []

        init(_ data: [UInt8]) {
            self.data = data
            end = data.count
        }

        mutating func read() throws(MIDIFileError) -> MIDIFile {
            guard data.count <= MIDIFile.maximumByteCount else {
                throw MIDIFileError(.tooLarge(byteCount: data.count, limit: MIDIFile.maximumByteCount))
            }
            unwrap()
            guard isName("MThd", at: position) else { throw MIDIFileError(.notMIDI) }
            guard end - position >= 14, length(at: position + 4) >= 6 else { throw MIDIFileError(.incompleteHeader) }
            let header = position
            let (number, declared) = (word(at: header + 8), word(at: header + 10))
            guard let format = Format(rawValue: number) else { throw MIDIFileError(.unknownFormat(number)) }
            guard let division = Division(word: word(at: header + 12)) else {
                throw MIDIFileError(.invalidDivision(word(at: header + 12)))
            }
            let size = length(at: header + 4)
            if size > end - header - 8 {
                report(.truncated, at: header)
                position = nextTrack(from: header + 14)
            } else {
                position = header + 8 + size
            }
            readChunks()
            if format == .singleTrack, tracks.count > 1 {
                report(.severalTracks(tracks.count), at: header + 8)
            } else if declared != tracks.count {
                report(.trackCount(declared: declared, found: tracks.count), at: header + 10)
            }
            var file = MIDIFile(format: format, division: division, tracks: tracks)
            file.problems = problems
            return file
        }

        /// Finds the MIDI data in a RIFF file of type RMID.
        private mutating func unwrap() {
            guard isName("RIFF", at: 0), isName("RMID", at: 8) else { return }
            var chunk = 12
            while chunk + 8 <= data.count {
                // RIFF has the lowest byte first, and pads chunks to an even length.
                let size = (4..<8).reversed().reduce(0) { $0 << 8 | Int(data[chunk + $1]) }
                if isName("data", at: chunk) {
                    position = chunk + 8
                    end = min(position + size, data.count)
                    return
                }
                chunk += 8 + size + size % 2
            }
        }

        private mutating func readChunks() {
            while position < end {
                if isName("MTrk", at: position), end - position >= 8 {
                    readTrack()
                } else if isChunk(at: position) {
                    position += 8 + length(at: position + 4)
                } else {
                    report(.noChunk, at: position)
                    position = end - position < 8 ? end : nextTrack(from: position)
                }
            }
        }

        private mutating func readTrack() {
            let begin = position + 8
            let declaredEnd = begin + length(at: position + 4)
            var limit = min(declaredEnd, end)
            var reader = TrackReader(data, position: begin, limit: limit)
            var outcome = reader.read()
            // Programs that end early leave a length of 0, and others count wrongly.
            let isCut = outcome == .noEnd && (reader.position < limit || begin == limit)
            if isCut, limit < end, !isChunk(at: limit) {
                limit = end
                reader.limit = end
                outcome = reader.read()
            }
            let track = tracks.count
            problems += reader.problems.map { Problem(kind: $0.kind, track: track, offset: $0.offset) }
            tracks.append(Track(events: reader.events, endTick: reader.tick))
            finish(reader, outcome, limit: limit, declaredEnd: declaredEnd)
        }

        /// Reports how a track ended, and sets the position of the next chunk.
        private mutating func finish(
            _ reader: TrackReader, _ outcome: TrackReader.Outcome, limit: Int, declaredEnd: Int
        ) {
            let track = tracks.count - 1
            let isDeclared = limit == declaredEnd
            position = isDeclared ? limit : reader.position
            switch outcome {
            case .end:
                if !isDeclared || (reader.position < limit && isName("MTrk", at: reader.position)) {
                    report(.wrongTrackLength, at: reader.position, track: track)
                    position = reader.position
                } else if reader.position < limit {
                    report(.bytesAfterEndOfTrack, at: reader.position, track: track)
                }
            case .noEnd:
                let isComplete = reader.position == limit
                report(isDeclared && isComplete ? .noEndOfTrack : .truncated, at: reader.position, track: track)
                position = limit
            case .unreadable:
                report(.unreadableEvent, at: reader.position, track: track)
                if !isDeclared { position = nextTrack(from: reader.position) }
            }
        }

        private mutating func report(_ kind: Problem.Kind, at offset: Int, track: Int? = nil) {
            problems.append(Problem(kind: kind, track: track, offset: offset))
        }

        /// Returns the position of the next track from `start` on, or the end.
        private func nextTrack(from start: Int) -> Int {
            var place = start
            while place + 8 <= end {
                if isName("MTrk", at: place) { return place }
                place += 1
            }
            return end
        }

        /// Returns whether a chunk that the file holds completely begins at `place`, or a track.
        private func isChunk(at place: Int) -> Bool {
            guard end - place >= 8, data[place..<(place + 4)].allSatisfy({ (0x20..<0x7F).contains($0) }) else {
                return false
            }
            return isName("MTrk", at: place) || length(at: place + 4) <= end - place - 8
        }

        private func isName(_ name: StaticString, at place: Int) -> Bool {
            guard end - place >= 4 else { return false }
            return (0..<4).allSatisfy { data[place + $0] == name.utf8Start[$0] }
        }

        private func word(at place: Int) -> Int { Int(data[place]) << 8 | Int(data[place + 1]) }

        private func length(at place: Int) -> Int { word(at: place) << 16 | word(at: place + 2) }
    }
}

extension MIDIFile.Division {
    /// The value of the header; nil if no length of a tick has it.
    init?(word: Int) {
        if word < 0x8000 {
            guard word > 0 else { return nil }
            self = .ticksPerQuarterNote(word)
        } else {
            guard let rate = MIDIFile.FrameRate(rawValue: 0x100 - word >> 8), word & 0xFF > 0 else { return nil }
            self = .timeCode(framesPerSecond: rate, ticksPerFrame: word & 0xFF)
        }
    }
}
