/// A value whose decoding errors can state what is allowed. JSON is a public interface, which
/// people also write by hand: `debugDescription` says what was read and what is allowed.
package protocol JSONDescribed: Codable {
    /// Completes the phrase "it must be …".
    static var allowedInJSON: String { get }
}

extension Bool: JSONDescribed { package static var allowedInJSON: String { "true or false" } }
extension String: JSONDescribed { package static var allowedInJSON: String { "a string" } }
extension Int: JSONDescribed { package static var allowedInJSON: String { "a whole number" } }
extension Double: JSONDescribed { package static var allowedInJSON: String { "a finite number" } }
extension Float: JSONDescribed { package static var allowedInJSON: String { "a finite number" } }
extension Array: JSONDescribed where Element: JSONDescribed {
    package static var allowedInJSON: String { "an array, and each element \(Element.allowedInJSON)" }
}

extension KeyedDecodingContainer {
    /// Returns the value of a required key. Throws an error that states what was read and what is
    /// allowed; an error in a part of the value is thrown as it is.
    package func read<Value: JSONDescribed>(_ key: Key, as type: Value.Type = Value.self) throws -> Value {
        guard contains(key) else {
            throw DecodingError.keyNotFound(
                key,
                .init(
                    codingPath: codingPath,
                    debugDescription: "'\(key.stringValue)' is missing; it must be \(Value.allowedInJSON)."))
        }
        do {
            return try decode(Value.self, forKey: key)
        } catch {
            if let deeper = error as? DecodingError, deeper.isOfKey || deeper.depth > codingPath.count + 1 {
                throw deeper
            }
            throw try superDecoder(forKey: key).singleValueContainer().wrong(Value.allowedInJSON)
        }
    }

    /// Returns the value of a key that may be missing or null.
    package func readIfPresent<Value: JSONDescribed>(_ key: Key, as type: Value.Type = Value.self) throws -> Value? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        return try read(key)
    }

    /// Returns a finite number. Some decoders can be configured to accept other values.
    package func readFinite<Value: JSONDescribed & BinaryFloatingPoint>(_ key: Key) throws -> Value {
        let value: Value = try read(key)
        guard value.isFinite else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self,
                debugDescription: "'\(key.stringValue)' was \(value); it must be a finite number.")
        }
        return value
    }
}

extension Decoder {
    /// Returns the keys of the object at this position.
    package func object<Key: CodingKey>(of keys: Key.Type, _ allowed: String) throws -> KeyedDecodingContainer<Key> {
        do {
            return try container(keyedBy: keys)
        } catch {
            throw try singleValueContainer().wrong(allowed)
        }
    }

    /// Returns the single value at this position.
    package func read<Value: Decodable>(
        _ type: Value.Type = Value.self, allowed: @autoclosure () -> String
    ) throws -> Value {
        let container = try singleValueContainer()
        do {
            return try container.decode(Value.self)
        } catch {
            throw container.wrong(allowed())
        }
    }
}

extension SingleValueDecodingContainer {
    /// Returns the error that states what was read here and what is allowed.
    package func wrong(_ allowed: String) -> DecodingError {
        let place = codingPath.last.map { $0.intValue.map { "Element \($0)" } ?? "'\($0.stringValue)'" } ?? "The value"
        return .dataCorrupted(
            .init(codingPath: codingPath, debugDescription: "\(place) was \(found); it must be \(allowed)."))
    }

    private var found: String {
        if decodeNil() { return "null" }
        if let value = try? decode(Bool.self) { return "\(value)" }
        if let value = try? decode(Int64.self) { return "\(value)" }
        if let value = try? decode(UInt64.self) { return "\(value)" }
        if let value = try? decode(Double.self) { return "\(value)" }
        if let value = try? decode(String.self) { return "'\(value.prefix(60))'" }
        return "something else"
    }
}

extension DecodingError {
    /// The number of keys on the path to the error.
    fileprivate var depth: Int {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context.codingPath.count
        @unknown default: 0
        }
    }

    /// Whether the error names a missing key.
    fileprivate var isOfKey: Bool {
        if case .keyNotFound = self { true } else { false }
    }
}
