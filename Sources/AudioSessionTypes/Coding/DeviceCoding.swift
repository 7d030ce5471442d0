/// People write the description of a device that they plug in, so decoding errors say which keys a
/// description has.
extension AudioDevice: JSONDescribed {
    package static var allowedInJSON: String { "a device, an object with 'uid' and 'ports'" }

    private enum Key: String, CodingKey { case uid, ports, server, isAwaited }

    public init(from decoder: any Decoder) throws {
        let object = try decoder.object(of: Key.self, Self.allowedInJSON)
        self.init(
            uid: try object.read(.uid), ports: try object.read(.ports), server: try object.readIfPresent(.server),
            isAwaited: try object.readIfPresent(.isAwaited) ?? false)
    }

    /// Leaves out what is not the case: most devices are not awaited.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(uid, forKey: .uid)
        try object.encode(ports, forKey: .ports)
        try object.encodeIfPresent(server, forKey: .server)
        if isAwaited { try object.encode(true, forKey: .isAwaited) }
    }
}

extension DevicePort: JSONDescribed {
    package static var allowedInJSON: String {
        "a port, an object with 'uid', 'name', 'type', 'direction' and 'channels'"
    }

    private enum Key: String, CodingKey { case uid, name, type, direction, channels }

    public init(from decoder: any Decoder) throws {
        let object = try decoder.object(of: Key.self, Self.allowedInJSON)
        self.init(
            uid: try object.read(.uid), name: try object.read(.name), type: try object.read(.type),
            direction: try object.read(.direction), channels: try object.read(.channels))
    }
}

extension Route: JSONDescribed {
    package static var allowedInJSON: String { "a route, an object with 'inputs' and 'outputs'" }

    private enum Key: String, CodingKey { case inputs, outputs }

    public init(from decoder: any Decoder) throws {
        let object = try decoder.object(of: Key.self, Self.allowedInJSON)
        self.init(inputs: try object.read(.inputs), outputs: try object.read(.outputs))
    }
}
