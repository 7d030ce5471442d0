package import AudioRendering

/// The alias by which a virtual device describes each of its ports:
/// `virtual-device:<kind>:<device>:<channel>`.
package struct VirtualDeviceAlias: Hashable, Sendable {
    package var type: PortType
    package var device: String

    package init?(_ alias: String) {
        let fields = alias.split(separator: ":", omittingEmptySubsequences: false)
        guard fields.count >= 4, fields[0] == "virtual-device", let type = PortType(rawValue: String(fields[1]))
        else {
            return nil
        }
        self.type = type
        device = fields[2..<(fields.count - 1)].joined(separator: ":")
        if device.isEmpty { return nil }
    }
}
