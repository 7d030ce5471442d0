/// The line number of each key of a TOML document; the parser does not report it.
struct KeyLines {
    /// By path, for example `["duck", "attack"]`.
    private var lines: [[String]: Int] = [:]

    /// Scans the text line by line for headers and keys, and skips the continuations of multi-line
    /// strings. Accepts more than TOML does, because the parser checks the syntax.
    init(_ text: String) {
        var section: [String] = []
        var openDelimiter: String?
        var tableCounts: [[String]: Int] = [:]
        let allLines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in allLines.enumerated() {
            if let open = openDelimiter {
                if line.contains(open) { openDelimiter = nil }
                continue
            }
            let trimmed = line.drop { $0 == " " || $0 == "\t" }
            if trimmed.first == "[" {
                section = Self.path(trimmed.drop { $0 == "[" }, until: "]") ?? section
                // The tables of a list are identified by their index.
                if trimmed.hasPrefix("[[") {
                    record(section, index + 1)
                    let number = tableCounts[section, default: 0]
                    tableCounts[section] = number + 1
                    section.append(String(number))
                }
                record(section, index + 1)
            } else if let path = Self.path(trimmed, until: "=") {
                record(section + path, index + 1)
            }
            openDelimiter = Self.unclosedDelimiter(in: trimmed)
        }
    }

    /// Returns the line of a key, or of the nearest enclosing table; nil if neither is known.
    func line(of path: [String]) -> Int? {
        var path = path
        while !path.isEmpty {
            if let line = lines[path] { return line }
            path.removeLast()
        }
        return nil
    }

    private mutating func record(_ path: [String], _ line: Int) {
        if !path.isEmpty, lines[path] == nil { lines[path] = line }
    }

    /// Returns the parts of a dotted key, bare or quoted, up to `end`; nil if there is no such key.
    private static func path(_ text: Substring, until end: Character) -> [String]? {
        var parts = [""]
        var quote: Character?
        for letter in text {
            if let open = quote {
                if letter == open { quote = nil } else { parts[parts.count - 1].append(letter) }
            } else if letter == end {
                return parts.contains("") ? nil : parts
            } else {
                switch letter {
                case "\"", "'": quote = letter
                case ".": parts.append("")
                case " ", "\t": continue
                case "#", "[", "{", ",": return nil
                default: parts[parts.count - 1].append(letter)
                }
            }
        }
        return nil
    }

    /// Returns the delimiter of a multi-line string that continues after this line.
    private static func unclosedDelimiter(in line: Substring) -> String? {
        ["\"\"\"", "'''"].first { line.split(separator: $0, omittingEmptySubsequences: false).count % 2 == 0 }
    }
}
