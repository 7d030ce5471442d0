/// Assembles system-exclusive messages from the segments that the core records.
struct MIDIAssembler {
    /// The longest message that is assembled, in bytes; the core records longer ones, but they are
    /// discarded here.
    static let limit = 1 << 20

    /// The bytes of the message so far, with its status; nil: none.
    private var exclusive: [UInt8]?

    /// Adds a message or a segment of one. Returns the message that it is or completes.
    mutating func add(_ bytes: [UInt8]) -> MIDIMessage? {
        guard let first = bytes.first else { return nil }
        guard first == 0xF0 || first < 0x80 || first == 0xF7 else {
            // A real-time message may lie within another one; any other status ends that one.
            if first < 0xF8 { exclusive = nil }
            return MIDIMessage(bytes: bytes)
        }
        if first == 0xF0 { exclusive = [] }
        guard let begun = exclusive, begun.count + bytes.count <= Self.limit else {
            exclusive = nil
            return nil
        }
        exclusive?.append(contentsOf: bytes)
        guard bytes.last == 0xF7 else { return nil }
        defer { exclusive = nil }
        return exclusive.flatMap { MIDIMessage(bytes: $0) }
    }
}
