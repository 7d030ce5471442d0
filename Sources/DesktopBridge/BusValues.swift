/// Conversions of values into those of the bus. None of them traps or fails.
extension String {
    /// The text without NUL, which would end it, and with U+FFFD for the noncharacters of Unicode,
    /// which sd-bus refuses.
    var busText: String {
        guard unicodeScalars.contains(where: Self.isRefused) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            guard Self.isRefused(scalar) else { return text.unicodeScalars.append(scalar) }
            if scalar != "\0" { text.unicodeScalars.append("\u{fffd}") }
        }
    }

    private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\0" || (0xfdd0...0xfdef).contains(scalar.value) || scalar.value & 0xfffe == 0xfffe
    }
}

extension Int64 {
    /// The microseconds of a duration or position: 0 or more, at most the greatest number. 0 if it
    /// is not a number.
    init(microsecondsOf seconds: Double) {
        let microseconds = (seconds * 1e6).rounded()
        // The comparison is false for NaN.
        guard microseconds > 0 else { self = 0; return }
        self = microseconds < 0x1p63 ? Int64(microseconds) : .max
    }
}
