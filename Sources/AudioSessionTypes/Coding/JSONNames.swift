/// A value that JSON represents by its name.
package protocol JSONNamed: JSONDescribed, RawRepresentable, CaseIterable where RawValue == String {}

extension JSONNamed {
    package static var allowedInJSON: String { "one of " + allCases.map(\.rawValue).joined(separator: ", ") }

    public init(from decoder: any Decoder) throws {
        let name: String = try decoder.read(allowed: Self.allowedInJSON)
        guard let value = Self(rawValue: name) else {
            throw try decoder.singleValueContainer().wrong(Self.allowedInJSON)
        }
        self = value
    }
}

extension Category: JSONNamed {}
extension DevicePort.Direction: JSONNamed {}
extension Mode: JSONNamed {}
extension PortType: JSONNamed {}

/// A value whose raw value is a number of another interface. JSON represents it by the name of its
/// case.
package protocol JSONCaseNamed: JSONDescribed, RawRepresentable, CaseIterable {}

extension JSONCaseNamed {
    package static var allowedInJSON: String { "one of " + allCases.map(\.name).joined(separator: ", ") }

    /// The name in JSON, settings and commands.
    package var name: String { "\(self)" }

    /// Returns the value with this name, or nil.
    package static func named(_ name: String) -> Self? { allCases.first { $0.name == name } }

    package static func readName(from decoder: any Decoder) throws -> Self {
        let name: String = try decoder.read(allowed: allowedInJSON)
        guard let value = named(name) else {
            throw try decoder.singleValueContainer().wrong(allowedInJSON)
        }
        return value
    }

    package func writeName(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

extension InterruptionReason: JSONCaseNamed {
    public init(from decoder: any Decoder) throws { self = try Self.readName(from: decoder) }
    public func encode(to encoder: any Encoder) throws { try writeName(to: encoder) }
}

extension RouteChangeReason: JSONCaseNamed {
    public init(from decoder: any Decoder) throws { self = try Self.readName(from: decoder) }
    public func encode(to encoder: any Encoder) throws { try writeName(to: encoder) }
}

extension RouteSharingPolicy: JSONCaseNamed {
    public init(from decoder: any Decoder) throws { self = try Self.readName(from: decoder) }
    public func encode(to encoder: any Encoder) throws { try writeName(to: encoder) }
}

extension RecordPermission: JSONCaseNamed {
    public init(from decoder: any Decoder) throws { self = try Self.readName(from: decoder) }
    public func encode(to encoder: any Encoder) throws { try writeName(to: encoder) }
}
