public import AudioSessions

// Data sources within a port, with their location, orientation and polar patterns. The audio server
// reports none: all properties of data sources are nil, and setters throw for any value but nil.

extension AudioSession {
    /// The location of a data source on a device.
    public struct Location: RawRepresentable, Hashable, Sendable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let upper = Location(rawValue: "Upper")
        public static let lower = Location(rawValue: "Lower")
    }

    /// The direction that a data source faces.
    public struct Orientation: RawRepresentable, Hashable, Sendable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let top = Orientation(rawValue: "Top")
        public static let bottom = Orientation(rawValue: "Bottom")
        public static let front = Orientation(rawValue: "Front")
        public static let back = Orientation(rawValue: "Back")
        public static let left = Orientation(rawValue: "Left")
        public static let right = Orientation(rawValue: "Right")
    }

    /// The directional sensitivity of a data source.
    public struct PolarPattern: RawRepresentable, Hashable, Sendable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let omnidirectional = PolarPattern(rawValue: "Omnidirectional")
        public static let cardioid = PolarPattern(rawValue: "Cardioid")
        public static let subcardioid = PolarPattern(rawValue: "Subcardioid")
        public static let stereo = PolarPattern(rawValue: "Stereo")
    }
}

extension AudioSessionDataSourceDescription {
    public var location: AudioSession.Location? { nil }
    public var orientation: AudioSession.Orientation? { nil }
    public var supportedPolarPatterns: [AudioSession.PolarPattern]? { nil }
    public var selectedPolarPattern: AudioSession.PolarPattern? { nil }
    public var preferredPolarPattern: AudioSession.PolarPattern? { nil }

    /// Changes nothing for nil; throws resourceNotAvailable for any pattern.
    public func setPreferredPolarPattern(_ pattern: AudioSession.PolarPattern?) throws {
        guard let pattern else { return }
        throw AudioSessionError(
            .resourceNotAvailable, rule: "ROUTE-1",
            """
            The polar pattern '\(pattern.rawValue)' was requested, but the audio server's inputs have none. \
            Choose a microphone with this pattern (setPreferredInput).
            """)
    }
}

/// A channel's position, as a number of Core Audio.
public typealias AudioChannelLabel = UInt32

extension AudioSessionChannelDescription {
    /// Left (1) and right (2) for the first two channels, by convention; from the third channel on,
    /// a number without a position (65,536 plus the channel number). The audio server does not
    /// report positions.
    public var channelLabel: AudioChannelLabel {
        (1...2).contains(channelNumber)
            ? AudioChannelLabel(channelNumber) : 1 << 16 | AudioChannelLabel(clamping: channelNumber)
    }
}
