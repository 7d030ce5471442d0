package import AudioRendering

/// The alias by which a virtual device describes each of its ports:
/// `virtual-device:<kind>:<device>:<channel>`.
package struct VirtualDeviceAlias: Hashable, Sendable {
    package var kind: HardwareKind
    package var device: String

    package init?(_ alias: String) {
        let fields = alias.split(separator: ":", omittingEmptySubsequences: false)
        guard fields.count >= 4, fields[0] == "virtual-device", let kind = HardwareKind(rawValue: String(fields[1]))
        else {
            return nil
        }
        self.kind = kind
        device = fields[2..<(fields.count - 1)].joined(separator: ":")
        if device.isEmpty { return nil }
    }
}
