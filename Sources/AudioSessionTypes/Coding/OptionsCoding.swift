/// JSON represents options by an array of names, in the order of the table (group OPT).
extension CategoryOptions: JSONDescribed {
    package static var allowedInJSON: String { "an array, and each element one of \(Self.known)" }

    public init(from decoder: any Decoder) throws {
        var names: any UnkeyedDecodingContainer
        do {
            names = try decoder.unkeyedContainer()
        } catch {
            throw try decoder.singleValueContainer().wrong(Self.allowedInJSON)
        }
        self = []
        while !names.isAtEnd {
            let element = try names.superDecoder()
            let allowed = "one of \(Self.known)"
            let name: String = try element.read(allowed: allowed)
            guard let option = Self.names.first(where: { $0.name == name })?.option else {
                throw try element.singleValueContainer().wrong(allowed)
            }
            formUnion(option)
        }
    }

    /// Throws for bits that belong to no option, because these have no name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        var rest = self
        for (name, option) in Self.names where rest.isSuperset(of: option) {
            try container.encode(name)
            rest.subtract(option)
        }
        guard rest.isEmpty else {
            throw EncodingError.invalidValue(
                self,
                .init(
                    codingPath: encoder.codingPath,
                    debugDescription:
                        "Options with \(rest) cannot be written; only named options can be: \(Self.known)."))
        }
    }

    /// The options of the table with their names; an option whose value contains another one comes
    /// first. In addition, `interruptSpokenAudio` is the bit 0x10 alone, which an app may also set;
    /// it implies mixWithOthers.
    private static let names = named + [("interruptSpokenAudio", CategoryOptions(rawValue: 0x10))]

    private static var known: String { names.map(\.name).joined(separator: ", ") }
}
