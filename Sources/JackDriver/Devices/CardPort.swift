/// The sound card, and the part of it, that a port's alias names.
///
/// jackd2's aliases: `alsa_pcm:hw:PCH,3:in1`, `alsa_pcm:hw:0:out1`,
/// `alsa_pcm:hw:CARD=PCH,DEV=0:in1`. PipeWire's aliases: `alsa:pcm:0:front:0:playback:playback_0`,
/// `alsa:pcm:PCH:hdmi:0,3:playback:playback_0`, `alsa:acp:PCH:1:playback:playback_0`.
package struct CardPort: Hashable, Sendable {
    /// The card's number or id.
    package var card: String
    package var device: Int
    /// The PCM through which the card was opened: "hw", "front", "hdmi".
    package var part: String

    /// Parses an alias. Returns nil if it does not name a sound card.
    package init?(alias: String) {
        if alias.hasPrefix("alsa_pcm:") {
            let opened = alias.dropFirst("alsa_pcm:".count).prefix(upToLast: ":")
            guard let colon = opened.firstIndex(of: ":") else { return nil }
            part = String(opened[..<colon])
            let fields = opened[opened.index(after: colon)...].split(separator: ",").map(Self.value)
            guard let first = fields.first, !first.isEmpty else { return nil }
            card = first
            device = fields.count > 1 ? Int(fields[1]) ?? 0 : 0
            return
        }
        let fields = alias.split(separator: ":", omittingEmptySubsequences: false)
        guard fields.count >= 5, fields[0] == "alsa", fields[1] == "pcm" || fields[1] == "acp", !fields[2].isEmpty
        else { return nil }
        card = String(fields[2])
        part = String(fields[3])
        // In `front:0` and `hdmi:0,3` the second number is the device's.
        device = fields[4].split(separator: ",").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    /// Returns the value of a field: `CARD=PCH` and `PCH` mean the same.
    private static func value(_ field: Substring) -> String {
        String(field.firstIndex(of: "=").map { field[field.index(after: $0)...] } ?? field)
    }
}

extension Substring {
    fileprivate func prefix(upToLast character: Character) -> Substring {
        lastIndex(of: character).map { self[..<$0] } ?? self
    }
}
