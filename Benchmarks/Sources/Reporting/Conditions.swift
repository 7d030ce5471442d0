/// The conditions of one line of the results, as JSON has them: `["period": 64, "thread":
/// "real-time"]`.
package struct Conditions: Encodable, Hashable, Sendable, ExpressibleByDictionaryLiteral {
    package enum Value: Encodable, Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
        ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
    {
        case text(String), whole(Int), number(Double), flag(Bool)

        package init(stringLiteral value: String) { self = .text(value) }
        package init(integerLiteral value: Int) { self = .whole(value) }
        package init(floatLiteral value: Double) { self = .number(value) }
        package init(booleanLiteral value: Bool) { self = .flag(value) }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let value): try container.encode(value)
            case .whole(let value): try container.encode(value)
            case .number(let value): try container.encode(value)
            case .flag(let value): try container.encode(value)
            }
        }
    }

    package var values: [String: Value]

    package init(_ values: [String: Value]) { self.values = values }

    package init(dictionaryLiteral elements: (String, Value)...) {
        values = Dictionary(elements) { $1 }
    }

    /// Returns these conditions with others added or replaced.
    package func with(_ others: Conditions) -> Conditions { Conditions(values.merging(others.values) { $1 }) }

    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for (key, value) in values { try container.encode(value, forKey: Name(stringValue: key)) }
    }
}
