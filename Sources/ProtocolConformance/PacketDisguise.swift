/// Writes a packet of JSON in an unusual form that means the same: the members of each object in
/// reverse order, after one with an unknown key; whitespace between all tokens; the first character
/// of each string escaped.
struct PacketDisguise {
    private let bytes: [UInt8]
    private var position = 0

    /// Returns the packet in that form. The packet is valid JSON without whitespace.
    static func disguise(_ packet: [UInt8]) -> [UInt8] {
        var disguise = PacketDisguise(bytes: packet)
        return disguise.value()
    }

    private static let space = Array(" \r\n\t".utf8)
    private static let unknown = Array(#""futureKey" : [ 1 , { "x" : null } , "\u007d" , 1.5e300 ]"#.utf8)

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

    private mutating func value() -> [UInt8] {
        switch next {
        case UInt8(ascii: "{"):
            let members = list(until: UInt8(ascii: "}")) { disguise in
                let key = disguise.string()
                // The colon.
                disguise.position += 1
                return key + Self.space + [UInt8(ascii: ":")] + Self.space + disguise.value()
            }
            return joined([Self.unknown] + members.reversed(), "{", "}")
        case UInt8(ascii: "["):
            return joined(list(until: UInt8(ascii: "]")) { $0.value() }, "[", "]")
        case UInt8(ascii: "\""): return string()
        default:
            let start = position
            while position < bytes.count, !Array(",]}".utf8).contains(next) { position += 1 }
            return Array(bytes[start..<position])
        }
    }

    private mutating func list(until end: UInt8, _ element: (inout Self) -> [UInt8]) -> [[UInt8]] {
        var elements: [[UInt8]] = []
        position += 1
        while position < bytes.count, next != end {
            elements.append(element(&self))
            if next == UInt8(ascii: ",") { position += 1 }
        }
        position += 1
        return elements
    }

    private func joined(_ parts: [[UInt8]], _ start: String, _ end: String) -> [UInt8] {
        let separator = Self.space + Array(",".utf8) + Self.space
        return Array(start.utf8) + Self.space + Array(parts.joined(separator: separator)) + Self.space + Array(end.utf8)
    }

    private mutating func string() -> [UInt8] {
        let start = position
        position += 1
        while position < bytes.count, next != UInt8(ascii: "\"") {
            position += next == UInt8(ascii: "\\") ? 2 : 1
        }
        position += 1
        let text = bytes[start..<min(position, bytes.count)]
        let first = text.dropFirst().first ?? 0
        guard text.count > 2, first < 128, first != UInt8(ascii: "\\") else { return Array(text) }
        let digits = String(first, radix: 16)
        let escape = "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        return [UInt8(ascii: "\"")] + Array(escape.utf8) + Array(text.dropFirst(2))
    }
}
