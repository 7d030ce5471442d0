/// A value of which an error can say what it may be. JSON is a public interface: who writes it by hand is told what was read and what is
/// allowed, in `debugDescription`.
protocol JSONDescribed: Codable {
    /// Goes on "it must be …".
    static var allowedInJSON: String { get }
}

extension Bool: JSONDescribed { static var allowedInJSON: String { "true or false" } }
extension String: JSONDescribed { static var allowedInJSON: String { "a text" } }
extension Int: JSONDescribed { static var allowedInJSON: String { "a whole number" } }
extension Double: JSONDescribed { static var allowedInJSON: String { "a finite number" } }
extension Float: JSONDescribed { static var allowedInJSON: String { "a finite number" } }
extension Array: JSONDescribed where Element: JSONDescribed {
    static var allowedInJSON: String { "an array, and each element \(Element.allowedInJSON)" }
}

extension KeyedDecodingContainer {
    /// The value of a key that must be there.
    func read<Value: JSONDescribed>(_ key: Key, as type: Value.Type = Value.self) throws -> Value {
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

    /// The value of a key that may be missing, or null.
    func readIfPresent<Value: JSONDescribed>(_ key: Key, as type: Value.Type = Value.self) throws -> Value? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        return try read(key)
    }

    /// A number that is one: some decoders can be made to read others.
    func readFinite<Value: JSONDescribed & BinaryFloatingPoint>(_ key: Key) throws -> Value {
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
    /// The keys of the object that stands here.
    func object<Key: CodingKey>(of keys: Key.Type, _ allowed: String) throws -> KeyedDecodingContainer<Key> {
        do {
            return try container(keyedBy: keys)
        } catch {
            throw try singleValueContainer().wrong(allowed)
        }
    }

    /// The value that stands here alone.
    func read<Value: Decodable>(_ type: Value.Type = Value.self, allowed: String) throws -> Value {
        let container = try singleValueContainer()
        do {
            return try container.decode(Value.self)
        } catch {
            throw container.wrong(allowed)
        }
    }
}

extension SingleValueDecodingContainer {
    /// Says what was read here, and what is allowed.
    func wrong(_ allowed: String) -> DecodingError {
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
    /// How many keys lead to it.
    fileprivate var depth: Int {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context.codingPath.count
        @unknown default: 0
        }
    }

    /// A key is missing, which it names.
    fileprivate var isOfKey: Bool {
        if case .keyNotFound = self { true } else { false }
    }
}
