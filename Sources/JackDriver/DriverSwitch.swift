internal import AudioRendering
internal import Dispatch

/// Keeps the server's own device listed while jackd changes its sample rate. jackd then closes its
/// driver and opens it again; with some sound cards that takes seconds, during which the server's
/// ports (`system:…`) do not exist although nothing was unplugged. (If the card itself is
/// unplugged, the server exits.) Listing the device meanwhile, up to a time limit, keeps ROUTE-4
/// from pausing playback.
struct DriverSwitch: Sendable {
    /// The default number of seconds that the driver may take to open.
    static let defaultPatience = 10.0

    /// The time limit, in seconds.
    private let patience: Double
    /// When missing devices are reported as removed; nil if none is missing, or once they have been
    /// reported.
    private(set) var end: DispatchTime?
    /// Whether the time limit has passed, so that missing devices are no longer listed.
    private var isAbsenceAccepted = false

    init(patience: Double) { self.patience = patience }

    /// Returns true once, when the time has run out.
    mutating func takeEnd() -> Bool {
        guard let end, end <= .now() else { return false }
        self.end = nil
        isAbsenceAccepted = true
        return true
    }

    /// Returns the devices `found` and, until the time limit, the server's own among the devices
    /// `known` before whose ports of one direction are all missing from `ports`, the ports that
    /// exist. A device is not kept if the server's ports now belong to another device.
    mutating func complete(_ found: [FoundDevice], from ports: Set<String>, known: [FoundDevice]) -> [FoundDevice] {
        let away = known.filter { device in
            device.isServersOwn && device.channels.values.contains { $0.allSatisfy { !ports.contains($0) } }
                && !found.contains { $0.isServersOwn && $0.device.uid != device.device.uid }
        }
        guard !away.isEmpty else {
            self = DriverSwitch(patience: patience)
            return found
        }
        // Stays set until the devices return: the report may take more than one scan.
        guard !isAbsenceAccepted else { return found }
        end = end ?? .now() + patience
        let uids = known.map(\.device.uid)
        let old = uids.compactMap { uid in (away + found).first { $0.device.uid == uid } }
        return old + found.filter { !uids.contains($0.device.uid) }
    }
}

extension FoundDevice {
    /// Whether this is the device that the server itself plays on.
    fileprivate var isServersOwn: Bool { channels.values.joined().contains { $0.hasPrefix("system:") } }
}
