internal import AudioRendering
internal import Dispatch

/// A jackd takes another rate by closing its own driver and opening it anew; for as long as that takes, seconds with some sound cards, its own ports
/// (`system:…`) are gone, and nobody has pulled anything out: a card that is pulled out ends the server. So a device of the server's own that
/// is gone is still a device (keeps ROUTE-4 from being told), until that has lasted for long.
struct DriverSwitch: Sendable {
    /// Seconds that a driver may take to be opened.
    static let usualPatience = 10.0

    private let patience: Double
    /// When what is gone is to be believed; nil: nothing is, or it is believed.
    private(set) var end: DispatchTime?
    private var isBelieved = false

    init(patience: Double) { self.patience = patience }

    /// Whether it is over now; once.
    mutating func takeEnd() -> Bool {
        guard let end, end <= .now() else { return false }
        self.end = nil
        isBelieved = true
        return true
    }

    /// What there is: of those that were `known` before, the server's own stay although `ports`, which are all there are, have nothing of theirs
    /// in one direction; unless their ports are another device's now.
    mutating func complete(_ found: [FoundDevice], from ports: Set<String>, known: [FoundDevice]) -> [FoundDevice] {
        let away = known.filter { device in
            device.isServersOwn && device.channels.values.contains { $0.allSatisfy { !ports.contains($0) } }
                && !found.contains { $0.isServersOwn && $0.device.uid != device.device.uid }
        }
        guard !away.isEmpty else {
            self = DriverSwitch(patience: patience)
            return found
        }
        // Until it is told: that may take more than one look.
        guard !isBelieved else { return found }
        end = end ?? .now() + patience
        let uids = known.map(\.device.uid)
        let old = uids.compactMap { uid in (away + found).first { $0.device.uid == uid } }
        return old + found.filter { !uids.contains($0.device.uid) }
    }
}

extension FoundDevice {
    /// Whether it is the one that the server itself plays on.
    fileprivate var isServersOwn: Bool { channels.values.joined().contains { $0.hasPrefix("system:") } }
}
