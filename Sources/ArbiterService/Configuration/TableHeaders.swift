/// Checks the headers of sections before the parser does: a header without a name, such as `[=]` or
/// `[.a]`, would make the TOML parser abort the process.
enum TableHeaders {
    /// Returns the first line with such a header; nil if there is none.
    static func namelessLine(in text: String) -> Int? {
        var bytes = Array(text.utf8)[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.firstIndex { line in
            var rest = line.drop(while: isBlank)
            guard rest.first == UInt8(ascii: "[") else { return false }
            rest = rest.dropFirst().drop(while: isBlank)
            if rest.first == UInt8(ascii: "[") { rest = rest.dropFirst().drop(while: isBlank) }
            return rest.first.map { !mayBegin($0) } ?? true
        }.map { $0 + 1 }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// Returns whether a bare or quoted name can begin with this byte. A closing bracket is
    /// accepted here, because the parser refuses it.
    private static func mayBegin(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-_\"']".utf8.contains(byte)
        }
    }
}
