/// Options are an array of names in JSON, in the table's order (group OPT).
extension CategoryOptions: JSONDescribed {
    static var allowedInJSON: String { "an array, and each element one of \(Self.known)" }

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

    /// Throws for bits of no option, which have no name.
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
                        "Options with \(rest) were to be written; only options with a name can be: \(Self.known)."))
        }
    }

    /// The table's names, each before the parts of it. The bit that only interrupts is a valid request as well: it implies the other.
    private static let names = named + [("interruptSpokenAudio", CategoryOptions(rawValue: 0x10))]

    private static var known: String { names.map(\.name).joined(separator: ", ") }
}
