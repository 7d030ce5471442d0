internal import SessionPolicy
struct GrantOrder { mutating func follow(_ state: PolicyState) {} ; subscript(id: SessionID) -> UInt64 { 0 }; func pending(_ id: SessionID) -> UInt64? { nil } }
