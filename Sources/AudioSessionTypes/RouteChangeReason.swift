/// Why a route changed (ROUTE-3). The raw values are those of AVAudioSession.
public enum RouteChangeReason: UInt, Hashable, Sendable, Codable, CaseIterable {
    case unknown = 0
    /// A device was plugged in.
    case newDeviceAvailable = 1
    /// A device was unplugged.
    case oldDeviceUnavailable = 2
    /// The category changed.
    case categoryChange = 3
    /// The user, or the app, chose a port.
    case override = 4
    /// Not used by this library.
    case wakeFromSleep = 6
    /// The session has no output left (ROUTE-9).
    case noSuitableRouteForCategory = 7
    /// A device changed, or the app uses another server.
    case routeConfigurationChange = 8
}
