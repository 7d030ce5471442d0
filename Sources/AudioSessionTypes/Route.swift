/// The ports through which a session plays and records.
public struct Route: Hashable, Sendable, Codable {
    public var inputs: [DevicePort]
    public var outputs: [DevicePort]

    public init(inputs: [DevicePort] = [], outputs: [DevicePort] = []) {
        self.inputs = inputs
        self.outputs = outputs
    }
}
