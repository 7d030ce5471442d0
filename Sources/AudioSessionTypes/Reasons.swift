/// Why an interruption began (INT-2). The raw values are those of AVAudioSession.
public enum InterruptionReason: UInt, Hashable, Sendable, Codable, CaseIterable {
    /// Another session interrupted this one.
    case `default` = 0
    /// The app was suspended (BG-3).
    case appWasSuspended = 1
    /// The microphone was muted in hardware (INT-10).
    case builtInMicMuted = 2
    /// The output that the session played to was disconnected (ROUTE-4).
    case routeDisconnected = 4
}

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
