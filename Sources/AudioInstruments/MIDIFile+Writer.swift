internal import AudioRendering

extension MIDIFile {
    /// Writes the chunks of a file.
    struct Writer {
        private(set) var bytes: [UInt8] = []
        /// Running status; nil where a status must be written.
        private var status: UInt8?

        /// The highest value of a variable-length quantity.
        static let highestNumber = 0x0FFF_FFFF

        mutating func write(_ file: MIDIFile) throws(MIDIFileError) {
            let count = file.tracks.count
            guard count <= 0xFFFF, count == 1 || file.format != .singleTrack else {
                throw MIDIFileError(.trackCount(count, format: file.format.rawValue))
            }
            bytes += "MThd".utf8
            append(6, byteCount: 4)
            append(file.format.rawValue, byteCount: 2)
            append(count, byteCount: 2)
            append(try word(file.division), byteCount: 2)
            for (number, track) in file.tracks.enumerated() { try write(track, number) }
        }

        private func word(_ division: Division) throws(MIDIFileError) -> Int {
            switch division {
            case .ticksPerQuarterNote(let ticks):
                guard (1...0x7FFF).contains(ticks) else { throw MIDIFileError(.invalidDivision(ticks)) }
                return ticks
            case .timeCode(let rate, let ticks):
                guard (1...0xFF).contains(ticks) else { throw MIDIFileError(.invalidDivision(ticks)) }
                return (0x100 - rate.rawValue) << 8 | ticks
            }
        }

        private mutating func write(_ track: Track, _ number: Int) throws(MIDIFileError) {
            bytes += "MTrk".utf8
            let begin = bytes.count + 4
            append(0, byteCount: 4)
            status = nil
            var tick = 0
            for index in track.events.indices.sorted(by: { track.events[$0].tick < track.events[$1].tick }) {
                let event = track.events[index]
                do throws(Invalid) {
                    try appendTime(event.tick, after: tick)
                    try append(event.kind)
                } catch { throw MIDIFileError(.invalidEvent(track: number, event: index, reason: error.reason)) }
                tick = event.tick
            }
            do throws(Invalid) { try appendTime(max(tick, track.endTick), after: tick) } catch {
                throw MIDIFileError(.invalidEvent(track: number, event: nil, reason: error.reason))
            }
            bytes += [0xFF, TrackReader.endOfTrack, 0]
            guard let length = UInt32(exactly: bytes.count - begin) else {
                throw MIDIFileError(.trackTooLong(track: number))
            }
            for place in 0..<4 { bytes[begin - 4 + place] = UInt8(truncatingIfNeeded: length >> (24 - 8 * place)) }
        }

        private mutating func appendTime(_ tick: Int, after last: Int) throws(Invalid) {
            guard tick >= 0 else { throw Invalid(reason: "is at tick \(tick); ticks begin at 0") }
            guard tick - last <= Self.highestNumber else {
                throw Invalid(
                    reason:
                        "is \(tick - last) ticks after the event before it; at most \(Self.highestNumber) are possible: insert an empty text between them"
                )
            }
            append(number: tick - last)
        }

        private mutating func append(_ kind: Event.Kind) throws(Invalid) {
            switch kind {
            case .message(let message):
                guard message.isValid else {
                    throw Invalid(reason: "is the message \(message), which has a value out of range")
                }
                try append(message)
            case .meta(let type, let data):
                guard type != TrackReader.endOfTrack else {
                    throw Invalid(reason: "is 'end of track'; set 'endTick' of the track instead")
                }
                try append(packet: [0xFF, type], data[...])
            case .escape(let data):
                // The first packet of a message has a form of its own.
                let isFirst = data.first == 0xF0 && MIDIMessage(bytes: data) == nil
                try append(packet: isFirst ? [0xF0] : [0xF7], isFirst ? data.dropFirst() : data[...])
            }
        }

        private mutating func append(_ message: MIDIMessage) throws(Invalid) {
            let content = message.bytes
            switch message {
            case .systemExclusive: try append(packet: [0xF0], content.dropFirst())
            case _ where message.channel == nil: try append(packet: [0xF7], content[...])
            default:
                bytes += content.first == status ? content.dropFirst() : content[...]
                status = content.first
            }
        }

        private mutating func append(packet beginning: [UInt8], _ data: ArraySlice<UInt8>) throws(Invalid) {
            guard data.count <= Self.highestNumber else {
                throw Invalid(reason: "has \(data.count) bytes; at most \(Self.highestNumber) are possible")
            }
            bytes += beginning
            append(number: data.count)
            bytes += data
            status = nil
        }

        private mutating func append(_ value: Int, byteCount: Int) {
            for place in (0..<byteCount).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * place))) }
        }

        /// Appends a variable-length quantity.
        private mutating func append(number: Int) {
            for place in (1..<4).reversed() where number >> (7 * place) > 0 {
                bytes.append(0x80 | UInt8(truncatingIfNeeded: number >> (7 * place) & 0x7F))
            }
            bytes.append(UInt8(truncatingIfNeeded: number & 0x7F))
        }

        /// Why an event cannot be written: a clause after its name.
        private struct Invalid: Error { let reason: String }
    }
}
