internal import Foundation

/// A sound card, as the kernel lists it under /proc/asound.
package struct SoundCard: Hashable, Sendable {
    package var index: Int
    /// The card's short name: "PCH", "Scarlett". It stays the same when the card is plugged in
    /// again, unless another card of its kind is present.
    package var id: String
    /// The name of the driver: "HDA-Intel", "USB-Audio".
    package var driver: String
    /// The name to display.
    package var name: String
    /// The USB vendor and product id: "1235:8210"; nil if the card is not on USB.
    package var usbID: String?
}

/// The sound cards of this machine. The list is read at creation, further details when they are
/// requested.
package struct SoundCards: Sendable {
    /// Returns a file's content by its path below /proc/asound; nil if the file does not exist.
    package typealias Reader = @Sendable (_ path: String) -> String?

    private let read: Reader
    package let cards: [SoundCard]

    package init(read: @escaping Reader = Self.readKernel) {
        self.read = read
        cards = Self.parse(read("cards") ?? "").map { card in
            var card = card
            card.usbID = read("card\(card.index)/usbid").map(Self.trimmed)
            return card
        }
    }

    package static let readKernel: Reader = { path in
        FileManager.default.contents(atPath: "/proc/asound/" + path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the card with that id or number.
    package func card(_ name: some StringProtocol) -> SoundCard? {
        cards.first { $0.id == name } ?? cards.first { String($0.index) == name }
    }

    /// Returns the card's name of one of its devices: "ALC892 Analog", "HDMI 0".
    package func pcmName(of card: SoundCard, device: Int, plays: Bool) -> String? {
        let info = read("card\(card.index)/pcm\(device)\(plays ? "p" : "c")/info") ?? ""
        return Self.value(of: "id", in: info)
    }

    /// Returns whether the first monitor at the card's digital outputs is connected by DisplayPort;
    /// false without a monitor.
    package func isDisplayPort(_ card: SoundCard) -> Bool {
        for codec in 0..<4 {
            for screen in 0..<12 {
                guard let eld = read("card\(card.index)/eld#\(codec).\(screen)") else { continue }
                let type = Self.value(of: "connection_type", in: eld) ?? ""
                if Self.value(of: "monitor_present", in: eld) == "1" { return type == "DisplayPort" }
            }
        }
        return false
    }

    /// Parses lines such as ` 1 [Scarlett ]: USB-Audio - Scarlett 2i2 USB`; each is followed by a
    /// line with the card's location.
    private static func parse(_ text: String) -> [SoundCard] {
        text.split(separator: "\n").compactMap { line in
            guard let open = line.firstIndex(of: "["), let close = line[open...].firstIndex(of: "]"),
                let index = Int(trimmed(line[..<open])), let dash = line[close...].range(of: " - ")
            else { return nil }
            let driver = line[line.index(after: close)..<dash.lowerBound].drop { $0 == ":" }
            return SoundCard(
                index: index, id: trimmed(line[line.index(after: open)..<close]), driver: trimmed(driver),
                name: trimmed(line[dash.upperBound...]))
        }
    }

    /// Returns the value of a key in lines of the form `key: value` or `key value`.
    private static func value(of key: String, in text: String) -> String? {
        for line in text.split(separator: "\n") where line.hasPrefix(key) {
            let rest = line.dropFirst(key.count)
            if let first = rest.first, first == ":" || first.isWhitespace { return trimmed(rest.drop { $0 == ":" }) }
        }
        return nil
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
