/// Which server is measured on.
package enum ServerKind: String, CaseIterable, Codable, Sendable {
    /// jackd as it is started most: clients run in the period after the one they were called for.
    case jackd
    /// jackd -S: clients run within the period.
    case jackdSync = "jackd-sync"
    /// PipeWire through its own libjack.
    case pipewire

    package var isSync: Bool { self != .jackd }

    /// Ports that its device offers to be heard; two more play.
    package var inputs: Int { self == .pipewire ? 0 : 2 }

    /// Those of this name that are installed here, or all of them for `all`; nil: there is no such server. Without PipeWire's libjack only both of jackd.
    package static func installed(_ name: String) -> [ServerKind]? {
        if let kind = ServerKind(rawValue: name) { return [kind] }
        guard name == "all" else { return nil }
        if PipeWire.library != nil { return allCases }
        return [.jackd, .jackdSync]
    }
}
