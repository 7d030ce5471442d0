public import AudioSessions

// Sources within a port, and how they face and hear. The audio server knows of none: everything here answers nil, and wishes throw.

extension AudioSession {
    /// Where on a device a source sits.
    public struct Location: RawRepresentable, Hashable, Sendable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let upper = Location(rawValue: "Upper")
        public static let lower = Location(rawValue: "Lower")
    }

    /// Where a source faces.
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

    /// What a source hears around it.
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

    /// Nil changes nothing; any pattern throws resourceNotAvailable.
    public func setPreferredPolarPattern(_ pattern: AudioSession.PolarPattern?) throws {
        guard let pattern else { return }
        throw AudioSessionError(
            .resourceNotAvailable, rule: "ROUTE-1",
            """
            The polar pattern '\(pattern.rawValue)' was asked for; the audio server's inputs have none. Choose a microphone that hears so \
            (setPreferredInput).
            """)
    }
}

extension AudioSessionPortDescription {
    /// Nil changes nothing; a port has no sources, and any throws badParam.
    public func setPreferredDataSource(_ dataSource: AudioSessionDataSourceDescription?) throws {
        guard let dataSource else { return }
        throw AudioSessionError(
            .badParam, rule: "ROUTE-1",
            "The data source '\(dataSource.dataSourceName)' was asked for; '\(portName)' has none. Choose another port instead."
        )
    }
}

/// A channel's place, by Core Audio's numbers.
public typealias AudioChannelLabel = UInt32

extension AudioSessionChannelDescription {
    /// Left (1) and right (2) for the first two, as the field orders them; from the third on a number without a place (65,536 and the
    /// channel's). The audio server names no places.
    public var channelLabel: AudioChannelLabel {
        (1...2).contains(channelNumber)
            ? AudioChannelLabel(channelNumber) : 1 << 16 | AudioChannelLabel(clamping: channelNumber)
    }
}
