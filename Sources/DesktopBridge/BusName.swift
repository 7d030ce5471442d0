/// The name of a player on the bus: `org.mpris.MediaPlayer2.` and the program's name. If another
/// connection owns it, one with a suffix that the specification recommends.
struct BusName: Hashable, Sendable {
    /// The name without a suffix.
    let base: String
    /// Which name was requested last: 0 is `base`.
    private var attempt = 0

    private static let prefix = "org.mpris.MediaPlayer2."
    /// The names of a bus have at most 255 bytes; the rest is for the suffix.
    private static let longestName = 190
    private static let attempts = 10

    /// Replaces the characters that a name cannot contain.
    init(of program: String) {
        let bytes = program.utf8.prefix(Self.longestName).map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                byte
            default: UInt8(ascii: "_")
            }
        }
        let element = bytes.isEmpty ? "player" : String(decoding: bytes, as: UTF8.self)
        // An element of a name must not start with a digit.
        base = Self.prefix + (element.first?.isNumber == true ? "_" : "") + element
    }

    /// The name to request next, or the one that is owned.
    func text(process: Int32) -> String {
        switch attempt {
        case 0: base
        case 1: base + ".instance\(process)"
        default: base + ".instance\(process)_\(attempt)"
        }
    }

    /// Proceeds to the next name. Returns false if there is none.
    mutating func proceed() -> Bool {
        attempt += 1
        return attempt < Self.attempts
    }
}
