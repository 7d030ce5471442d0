extension String {
    /// The text with control characters as escape sequences: `\x1b`, `\u{202e}`. Names from
    /// outside, such as those of devices, programs and files, may contain characters that control a
    /// terminal, begin a new line or reverse the direction of text.
    package var printable: String {
        guard unicodeScalars.contains(where: Self.isControl) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            guard Self.isControl(scalar) else { return text.unicodeScalars.append(scalar) }
            let digits = String(scalar.value, radix: 16)
            text += scalar.value < 0x100 ? "\\x" + (digits.count < 2 ? "0" : "") + digits : "\\u{\(digits)}"
        }
    }

    /// Returns whether a character is a control character (C0, DEL, C1), separates lines or
    /// paragraphs, or changes the direction of text.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x20, 0x7f...0x9f, 0x61c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
        default: false
        }
    }
}
