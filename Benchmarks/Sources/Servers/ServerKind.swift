/// The server that the measurement runs on.
package enum ServerKind: String, CaseIterable, Codable, Sendable {
    /// jackd as it is usually started: clients run in the period after the one for which they were
    /// called.
    case jackd
    /// jackd -S: clients run within the same period.
    case jackdSync = "jackd-sync"
    /// PipeWire through its own libjack.
    case pipewire

    package var isSync: Bool { self != .jackd }

    /// The number of input ports that its device offers, in addition to two output ports.
    package var inputs: Int { self == .pipewire ? 0 : 2 }

    /// Returns the installed kinds with this name, or all of them for `all`; nil if there is no
    /// such kind. Without PipeWire's libjack, only the two of jackd.
    package static func installed(_ name: String) -> [ServerKind]? {
        if let kind = ServerKind(rawValue: name) { return [kind] }
        guard name == "all" else { return nil }
        if PipeWire.library != nil { return allCases }
        return [.jackd, .jackdSync]
    }
}
