internal import Yams

/// What a setting reads of a node. A setting has a type, so that no type is guessed from the text:
/// `no` is text, not false. Tags have no effect.
extension Node {
    /// Returns the root of a document; nil if the document is empty.
    static func root(of text: String) throws(ConfigurationError.Problem) -> Node? {
        // libyaml would count a byte order mark as the first column, and so indent the first key.
        let mark: Unicode.Scalar = "\u{FEFF}"
        let text = text.unicodeScalars.first == mark ? String(text.unicodeScalars.dropFirst()) : text
        // Without anchors, no alias is valid. Yams would compare keys together with all that their
        // aliases stand for, which can take forever. '&' between letters cannot begin an anchor.
        let anchor = #/(?:^|[^0-9A-Za-z])&[-\w]/#.matchingSemantics(.unicodeScalar)
        if let found = text.firstMatch(of: anchor) {
            throw .init(
                line: text[..<found.range.upperBound].lineCount,
                "'&' before a name is an anchor, which is not supported; in double quotes, \\x26 means '&'")
        }
        do {
            return try compose(yaml: text, .basic, .default, .utf8)
        } catch YamlError.reader(let problem, let offset, _, _) {
            throw .init(line: offset.map { text.prefix($0).lineCount }, problem)
        } catch YamlError.scanner(let context, let problem, let mark, _),
            YamlError.parser(let context, let problem, let mark, _),
            YamlError.composer(let context, let problem, let mark, _)
        {
            let message = [context?.text, problem].compactMap(\.self).joined(separator: ", ")
            let advice = message.contains("alias") ? "; text that begins with '*' needs quotes" : ""
            throw .init(line: mark.line, message + advice)
        } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
            throw .init(line: context.mark.line, "the key '\((keys.first ?? "").excerpt)' occurs more than once")
        } catch {
            throw .init(line: nil, "\(error)")
        }
    }

    /// The text of a scalar, with or without quotes.
    var text: String? { scalar?.string }
    /// Whether nothing is written after the key.
    var isEmpty: Bool { plainText == "" }
    var flag: Bool? { plainText.flatMap(Bool.init) }
    var integer: Int? { plainText.flatMap { Int($0) } }
    /// A decimal number, with or without a fraction.
    var number: Double? {
        plainText.flatMap { $0.utf8.allSatisfy("0123456789+-.eE".utf8.contains) ? Double($0) : nil }
    }

    /// The value as error messages quote it.
    var excerpt: String {
        guard let text else { return mapping == nil ? "a list" : "a mapping" }
        guard let plainText else { return text.excerpt.debugDescription }
        return plainText.isEmpty ? "nothing" : plainText.excerpt
    }

    private var plainText: String? { scalar?.style == .plain ? text : nil }
}

extension String {
    /// At most 60 characters.
    var excerpt: String { count > 60 ? prefix(60) + "…" : self }
}

extension Substring {
    fileprivate var lineCount: Int { count(where: \.isNewline) + 1 }
}
