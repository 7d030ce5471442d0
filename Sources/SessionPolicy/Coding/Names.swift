extension ApplicationState: JSONNamed {}
extension DeactivationKind: JSONNamed {}
extension IdleRelease: JSONNamed {}
extension Reason.Kind: JSONNamed {}
extension Refusal.Code: JSONNamed {}
extension Rule: JSONNamed {}

extension Rank: JSONCaseNamed {
    public init(from decoder: any Decoder) throws { self = try Self.readName(from: decoder) }
    public func encode(to encoder: any Encoder) throws { try writeName(to: encoder) }
}
