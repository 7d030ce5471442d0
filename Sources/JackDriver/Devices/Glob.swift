/// A shell pattern, compared ignoring case.
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

    /// Reads a set after its opening bracket. Returns nil and consumes nothing if the set is never
    /// closed.
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

    /// A text in the form in which it is compared, for comparisons with several patterns.
    package struct Text: Sendable {
        fileprivate let characters: [Character]

        package init(_ text: String) { characters = Array(text.lowercased()) }
    }

    /// Returns whether the pattern matches the whole text.
    package func matches(_ text: String) -> Bool { matches(Text(text)) }

    /// Returns whether the pattern matches the whole text.
    package func matches(_ text: Text) -> Bool {
        let text = text.characters
        // The part after the last `*`, and where in the text to try it next: the only state to
        // which matching must backtrack.
        var (part, index) = (0, 0)
        var retry: (part: Int, index: Int)?
        while index < text.count {
            if part < parts.count, case .anything = parts[part] {
                retry = (part + 1, index)
                part += 1
            } else if part < parts.count, Self.accepts(text[index], parts[part]) {
                part += 1
                index += 1
            } else if let last = retry {
                retry = (last.part, last.index + 1)
                (part, index) = (last.part, last.index + 1)
            } else {
                return false
            }
        }
        return parts[part...].allSatisfy { if case .anything = $0 { true } else { false } }
    }

    private static func accepts(_ character: Character, _ part: Part) -> Bool {
        switch part {
        case .anything: false
        case .one: true
        case .literal(let literal): literal == character
        case .set(let ranges, let isInverted): ranges.contains { $0.contains(character) } != isInverted
        }
    }
}
