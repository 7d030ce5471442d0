package import AudioRendering

/// A device, and the server's ports that make up each of the device's ports, one per channel.
package struct FoundDevice: Hashable, Sendable {
    package var device: AudioDevice
    /// Full names of the server's ports in channel order, by port uid.
    package var channels: [String: [String]]
    /// Latencies in frames between each port and the device's terminals, as the server reports
    /// them, by port uid. Empty until they are read.
    package var latencies: [String: Int]

    /// The device without its latencies.
    var structure: FoundDevice {
        var copy = self
        copy.latencies = [:]
        return copy
    }

    /// The maximum number of channels of a device in one direction; further ports are left out.
    package static let maximumChannels = 64

    /// Returns the devices behind the ports that a server lists, in their order. `server` is the
    /// server's description, used for names.
    ///
    /// A device is what one client offers, or one of the sound cards that the client represents.
    /// Inputs and outputs with the same uid form one device; a further device with a uid that is
    /// taken gets a number. A device whose ports existed `before` keeps its number: of two equal
    /// headsets, the second is still the second after the first was unplugged.
    package static func find(
        in ports: [PortFacts], cards: SoundCards, overrides: [DeviceOverride] = [], server: String,
        before: [FoundDevice] = []
    ) -> [FoundDevice] {
        var groups: [Group] = []
        var indices: [Group.Key: Int] = [:]
        for port in ports {
            guard let (key, origin) = identify(port, cards: cards, overrides: overrides, server: server) else {
                continue
            }
            if let index = indices[key] {
                groups[index].add(port, origin)
            } else {
                indices[key] = groups.count
                groups.append(Group(port, origin))
            }
        }
        return merge(groups, before)
    }

    /// Returns the group to which a port belongs, and its origin with the user's overrides applied;
    /// nil for ports that are hidden or belong to no device.
    private static func identify(
        _ port: PortFacts, cards: SoundCards, overrides: [DeviceOverride], server: String
    ) -> (Group.Key, PortOrigin)? {
        let card = PortOrigin.card(of: port, cards: cards)?.card
        let override = overrides.firstIndex { $0.covers(port, card: card) }
        guard var origin = PortOrigin(port, cards: cards) else { return nil }
        if let override {
            let word = overrides[override]
            if word.isHidden { return nil }
            origin.type = word.type?.inDirection(port.direction) ?? origin.type
            origin.name = word.name ?? origin.name
        }
        if origin.type == nil, port.client == "system" { origin = .unknown(of: server, named: origin) }
        return (Group.Key(client: port.client, uid: origin.uid, override: override), origin)
    }

    /// Combines the inputs and outputs of one uid into devices, and numbers devices of equal uid.
    private static func merge(_ groups: [Group], _ before: [FoundDevice]) -> [FoundDevice] {
        var devices: [(uid: String, ports: [DevicePort.Direction: Group.Side])] = []
        for group in groups {
            // A device with the same uid that has ports in the other direction only.
            let counterpart = devices.firstIndex {
                $0.uid == group.uid && $0.ports.keys.allSatisfy { group.sides[$0] == nil }
            }
            if let counterpart {
                devices[counterpart].ports.merge(group.sides) { first, _ in first }
            } else {
                devices.append((group.uid, group.sides))
            }
        }
        var taken: [String: Set<Int>] = [:]
        // Devices that have a number keep it; the others get the lowest free numbers, in their
        // order.
        let kept = devices.map { device in
            let names = Set(device.ports.values.flatMap(\.names))
            let old = before.first { !names.isDisjoint(with: $0.channels.values.joined()) }
            return old.flatMap { number(of: $0.device.uid, as: device.uid) }.flatMap { number in
                taken[device.uid, default: []].insert(number).inserted ? number : nil
            }
        }
        return zip(devices, kept).map { device, kept in
            let number = kept ?? (1...).first { taken[device.uid, default: []].insert($0).inserted } ?? 1
            return FoundDevice(uid: device.uid, suffix: suffix(number), sides: device.ports)
        }
    }

    private static func suffix(_ number: Int) -> String { number > 1 ? "#\(number)" : "" }

    /// Returns the number that the uid `old` has among the devices called `uid`: 1 without a
    /// suffix, nil if it is none of them.
    private static func number(of old: String, as uid: String) -> Int? {
        let uid = uid.shortened(toBytes: 96)
        if old == uid { return 1 }
        guard old.hasPrefix(uid + "#") else { return nil }
        return Int(old.dropFirst(uid.count + 1)).flatMap { $0 > 1 ? $0 : nil }
    }

    private init(uid: String, suffix: String, sides: [DevicePort.Direction: Group.Side]) {
        let uid = uid.shortened(toBytes: 96)
        device = AudioDevice(uid: uid + suffix, ports: [])
        channels = [:]
        latencies = [:]
        for direction in [DevicePort.Direction.output, .input] {
            guard let side = sides[direction] else { continue }
            let prefix = uid == AudioDevice.serverUID && suffix.isEmpty ? "" : uid + suffix + ":"
            let port = DevicePort(
                uid: prefix + direction.rawValue, name: side.name.shortened(toBytes: 96), type: side.type,
                direction: direction, channels: side.names.count)
            device.ports.append(port)
            channels[port.uid] = side.names
            if let frames = side.latencyFrames { latencies[port.uid] = frames }
        }
    }
}

extension String {
    /// Returns the string, or as much of its beginning as fits together with a hash that
    /// distinguishes it from other strings with the same beginning. The arbiter accepts 128 bytes,
    /// and PipeWire derives port names from descriptions of any length.
    fileprivate func shortened(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        let number = utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let tail = "~" + String(number, radix: 36)
        var head = self
        while head.utf8.count + tail.utf8.count > limit { head.removeLast() }
        return head + tail
    }
}

/// Ports that belong to one device.
private struct Group {
    struct Key: Hashable {
        var client: String
        var uid: String
        var override: Int?
    }

    /// The ports of one direction, in channel order.
    struct Side {
        var name: String
        var type: PortType
        var names: [String] = []
        /// The maximum of the ports; nil if none was read.
        var latencyFrames: Int?
    }

    let uid: String
    var sides: [DevicePort.Direction: Side] = [:]

    init(_ port: PortFacts, _ origin: PortOrigin) {
        uid = origin.uid
        add(port, origin)
    }

    /// Adds a port as the last channel of its direction. Leaves it out beyond the maximum number of
    /// channels.
    mutating func add(_ port: PortFacts, _ origin: PortOrigin) {
        var side = sides[port.direction] ?? Side(name: origin.name(port.direction), type: origin.type ?? .virtual)
        guard side.names.count < FoundDevice.maximumChannels else { return }
        side.names.append(port.name)
        side.latencyFrames = [side.latencyFrames, port.latencyFrames].compactMap(\.self).max()
        sides[port.direction] = side
    }
}

extension PortOrigin {
    /// Returns the origin of the server's own ports if nothing more is known of them: a clock
    /// without a sound card.
    fileprivate static func unknown(of server: String, named origin: PortOrigin) -> PortOrigin {
        var unknown = origin
        unknown.uid = AudioDevice.serverUID
        if origin.name == "system" { unknown.name = server }
        return unknown
    }

    /// Returns the name of the device's port in a direction: "Output of …" or "Input of …" for the
    /// server's own ports if their kind is unknown.
    fileprivate func name(_ direction: DevicePort.Direction) -> String {
        guard uid == AudioDevice.serverUID, type == nil else { return name }
        return (direction == .output ? "Output of " : "Input of ") + name
    }
}
