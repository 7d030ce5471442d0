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
