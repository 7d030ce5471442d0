internal import AudioRendering

/// A block of the client's own ports: channels of the core that are connected to one port of a
/// device or to other programs, or a MIDI port.
struct PortBlock: Sendable {
    var direction: DevicePort.Direction
    /// The first channel; of a MIDI port, its number.
    var first: Int
    var count: Int
    /// The prefix of the port names: `prefix`_1, `prefix`_2…; of a MIDI port, its name.
    var prefix: String
    /// Whether it is a MIDI port, which the app or the user connects.
    var isMIDI = false
    /// Whether the driver opened with this block; such a block stays for the driver's life.
    var isMain = false
    /// The uid of the device's port; nil for a main block as long as there is no device, and for
    /// ports that are not for a device.
    var uid: String?
    /// The server's ports that the block was last connected to, in channel order.
    private(set) var far: [String] = []
    /// The ports that `far` has contained. A device can disappear and return in parts: its ports
    /// are connected by default only when they first appear.
    private(set) var offered: Set<String> = []
    /// The maximum number of these, so that ports under ever new names cannot exhaust the memory.
    private static let maximumOffered = 256

    /// The block of ports for other programs, from channel `first` on.
    init(_ group: PortGroup, first: Int) {
        self.init(direction: group.direction, first: first, count: group.channels, prefix: group.name)
    }

    /// The block of a MIDI port.
    init(_ port: MIDIPort) {
        self.init(direction: port.direction, first: port.number, count: 1, prefix: port.name, isMIDI: true)
    }

    init(
        direction: DevicePort.Direction, first: Int, count: Int, prefix: String, isMIDI: Bool = false,
        isMain: Bool = false, uid: String? = nil
    ) {
        self.direction = direction
        self.first = first
        self.count = count
        self.prefix = prefix
        self.isMIDI = isMIDI
        self.isMain = isMain
        self.uid = uid
    }

    var names: [String] { isMIDI ? [prefix] : (1..<max(0, count) + 1).map { "\(prefix)_\($0)" } }
    var channels: Range<Int> { first..<first + count }

    /// Returns the connections from each of the block's ports to all of its `ports`.
    func links(to ports: [[String]]) -> [PortLink] {
        zip(names, ports).flatMap { own, ports in
            ports.map { PortLink(direction: direction, own: own, far: $0) }
        }
    }

    /// Returns the connections from the block's ports to `ports`, in order.
    func links(to ports: [String]) -> [PortLink] {
        zip(names, ports).map { PortLink(direction: direction, own: $0, far: $1) }
    }

    /// Returns the connections to make by default to those of `ports` that appear for the first
    /// time; `restorable` connections to `ports` exist or are restored instead.
    func firstLinks(to ports: [String], besides restorable: Set<PortLink>) -> [PortLink] {
        let connected = far.isEmpty ? [] : Set(restorable.filter { ports.contains($0.far) }.map(\.own))
        return links(to: ports).filter { !offered.contains($0.far) && !connected.contains($0.own) }
    }

    /// Records that the block was connected to `ports`.
    mutating func setFar(_ ports: [String]) {
        far = ports
        if offered.count > Self.maximumOffered { offered = [] }
        offered.formUnion(ports)
    }

    /// Forgets the ports: another server has other ones.
    mutating func forgetFar() { (far, offered) = ([], []) }

    /// Returns a free run of at most `count` channels; if none is that long, the longest free run;
    /// nil if all channels are taken.
    static func freeChannels(_ count: Int, avoiding blocks: [PortBlock], limit: Int) -> Range<Int>? {
        var isTaken = [Bool](repeating: false, count: limit)
        for block in blocks where !block.isMIDI {
            for channel in block.channels where channel < limit { isTaken[channel] = true }
        }
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

    /// Returns the highest run of `count` free channels; nil if there is none.
    static func highestFreeChannels(_ count: Int, avoiding blocks: [PortBlock], limit: Int) -> Range<Int>? {
        let taken = Set(blocks.filter { !$0.isMIDI }.flatMap(\.channels))
        let first = stride(from: limit - count, through: 0, by: -1).first { first in
            taken.isDisjoint(with: first..<first + count)
        }
        return first.map { $0..<$0 + count }
    }

    /// Returns a prefix for the port names of a block, derived from the device's name
    /// ("kitchen-speaker": ASCII letters, digits and hyphens) and different from those that are
    /// taken.
    static func prefix(for port: DevicePort, avoiding blocks: [PortBlock]) -> String {
        var stem = ""
        for character in port.name.lowercased() {
            if character.isASCII, character.isLetter || character.isNumber {
                stem.append(character)
            } else if !stem.isEmpty, stem.last != "-" {
                stem.append("-")
            }
        }
        stem = String(stem.prefix(40))
        while stem.last == "-" { stem.removeLast() }
        let base = (stem.isEmpty ? "device" : stem) + (port.direction == .input ? "_in" : "")
        let taken = Set(blocks.map(\.prefix)).union(["out", "in"])
        func isTaken(_ prefix: String) -> Bool {
            taken.contains(prefix) || blocks.contains { $0.isMIDI && $0.prefix.hasPrefix(prefix + "_") }
        }
        guard isTaken(base) else { return base }
        var number = 2
        while isTaken("\(base)-\(number)") { number += 1 }
        return "\(base)-\(number)"
    }
}

/// A connection between a port of this client and a port of another one.
struct PortLink: Hashable, Sendable {
    /// The direction of the own port.
    var direction: DevicePort.Direction
    /// The own port's name within the client.
    var own: String
    /// The other port's full name.
    var far: String
}
