package import AudioRendering

/// The device behind a port, as far as it is known: its kind, its name, and an identifier that
/// stays the same when the device is plugged in again.
package struct PortOrigin: Hashable, Sendable {
    /// The kind; nil if nothing indicates it.
    package var type: PortType?
    package var uid: String
    package var name: String

    /// Detects the origin of a port, without the user's overrides. Returns nil for the ports of
    /// ordinary apps.
    package init?(_ port: PortFacts, cards: SoundCards) {
        if let virtualDevice = port.aliases.lazy.compactMap(VirtualDeviceAlias.init).first {
            self.init(
                type: virtualDevice.type.inDirection(port.direction), uid: virtualDevice.device,
                name: virtualDevice.device)
        } else if let (card, cardPort) = Self.card(of: port, cards: cards), card != nil || port.client == "system" {
            self.init(card: card, cardPort: cardPort, port: port, cards: cards)
        } else if let row = Self.row(for: port) {
            self.init(bridge: row, port: port, cards: cards)
        } else if port.isPhysical {
            self.init(named: port)
        } else {
            return nil
        }
    }

    private init(type: PortType?, uid: String, name: String) {
        (self.type, self.uid, self.name) = (type, uid, name)
    }

    /// Returns the card behind a port by its aliases, including a card that the kernel no longer
    /// lists.
    static func card(of port: PortFacts, cards: SoundCards) -> (card: SoundCard?, cardPort: CardPort)? {
        port.aliases.lazy.compactMap(CardPort.init).first.map { (cards.card($0.card), $0) }
    }

    /// Derives the origin from a sound card; nil: from the alias alone. A device of the card other
    /// than the first is a device of its own.
    private init(card: SoundCard?, cardPort: CardPort, port: PortFacts, cards: SoundCards) {
        guard let card else {
            self.init(type: .pci, uid: "alsa:" + cardPort.card, name: cardPort.card)
            return
        }
        let plays = port.direction == .output
        let part = cards.pcmName(of: card, device: cardPort.device, plays: plays) ?? ""
        var type = Self.types(of: card, part: cardPort.part + " " + part)[port.direction]
        if type == .hdmi, cards.isDisplayPort(card) { type = .displayPort }
        let isFirstDevice = cardPort.device == 0
        self.init(
            type: type, uid: Self.uid(of: card) + (isFirstDevice ? "" : ",\(cardPort.device)"),
            name: isFirstDevice || part.isEmpty ? card.name : "\(card.name) \(part)")
    }

    /// Returns a card's identifier: its USB vendor and product, otherwise its short name.
    static func uid(of card: SoundCard) -> String { card.usbID.map { "usb:" + $0 } ?? "alsa:" + card.id }

    /// Returns the types of a card's ports: by the names of the part that is used, otherwise by
    /// "thunderbolt" in the card's name, otherwise by its driver.
    static func types(of card: SoundCard, part: String) -> DeviceTables.Types {
        if let row = DeviceTables.cardParts.first(where: { $0.fits(part) }) { return row.types }
        let words = card.name.lowercased()
        if words.contains("thunderbolt") { return DeviceTables.Types(.thunderbolt) }
        return DeviceTables.cardDrivers.first { $0.fits(card.driver) }?.types ?? DeviceTables.Types(.pci)
    }

    /// Returns the row for a bridge's port, by its aliases, its client's name or, if it is terminal
    /// but not physical, its own name.
    private static func row(for port: PortFacts) -> DeviceTables.Row? {
        let (aliases, client) = (port.aliases.map { Glob.Text($0) }, Glob.Text(port.client))
        let byAlias = DeviceTables.aliases.first { row in aliases.contains { row.fits($0) } }
        if let row = byAlias ?? DeviceTables.clients.first(where: { $0.fits(client) }) { return row }
        guard port.isTerminal, !port.isPhysical else { return nil }
        return DeviceTables.terminals.first { $0.fits(port.shortName) }
    }

    /// Detects the origin of a bridge's port, by its row in the tables. A bridge that is named
    /// after the card behind it ("zita-j2a-Scarlett") represents that card.
    private init(bridge row: DeviceTables.Row, port: PortFacts, cards: SoundCards) {
        let client = port.client
        let plain = Self.withoutNumber(client)
        if let card = cards.cards.first(where: { client.hasSuffix("-" + $0.id) || client.hasSuffix(" " + $0.id) }) {
            let type = Self.types(of: card, part: "")[port.direction]
            self.init(type: type, uid: Self.uid(of: card), name: card.name)
        } else if client == "system", let alias = port.aliases.first(where: { row.fits($0) }) {
            // One of JACK's own drivers: "net_pcm:from_master_:out1", or with a device's number:
            // "firewire_pcm:000a9200c7062b_Out 1_in".
            let driver = alias.prefix { $0 != ":" }
            let number = alias.dropFirst(driver.count + 1).prefix { $0.isHexDigit }
            let type = row.types[port.direction]
            self.init(
                type: type, uid: number.count < 8 ? String(driver) : "\(driver):\(number)",
                name: type == .airPlay ? "Network" : "FireWire")
        } else {
            self.init(type: row.types[port.direction], uid: plain, name: plain)
        }
    }

    /// Detects the kind by words in the port's names.
    private init(named port: PortFacts) {
        let plain = Self.withoutNumber(port.client)
        let texts = ([port.client, port.shortName] + port.aliases).map { Glob.Text($0) }
        let row = DeviceTables.words.first { row in texts.contains { row.fits($0) } }
        self.init(type: row?.types[port.direction], uid: plain, name: plain)
    }

    /// Returns a client's name without the number that PipeWire and JACK append to distinguish
    /// clients of the same name; the number may differ the next time.
    static func withoutNumber(_ client: String) -> String {
        let digits = client.reversed().prefix { $0.isASCII && $0.isNumber }.count
        let rest = client.dropLast(digits)
        guard digits > 0, rest.last == "-", rest.count > 1 else { return client }
        return String(rest.dropLast())
    }
}

/// The alias by which a virtual device describes each of its ports:
/// `virtual-device:<kind>:<device>:<channel>`.
package struct VirtualDeviceAlias: Hashable, Sendable {
    package var type: PortType
    package var device: String

    package init?(_ alias: String) {
        let fields = alias.split(separator: ":", omittingEmptySubsequences: false)
        guard fields.count >= 4, fields[0] == "virtual-device", let type = PortType(rawValue: String(fields[1]))
        else {
            return nil
        }
        self.type = type
        device = fields[2..<(fields.count - 1)].joined(separator: ":")
        if device.isEmpty { return nil }
    }
}
