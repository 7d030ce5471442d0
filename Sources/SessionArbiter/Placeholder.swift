internal import SessionPolicy
struct GrantOrder { mutating func follow(_ state: PolicyState) {} }
