/// An activity is `{"state": "active", "since": …}` in JSON. For a waiting session, the object also
/// has the other keys of `SessionState.Wait`: `rival` (the interrupter), `rule`, `reason` and
/// `mayResume`.
extension SessionState.Activity: JSONDescribed {
    package static var allowedInJSON: String { "an activity, an object with 'state' and 'since'" }

    private enum Key: String, CodingKey { case state, since }

    private enum Name: String, JSONNamed { case inactive, active, waiting }

    public init(from decoder: any Decoder) throws {
        let object = try decoder.object(of: Key.self, Self.allowedInJSON)
        switch try object.read(.state, as: Name.self) {
        case .inactive: self = .inactive(since: try object.read(.since))
        case .active: self = .active(since: try object.read(.since))
        case .waiting: self = .waiting(try SessionState.Wait(from: decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        switch self {
        case .inactive(let since):
            try object.encode(Name.inactive, forKey: .state)
            try object.encode(since, forKey: .since)
        case .active(let since):
            try object.encode(Name.active, forKey: .state)
            try object.encode(since, forKey: .since)
        case .waiting(let wait):
            try object.encode(Name.waiting, forKey: .state)
            try wait.encode(to: encoder)
        }
    }
}
