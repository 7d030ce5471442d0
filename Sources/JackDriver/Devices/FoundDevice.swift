package import AudioRendering

/// A device, and which ports of the server are the channels of each of its own.
package struct FoundDevice: Hashable, Sendable {
    package var device: HardwareDevice
    /// Full names in channel order, by port uid.
    package var channels: [String: [String]]

    /// What there is apart from how late it sounds.
    var structure: FoundDevice {
        var copy = self
        for index in copy.device.ports.indices { copy.device.ports[index].latencyFrames = 0 }
        return copy
    }

    /// Ports of a device beyond this many are left out.
    package static let mostChannels = 64

    /// The devices behind the ports that a server lists, in their order. `server` says what it is, for names.
    ///
    /// A device is what one client offers, or one of the sound cards it stands for; ways in and out of one uid are one device, and
    /// others of a uid that is taken get a number. A device whose ports were there `before` keeps its number: of two equal headsets the second
    /// is still the second when the first is pulled out.
    package static func find(
        in ports: [PortFacts], cards: SoundCards, overrides: [DeviceOverride] = [], server: String,
        before: [FoundDevice] = []
    ) -> [FoundDevice] {
        var groups: [Group] = []
        var places: [Group.Key: Int] = [:]
        for port in ports {
            guard let (key, origin) = identify(port, cards: cards, overrides: overrides, server: server) else {
                continue
            }
            if let place = places[key] {
                groups[place].add(port, origin)
            } else {
                places[key] = groups.count
                groups.append(Group(port, origin))
            }
        }
        return merge(groups, before)
    }

    private static func identify(
        _ port: PortFacts, cards: SoundCards, overrides: [DeviceOverride], server: String
    ) -> (Group.Key, PortOrigin)? {
        let card = PortOrigin.card(of: port, cards: cards)?.card
        let override = overrides.firstIndex { $0.covers(port, card: card) }
        guard var origin = PortOrigin(port, cards: cards) else { return nil }
        if let override {
            let word = overrides[override]
            if word.isHidden { return nil }
            origin.kind = word.kind?.going(port.direction) ?? origin.kind
            origin.name = word.name ?? origin.name
        }
        if origin.kind == nil, port.client == "system" { origin = .unknown(of: server, named: origin) }
        return (Group.Key(client: port.client, uid: origin.uid, override: override), origin)
    }

    private static func merge(_ groups: [Group], _ before: [FoundDevice]) -> [FoundDevice] {
        var devices: [(uid: String, ports: [HardwarePort.Direction: Group.Way])] = []
        for group in groups {
            let twin = devices.firstIndex { $0.uid == group.uid && $0.ports.keys.allSatisfy { group.ways[$0] == nil } }
            if let twin {
                devices[twin].ports.merge(group.ways) { first, _ in first }
            } else {
                devices.append((group.uid, group.ways))
            }
        }
        var taken: [String: Set<Int>] = [:]
        // Those that have a number keep it; the others get the lowest that are free, in their order.
        let kept = devices.map { device in
            let names = Set(device.ports.values.flatMap(\.names))
            let old = before.first { !names.isDisjoint(with: $0.channels.values.joined()) }
            return old.flatMap { number(of: $0.device.uid, as: device.uid) }.flatMap { number in
                taken[device.uid, default: []].insert(number).inserted ? number : nil
            }
        }
        return zip(devices, kept).map { device, kept in
            let number = kept ?? (1...).first { taken[device.uid, default: []].insert($0).inserted } ?? 1
            return FoundDevice(uid: device.uid, suffix: suffix(number), ways: device.ports)
        }
    }

    private static func suffix(_ number: Int) -> String { number > 1 ? "#\(number)" : "" }

    /// Which of the devices called `uid` that one was; nil: none of them.
    private static func number(of old: String, as uid: String) -> Int? {
        let uid = uid.shortened(toBytes: 96)
        if old == uid { return 1 }
        guard old.hasPrefix(uid + "#") else { return nil }
        return Int(old.dropFirst(uid.count + 1)).flatMap { $0 > 1 ? $0 : nil }
    }

    private init(uid: String, suffix: String, ways: [HardwarePort.Direction: Group.Way]) {
        let uid = uid.shortened(toBytes: 96)
        device = HardwareDevice(uid: uid + suffix, ports: [])
        channels = [:]
        for direction in [HardwarePort.Direction.output, .input] {
            guard let way = ways[direction] else { continue }
            let prefix = uid == HardwareDevice.unknownUID && suffix.isEmpty ? "" : uid + suffix + ":"
            let port = HardwarePort(
                uid: prefix + direction.rawValue, name: way.name.shortened(toBytes: 96), kind: way.kind,
                direction: direction,
                channels: way.names.count, latencyFrames: way.latencyFrames)
            device.ports.append(port)
            channels[port.uid] = way.names
        }
    }
}

extension String {
    /// Itself, or as much of it as fits with a number that tells it from others that begin alike: an arbiter takes 128 bytes, and PipeWire calls ports after
    /// descriptions of any length.
    fileprivate func shortened(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        let number = utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let tail = "~" + String(number, radix: 36)
        var head = self
        while head.utf8.count + tail.utf8.count > limit { head.removeLast() }
        return head + tail
    }
}

/// Ports that belong together.
private struct Group {
    struct Key: Hashable {
        var client: String
        var uid: String
        var override: Int?
    }

    struct Way {
        var name: String
        var kind: HardwareKind
        var names: [String] = []
        var latencyFrames = 0
    }

    let uid: String
    var ways: [HardwarePort.Direction: Way] = [:]

    init(_ port: PortFacts, _ origin: PortOrigin) {
        uid = origin.uid
        add(port, origin)
    }

    mutating func add(_ port: PortFacts, _ origin: PortOrigin) {
        var way = ways[port.direction] ?? Way(name: origin.name(port.direction), kind: origin.kind ?? .virtual)
        guard way.names.count < FoundDevice.mostChannels else { return }
        way.names.append(port.name)
        way.latencyFrames = max(way.latencyFrames, port.latencyFrames)
        ways[port.direction] = way
    }
}

extension PortOrigin {
    /// The server's own ports, of which nothing more is known: a clock without a sound card.
    fileprivate static func unknown(of server: String, named origin: PortOrigin) -> PortOrigin {
        var unknown = origin
        unknown.uid = HardwareDevice.unknownUID
        if origin.name == "system" { unknown.name = server }
        return unknown
    }

    fileprivate func name(_ direction: HardwarePort.Direction) -> String {
        guard uid == HardwareDevice.unknownUID, kind == nil else { return name }
        return (direction == .output ? "Output of " : "Input of ") + name
    }
}
