/// On which line each key of a TOML document stands; the parser tells only what, not where.
struct KeyLines {
    /// By path: `["duck", "attack"]`.
    private var lines: [[String]: Int] = [:]

    init(_ text: String) {
        var section: [String] = []
        var fence: String?
        var tables: [[String]: Int] = [:]
        let all = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in all.enumerated() {
            if let open = fence {
                if line.contains(open) { fence = nil }
                continue
            }
            let trimmed = line.drop { $0 == " " || $0 == "\t" }
            if trimmed.first == "[" {
                section = Self.path(trimmed.drop { $0 == "[" }, until: "]") ?? section
                // The tables of a list stand by their number.
                if trimmed.hasPrefix("[[") {
                    note(section, index + 1)
                    let number = tables[section, default: 0]
                    tables[section] = number + 1
                    section.append(String(number))
                }
                note(section, index + 1)
            } else if let path = Self.path(trimmed, until: "=") {
                note(section + path, index + 1)
            }
            fence = Self.openFence(in: trimmed)
        }
    }

    /// The line of a key, else that of what it stands in; nil when neither is known.
    func line(of path: [String]) -> Int? {
        var path = path
        while !path.isEmpty {
            if let line = lines[path] { return line }
            path.removeLast()
        }
        return nil
    }

    private mutating func note(_ path: [String], _ line: Int) {
        if !path.isEmpty, lines[path] == nil { lines[path] = line }
    }

    /// The parts of a dotted key, bare or quoted, up to `end`; nil when there is none.
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

    /// What ends the string that goes on after this line.
    private static func openFence(in line: Substring) -> String? {
        ["\"\"\"", "'''"].first { line.split(separator: $0, omittingEmptySubsequences: false).count % 2 == 0 }
    }
}
