package import AudioRendering

/// What a stand-in for a device says of each of its ports, as an alias: `stand-in:<kind>:<device>:<channel>`.
package struct StandInAlias: Hashable, Sendable {
    package var kind: HardwareKind
    package var device: String

    package init?(_ alias: String) {
        let fields = alias.split(separator: ":", omittingEmptySubsequences: false)
        guard fields.count >= 4, fields[0] == "stand-in", let kind = HardwareKind(rawValue: String(fields[1])) else {
            return nil
        }
        self.kind = kind
        device = fields[2..<(fields.count - 1)].joined(separator: ":")
        if device.isEmpty { return nil }
    }
}
