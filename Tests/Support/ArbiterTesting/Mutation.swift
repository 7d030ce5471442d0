package import TestRandom

/// Malforms packets: their bytes, the order of the bytes, and the values in them.
package struct Mutation {
    private let corpus: [[UInt8]]

    package init(_ corpus: [[UInt8]]) { self.corpus = corpus }

    private static let values: [String] = [
        "0", "-1", "1", "2", "5", "255", "65536", "2147483648", "-2147483649", "9223372036854775807",
        "9223372036854775808", "18446744073709551615", "18446744073709551616", "1e308", "-1e400", "0.5", "1e-300",
        "null",
        "true", "false", "\"\"", "\"a\"", "[]", "{}", "[[[[[[[[1]]]]]]]]", "\"\\u0000\"", "\"\\ud800\"", "NaN",
        "{\"a\":{\"a\":{}}}",
    ]

    /// Returns a message of the corpus with up to three mutations. One in four stays intact.
    package func packet(_ random: inout SeededGenerator) -> [UInt8] {
        var packet = random.pick(corpus)
        for _ in 0..<(random.oneIn(4) ? 0 : 1 + random.below(3)) where !packet.isEmpty { mutate(&packet, &random) }
        return packet
    }

    private func mutate(_ packet: inout [UInt8], _ random: inout SeededGenerator) {
        let offset = random.below(packet.count)
        switch random.below(10) {
        case 0: packet[offset] ^= 1 << UInt8(random.below(8))
        case 1: packet[offset] = UInt8(random.below(256))
        case 2: packet.removeSubrange(offset...)
        case 3: packet.removeSubrange(offset..<min(packet.count, offset + 1 + random.below(8)))
        case 4: packet.insert(contentsOf: (0..<1 + random.below(4)).map { _ in UInt8(random.below(256)) }, at: offset)
        case 5:
            let other = random.pick(corpus)
            packet.replaceSubrange(offset..., with: other[random.below(other.count)...])
        case 6: packet.insert(contentsOf: packet[offset..<min(packet.count, offset + 1 + random.below(32))], at: offset)
        default: replaceValue(in: &packet, after: offset, by: Array(random.pick(Self.values).utf8))
        }
        if packet.count > 4_096 { packet.removeSubrange(4_096...) }
    }

    /// Replaces the value after the next colon.
    private func replaceValue(in packet: inout [UInt8], after offset: Int, by value: [UInt8]) {
        let colonByte = UInt8(ascii: ":")
        guard let colon = packet[offset...].firstIndex(of: colonByte) ?? packet.firstIndex(of: colonByte)
        else { return }
        let begin = colon + 1
        var (end, depth, isInText) = (begin, 0, false)
        while end < packet.count {
            let byte = packet[end]
            if byte == UInt8(ascii: "\"") { isInText.toggle() }
            if !isInText {
                if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { depth += 1 }
                if depth == 0, byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") { break }
                if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { depth -= 1 }
            }
            end += 1
        }
        packet.replaceSubrange(begin..<end, with: value)
    }
}
