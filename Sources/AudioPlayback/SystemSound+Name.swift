extension SystemSound {
    /// The name of a sound in a sound theme: one of those below, of the Sound Naming Specification
    /// of freedesktop.org, or any other that a theme has, such as `"window-close"`.
    public struct Name: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
        public init(stringLiteral value: String) { rawValue = value }

        public var description: String { rawValue }

        // Alerts: something is wrong, or needs an answer.
        public static let dialogError: Name = "dialog-error"
        public static let dialogWarning: Name = "dialog-warning"
        public static let dialogInformation: Name = "dialog-information"
        public static let networkConnectivityLost: Name = "network-connectivity-lost"
        public static let networkConnectivityEstablished: Name = "network-connectivity-established"
        public static let batteryLow: Name = "battery-low"
        public static let suspendError: Name = "suspend-error"

        // Notifications: something has happened.
        public static let bell: Name = "bell"
        public static let message: Name = "message"
        public static let messageNewInstant: Name = "message-new-instant"
        public static let complete: Name = "complete"
        public static let phoneIncomingCall: Name = "phone-incoming-call"
        public static let alarmClockElapsed: Name = "alarm-clock-elapsed"
        public static let deviceAdded: Name = "device-added"
        public static let deviceRemoved: Name = "device-removed"
        public static let serviceLogin: Name = "service-login"
        public static let serviceLogout: Name = "service-logout"
        public static let windowAttention: Name = "window-attention"

        // Actions: what the user did.
        public static let phoneOutgoingCalling: Name = "phone-outgoing-calling"
        public static let phoneOutgoingBusy: Name = "phone-outgoing-busy"
        public static let screenCapture: Name = "screen-capture"
        public static let cameraShutter: Name = "camera-shutter"
        public static let trashEmpty: Name = "trash-empty"

        // Feedback to the user's input.
        public static let audioVolumeChange: Name = "audio-volume-change"
        public static let buttonPressed: Name = "button-pressed"
        public static let buttonToggleOn: Name = "button-toggle-on"
        public static let buttonToggleOff: Name = "button-toggle-off"
    }
}
