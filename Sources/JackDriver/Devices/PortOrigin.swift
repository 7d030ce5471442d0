package import AudioRendering

/// What is known of the device behind one port: its kind, what it is called, and what stays the same when it is plugged in again.
package struct PortOrigin: Hashable, Sendable {
    /// nil: nothing tells it.
    package var kind: HardwareKind?
    package var uid: String
    package var name: String

    /// Everything but the user's word. nil for the ports of ordinary apps.
    package init?(_ port: PortFacts, cards: SoundCards) {
        if let standIn = port.aliases.lazy.compactMap(StandInAlias.init).first {
            self.init(kind: standIn.kind.going(port.direction), uid: standIn.device, name: standIn.device)
        } else if let (card, place) = Self.card(of: port, cards: cards), card != nil || port.client == "system" {
            self.init(card: card, place: place, port: port, cards: cards)
        } else if let row = Self.row(for: port) {
            self.init(bridge: row, port: port, cards: cards)
        } else if port.isPhysical {
            self.init(named: port)
        } else {
            return nil
        }
    }

    private init(kind: HardwareKind?, uid: String, name: String) {
        (self.kind, self.uid, self.name) = (kind, uid, name)
    }

    /// The card behind a port, by its aliases; also one that the kernel no longer tells of.
    static func card(of port: PortFacts, cards: SoundCards) -> (card: SoundCard?, place: CardPort)? {
        port.aliases.lazy.compactMap(CardPort.init).first.map { (cards.card($0.card), $0) }
    }

    private init(card: SoundCard?, place: CardPort, port: PortFacts, cards: SoundCards) {
        guard let card else {
            self.init(kind: .pci, uid: "alsa:" + place.card, name: place.card)
            return
        }
        let plays = port.direction == .output
        let part = cards.pcmName(of: card, device: place.device, plays: plays) ?? ""
        var kind = Self.kind(of: card, part: place.part + " " + part)[port.direction]
        if kind == .hdmi, cards.isDisplayPort(card) { kind = .displayPort }
        let isWhole = place.device == 0
        self.init(
            kind: kind, uid: Self.uid(of: card) + (isWhole ? "" : ",\(place.device)"),
            name: isWhole || part.isEmpty ? card.name : "\(card.name) \(part)")
    }

    static func uid(of card: SoundCard) -> String { card.usbID.map { "usb:" + $0 } ?? "alsa:" + card.id }

    static func kind(of card: SoundCard, part: String) -> DeviceTables.Kinds {
        if let row = DeviceTables.cardParts.first(where: { $0.fits(part) }) { return row.kinds }
        let words = card.name.lowercased()
        if words.contains("thunderbolt") { return DeviceTables.Kinds(.thunderbolt) }
        return DeviceTables.cardDrivers.first { $0.fits(card.driver) }?.kinds ?? DeviceTables.Kinds(.pci)
    }

    private static func row(for port: PortFacts) -> DeviceTables.Row? {
        let byAlias = DeviceTables.aliases.first { row in port.aliases.contains(where: row.fits) }
        if let row = byAlias ?? DeviceTables.clients.first(where: { $0.fits(port.client) }) { return row }
        guard port.isTerminal, !port.isPhysical else { return nil }
        return DeviceTables.terminals.first { $0.fits(port.shortName) }
    }

    /// A bridge that is called after the card behind it, "zita-j2a-Scarlett", is that card.
    private init(bridge row: DeviceTables.Row, port: PortFacts, cards: SoundCards) {
        let client = port.client
        let plain = Self.withoutNumber(client)
        if let card = cards.cards.first(where: { client.hasSuffix("-" + $0.id) || client.hasSuffix(" " + $0.id) }) {
            let kind = Self.kind(of: card, part: "")[port.direction]
            self.init(kind: kind, uid: Self.uid(of: card), name: card.name)
        } else if client == "system", let alias = port.aliases.first(where: row.fits) {
            // A driver of JACK's own: "net_pcm:from_master_:out1", or with a device's number: "firewire_pcm:000a9200c7062b_Out 1_in".
            let driver = alias.prefix { $0 != ":" }
            let number = alias.dropFirst(driver.count + 1).prefix { $0.isHexDigit }
            let kind = row.kinds[port.direction]
            self.init(
                kind: kind, uid: number.count < 8 ? String(driver) : "\(driver):\(number)",
                name: kind == .airPlay ? "Network" : "FireWire")
        } else {
            self.init(kind: row.kinds[port.direction], uid: plain, name: plain)
        }
    }

    /// By words in its names.
    private init(named port: PortFacts) {
        let plain = Self.withoutNumber(port.client)
        let texts = [port.client, port.shortName] + port.aliases
        let row = DeviceTables.words.first { row in texts.contains(where: row.fits) }
        self.init(kind: row?.kinds[port.direction], uid: plain, name: plain)
    }

    /// PipeWire, and JACK, tell clients of one name apart by a number at its end, which is another one the next time.
    static func withoutNumber(_ client: String) -> String {
        let digits = client.reversed().prefix { $0.isASCII && $0.isNumber }.count
        let rest = client.dropLast(digits)
        guard digits > 0, rest.last == "-", rest.count > 1 else { return client }
        return String(rest.dropLast())
    }
}

extension HardwareKind {
    /// The kind of the same thing's other way, where it is called otherwise: a headset's microphone beside its headphones.
    func going(_ direction: HardwarePort.Direction) -> HardwareKind {
        switch (self, direction) {
        case (.headphones, .input): .headsetMic
        case (.headsetMic, .output): .headphones
        case (.builtInSpeaker, .input), (.builtInReceiver, .input): .builtInMic
        case (.builtInMic, .output): .builtInSpeaker
        case (.lineOut, .input): .lineIn
        case (.lineIn, .output): .lineOut
        default: self
        }
    }
}
