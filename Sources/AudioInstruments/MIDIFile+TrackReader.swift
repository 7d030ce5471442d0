internal import AudioRendering

extension MIDIFile {
    /// Reads the events of a track.
    struct TrackReader {
        /// How reading ended.
        enum Outcome {
            /// With "end of track".
            case end
            /// At the limit; `position` is before it if an event is incomplete.
            case noEnd
            /// At an event that is malformed.
            case unreadable
        }

        private enum Stop: Error { case incomplete, unreadable }

        private let data: [UInt8]
        /// After the last event that was read.
        private(set) var position: Int
        /// Reading ends here. `read` may be called again with a higher limit.
        var limit: Int
        /// The time of the last event, or of the end. No file is so long that this overflows.
        private(set) var tick = 0
        private(set) var events: [Event] = []
        /// The first problem of each kind.
        private(set) var problems: [(kind: Problem.Kind, offset: Int)] = []

        /// Running status; nil before the first channel message.
        private var status: UInt8?
        private var isCancelled = false

        init(_ data: [UInt8], position: Int, limit: Int) {
            self.data = data
            self.position = position
            self.limit = limit
        }

        mutating func read() -> Outcome {
            while position < limit {
                let start = position
                do throws(Stop) {
                    let time = tick + (try number())
                    guard let kind = try event(at: start) else {
                        tick = time
                        return .end
                    }
                    tick = time
                    events.append(Event(tick: time, kind))
                } catch {
                    position = start
                    return error == .incomplete ? .noEnd : .unreadable
                }
            }
            return .noEnd
        }

        /// Reads an event after its time; nil for "end of track".
        private mutating func event(at start: Int) throws(Stop) -> Event.Kind? {
            let first = try byte()
            switch first {
            case 0..<0x80:
                guard let status else { throw .unreadable }
                let message = try channelMessage(status, first)
                if isCancelled { report(.continuedRunningStatus, at: start) }
                return .message(message)
            case 0x80..<0xF0:
                let message = try channelMessage(first, try byte())
                status = first
                isCancelled = false
                return .message(message)
            case 0xF0, 0xF7:
                let packet = try bytes(try number())
                isCancelled = true
                guard first == 0xF0 else { return .escape(Array(packet)) }
                let whole = [first] + packet
                return MIDIMessage(bytes: whole).map { .message($0) } ?? .escape(whole)
            case 0xFF:
                let type = try byte()
                let content = try bytes(try number())
                isCancelled = true
                return type == Self.endOfTrack ? nil : .meta(type: type, data: Array(content))
            default:
                guard let count = MIDIMessage.dataCount(ofStatus: first) else { throw .unreadable }
                let message = [first] + (try bytes(count))
                guard message.dropFirst().allSatisfy({ $0 < 0x80 }) else { throw .unreadable }
                if first < 0xF8 { isCancelled = true }
                report(.unescapedMessage, at: start)
                return .escape(message)
            }
        }

        /// Reads the rest of a channel message.
        private mutating func channelMessage(_ status: UInt8, _ first: UInt8) throws(Stop) -> MIDIMessage {
            let second = MIDIMessage.dataCount(ofStatus: status) == 2 ? try byte() : nil
            guard let message = MIDIMessage(status: status, first, second) else { throw .unreadable }
            return message
        }

        private mutating func byte() throws(Stop) -> UInt8 {
            guard position < limit else { throw .incomplete }
            defer { position += 1 }
            return data[position]
        }

        private mutating func bytes(_ count: Int) throws(Stop) -> ArraySlice<UInt8> {
            guard count <= limit - position else { throw .incomplete }
            defer { position += count }
            return data[position..<(position + count)]
        }

        /// Reads a variable-length quantity: 7 bits per byte, of which all but the last have bit 7.
        private mutating func number() throws(Stop) -> Int {
            var value = 0
            for _ in 0..<4 {
                let next = try byte()
                value = value << 7 | Int(next & 0x7F)
                if next < 0x80 { return value }
            }
            throw .unreadable
        }

        private mutating func report(_ kind: Problem.Kind, at offset: Int) {
            if !problems.contains(where: { $0.kind == kind }) { problems.append((kind, offset)) }
        }

        /// The type of the meta event that ends a track.
        static let endOfTrack: UInt8 = 0x2F
    }
}
