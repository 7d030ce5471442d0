internal import SessionPolicy
struct GrantOrder { mutating func follow(_ state: PolicyState) {} ; subscript(id: SessionID) -> UInt64 { 0 }; func pending(_ id: SessionID) -> UInt64? { nil } }
package struct PermissionStore: Sendable { package static let standard: PermissionStore? = nil; var answers: [String: RecordPermission] { [:] }; func keep(_ answer: RecordPermission, for program: String) {} }
