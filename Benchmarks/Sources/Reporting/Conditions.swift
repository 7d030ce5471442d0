/// The conditions of a result, as JSON has them: `["period": 64, "thread": "real-time"]`.
package struct Conditions: Codable, Hashable, Sendable, ExpressibleByDictionaryLiteral {
    package enum Value: Codable, Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
        ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
    {
        case text(String), whole(Int), number(Double), flag(Bool)

        package init(stringLiteral value: String) { self = .text(value) }
        package init(integerLiteral value: Int) { self = .whole(value) }
        package init(floatLiteral value: Double) { self = .number(value) }
        package init(booleanLiteral value: Bool) { self = .flag(value) }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(Bool.self) {
                self = .flag(value)
            } else if let value = try? container.decode(Int.self) {
                self = .whole(value)
            } else if let value = try? container.decode(Double.self) {
                self = .number(value)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let value): try container.encode(value)
            case .whole(let value): try container.encode(value)
            case .number(let value): try container.encode(value)
            case .flag(let value): try container.encode(value)
            }
        }

        /// The value for readers.
        package var text: String {
            switch self {
            case .text(let value): value
            case .whole(let value): digits(Double(value))
            case .number(let value): digits(value)
            case .flag(let value): value ? "yes" : "no"
            }
        }

        /// The number; NaN if this is something else.
        package var number: Double {
            switch self {
            case .whole(let value): Double(value)
            case .number(let value): value
            default: .nan
            }
        }
    }

    package var values: [String: Value]

    package init(_ values: [String: Value]) { self.values = values }

    package init(dictionaryLiteral elements: (String, Value)...) {
        values = Dictionary(elements) { $1 }
    }

    package init(from decoder: any Decoder) throws { values = try [String: Value](from: decoder) }

    package func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }

    /// Returns these conditions with others added or replaced.
    package func with(_ others: Conditions) -> Conditions { Conditions(values.merging(others.values) { $1 }) }
}
