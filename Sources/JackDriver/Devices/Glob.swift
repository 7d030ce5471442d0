/// A pattern as shells have them. Letters are compared without their case.
package struct Glob: Sendable {
    private enum Part {
        case anything
        case one
        case set([ClosedRange<Character>], isInverted: Bool)
        case literal(Character)
    }
    private let parts: [Part]

    package init(_ pattern: String) {
        var parts: [Part] = []
        var rest = Substring(pattern.lowercased())
        while let first = rest.popFirst() {
            switch first {
            case "*": parts.append(.anything)
            case "?": parts.append(.one)
            case "[": parts.append(Self.readSet(&rest) ?? .literal("["))
            default: parts.append(.literal(first))
            }
        }
        self.parts = parts
    }

    /// After the bracket; nil, and nothing taken, when it is never closed.
    private static func readSet(_ rest: inout Substring) -> Part? {
        guard let close = rest.dropFirst().firstIndex(of: "]") else { return nil }
        var inner = rest[..<close]
        rest = rest[rest.index(after: close)...]
        let isInverted = inner.first == "!" || inner.first == "^"
        if isInverted { inner.removeFirst() }
        var ranges: [ClosedRange<Character>] = []
        while let first = inner.popFirst() {
            var last = first
            if inner.count >= 2, inner.first == "-" {
                inner.removeFirst()
                last = inner.removeFirst()
            }
            if first <= last { ranges.append(first...last) }
        }
        return .set(ranges, isInverted: isInverted)
    }

    package func matches(_ text: String) -> Bool {
        let text = Array(text.lowercased())
        // Where the last `*` was, and how much of the text it has taken: all that has to be tried again.
        var (part, place) = (0, 0)
        var retry: (part: Int, place: Int)?
        while place < text.count {
            if part < parts.count, case .anything = parts[part] {
                retry = (part + 1, place)
                part += 1
            } else if part < parts.count, Self.takes(text[place], parts[part]) {
                part += 1
                place += 1
            } else if let last = retry {
                retry = (last.part, last.place + 1)
                (part, place) = (last.part, last.place + 1)
            } else {
                return false
            }
        }
        return parts[part...].allSatisfy { if case .anything = $0 { true } else { false } }
    }

    private static func takes(_ character: Character, _ part: Part) -> Bool {
        switch part {
        case .anything: false
        case .one: true
        case .literal(let literal): literal == character
        case .set(let ranges, let isInverted): ranges.contains { $0.contains(character) } != isInverted
        }
    }
}
