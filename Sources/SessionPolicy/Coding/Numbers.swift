/// JSON represents ids and times by single numbers.
extension SessionID: JSONDescribed {
    package static var allowedInJSON: String { "a session's id, a whole number from 0 to \(UInt64.max)" }

    public init(from decoder: any Decoder) throws { self.init(try decoder.read(allowed: Self.allowedInJSON)) }
    public func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}

extension AppID: JSONDescribed {
    package static var allowedInJSON: String { "an app's id, a whole number from 0 to \(UInt64.max); 0 is the system" }

    public init(from decoder: any Decoder) throws { self.init(try decoder.read(allowed: Self.allowedInJSON)) }
    public func encode(to encoder: any Encoder) throws { try rawValue.encode(to: encoder) }
}

extension EventTime: JSONDescribed {
    package static var allowedInJSON: String { "a time in nanoseconds, a whole number from 0 to \(UInt64.max)" }

    public init(from decoder: any Decoder) throws {
        self.init(nanoseconds: try decoder.read(allowed: Self.allowedInJSON))
    }
    public func encode(to encoder: any Encoder) throws { try nanoseconds.encode(to: encoder) }
}
