internal import AudioRendering

/// Ports of the client's own that belong together: channels of the core that lead to one port of a device.
struct PortBlock: Sendable {
    var direction: HardwarePort.Direction
    /// The first channel.
    var first: Int
    var count: Int
    /// The ports are `prefix`_1, _2….
    var prefix: String
    /// The block that the driver opened with; it stays for the driver's life.
    var isMain = false
    /// Of the device's port; nil for a main block as long as there is no device.
    var uid: String?
    /// The ports of the server that the block was led to last, in channel order.
    var far: [String] = []

    var names: [String] { (1...count).map { "\(prefix)_\($0)" } }
    var channels: Range<Int> { first..<first + count }

    /// The connections that lead it to `ports`, first to first.
    func links(to ports: [String]) -> [PortLink] {
        zip(names, ports).map { PortLink(direction: direction, own: $0, far: $1) }
    }

    /// A free run of at most `count` channels, the longest one there is if none has so many; nil when all are taken.
    static func freeChannels(_ count: Int, besides blocks: [PortBlock], limit: Int) -> Range<Int>? {
        var isTaken = [Bool](repeating: false, count: limit)
        for block in blocks { for channel in block.channels where channel < limit { isTaken[channel] = true } }
        var best: Range<Int>?
        var first = 0
        while first < limit {
            guard !isTaken[first] else {
                first += 1
                continue
            }
            let end = min(isTaken[first...].firstIndex(of: true) ?? limit, first + count)
            if end - first > (best?.count ?? 0) { best = first..<end }
            first = end
        }
        return best
    }

    /// Names for the ports of a block, made of the device's: letters and digits, "kitchen-speaker"; others than those that are taken.
    static func prefix(for port: HardwarePort, besides blocks: [PortBlock]) -> String {
        var words = ""
        for character in port.name.lowercased() {
            if character.isASCII, character.isLetter || character.isNumber {
                words.append(character)
            } else if !words.isEmpty, words.last != "-" {
                words.append("-")
            }
        }
        words = String(words.prefix(40))
        while words.last == "-" { words.removeLast() }
        let plain = (words.isEmpty ? "device" : words) + (port.direction == .input ? "_in" : "")
        let taken = Set(blocks.map(\.prefix)).union(["out", "in"])
        guard taken.contains(plain) else { return plain }
        var number = 2
        while taken.contains("\(plain)-\(number)") { number += 1 }
        return "\(plain)-\(number)"
    }
}
