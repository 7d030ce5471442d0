/// A value that JSON represents by its name.
protocol JSONNamed: JSONDescribed, RawRepresentable, CaseIterable where RawValue == String {}

extension JSONNamed {
    static var allowedInJSON: String { "one of " + allCases.map(\.rawValue).joined(separator: ", ") }

    public init(from decoder: any Decoder) throws {
        let name: String = try decoder.read(allowed: Self.allowedInJSON)
        guard let value = Self(rawValue: name) else {
            throw try decoder.singleValueContainer().wrong(Self.allowedInJSON)
        }
        self = value
    }
}

extension ApplicationState: JSONNamed {}
extension Category: JSONNamed {}
extension DeactivationKind: JSONNamed {}
extension DevicePort.Direction: JSONNamed {}
extension Mode: JSONNamed {}
extension PortType: JSONNamed {}
extension Reason.Kind: JSONNamed {}
extension RecordPermission: JSONNamed {}
extension Refusal.Code: JSONNamed {}
extension Rule: JSONNamed {}

/// A value whose raw value is a number of another interface. JSON represents it by the name of its
/// case.
protocol JSONCaseNamed: JSONDescribed, RawRepresentable, CaseIterable {}

extension JSONCaseNamed {
    static var allowedInJSON: String { "one of " + allCases.map { "\($0)" }.joined(separator: ", ") }

    fileprivate static func read(from decoder: any Decoder) throws -> Self {
        let name: String = try decoder.read(allowed: allowedInJSON)
        guard let value = allCases.first(where: { "\($0)" == name }) else {
            throw try decoder.singleValueContainer().wrong(allowedInJSON)
        }
        return value
    }

    fileprivate func writeName(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode("\(self)")
    }
}

extension Rank: JSONCaseNamed {
    public init(from decoder: any Decoder) throws { self = try Self.read(from: decoder) }
    public func encode(to encoder: any Encoder) throws { try writeName(to: encoder) }
}

extension InterruptionReason: JSONCaseNamed {
    public init(from decoder: any Decoder) throws { self = try Self.read(from: decoder) }
    public func encode(to encoder: any Encoder) throws { try writeName(to: encoder) }
}

extension RouteChangeReason: JSONCaseNamed {
    public init(from decoder: any Decoder) throws { self = try Self.read(from: decoder) }
    public func encode(to encoder: any Encoder) throws { try writeName(to: encoder) }
}

extension RouteSharingPolicy: JSONCaseNamed {
    public init(from decoder: any Decoder) throws { self = try Self.read(from: decoder) }
    public func encode(to encoder: any Encoder) throws { try writeName(to: encoder) }
}
