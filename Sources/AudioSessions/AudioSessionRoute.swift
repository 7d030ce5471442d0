public import Foundation

/// The kind of a port's device; `AudioSession.Port` is an alias.
public struct AudioSessionPort: RawRepresentable, Hashable, Sendable {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let continuityMicrophone = AudioSessionPort(rawValue: "ContinuityMicrophone")
    public static let lineIn = AudioSessionPort(rawValue: "LineIn")
    public static let builtInMic = AudioSessionPort(rawValue: "MicrophoneBuiltIn")
    public static let headsetMic = AudioSessionPort(rawValue: "MicrophoneWired")
    public static let lineOut = AudioSessionPort(rawValue: "LineOut")
    public static let headphones = AudioSessionPort(rawValue: "Headphones")
    public static let bluetoothA2DP = AudioSessionPort(rawValue: "BluetoothA2DPOutput")
    public static let builtInReceiver = AudioSessionPort(rawValue: "Receiver")
    public static let builtInSpeaker = AudioSessionPort(rawValue: "Speaker")
    public static let HDMI = AudioSessionPort(rawValue: "HDMIOutput")
    public static let airPlay = AudioSessionPort(rawValue: "AirPlay")
    public static let bluetoothLE = AudioSessionPort(rawValue: "BluetoothLE")
    public static let bluetoothHFP = AudioSessionPort(rawValue: "BluetoothHFP")
    public static let usbAudio = AudioSessionPort(rawValue: "USBAudio")
    public static let carAudio = AudioSessionPort(rawValue: "CarAudio")
    public static let virtual = AudioSessionPort(rawValue: "Virtual")
    public static let PCI = AudioSessionPort(rawValue: "PCI")
    public static let fireWire = AudioSessionPort(rawValue: "FireWire")
    public static let displayPort = AudioSessionPort(rawValue: "DisplayPort")
    public static let AVB = AudioSessionPort(rawValue: "AVB")
    public static let thunderbolt = AudioSessionPort(rawValue: "Thunderbolt")
}

/// One channel of a port (ROUTE-1). Open, so that tests of apps can subclass it.
open class AudioSessionChannelDescription: NSObject {
    private let values: (name: String, number: Int, owner: String)

    /// Creates a description without values, for subclasses that override the properties.
    public override init() { values = ("", 0, "") }

    public init(channelName: String, channelNumber: Int, owningPortUID: String) {
        values = (channelName, channelNumber, owningPortUID)
    }

    /// The port's own name for the channel.
    open var channelName: String { values.name }
    /// The channel's number, starting at 1.
    open var channelNumber: Int { values.number }
    /// The uid of the port that the channel belongs to.
    open var owningPortUID: String { values.owner }
}

/// A data source within a port, such as one of several microphones of an iOS device. The audio
/// server reports none (ROUTE-1). Open, so that tests of apps can subclass it.
open class AudioSessionDataSourceDescription: NSObject {
    private let values: (id: NSNumber, name: String)

    /// Creates a description without values, for subclasses that override the properties.
    public override init() { values = (0, "") }

    public init(dataSourceID: NSNumber, dataSourceName: String) { values = (dataSourceID, dataSourceName) }

    open var dataSourceID: NSNumber { values.id }
    open var dataSourceName: String { values.name }
}

/// The input or output of a device (ROUTE-1). Open, so that tests of apps can subclass it.
open class AudioSessionPortDescription: NSObject {
    private let values: (type: AudioSessionPort, name: String, uid: String, channels: [AudioSessionChannelDescription])

    /// Creates a description without values, for subclasses that override the properties.
    public override init() { values = (.virtual, "", "", []) }

    public init(
        portType: AudioSessionPort, portName: String, uid: String, channels: [AudioSessionChannelDescription]
    ) {
        values = (portType, portName, uid, channels)
    }

    /// The kind of the device.
    open var portType: AudioSessionPort { values.type }
    /// A name to display to users.
    open var portName: String { values.name }
    /// An identifier that is the same each time the same device is connected.
    open var uid: String { values.uid }
    /// The port's channels. Never nil here; optional as in iOS.
    open var channels: [AudioSessionChannelDescription]? { values.channels }

    /// Always nil: JACK does not report data sources.
    open var dataSources: [AudioSessionDataSourceDescription]? { nil }
    open var selectedDataSource: AudioSessionDataSourceDescription? { nil }
    open var preferredDataSource: AudioSessionDataSourceDescription? { nil }
    /// Changes nothing for nil; throws badParam for any data source, because a port has none.
    open func setPreferredDataSource(_ dataSource: AudioSessionDataSourceDescription?) throws {
        guard let dataSource else { return }
        throw AudioSessionError(
            .badParam, rule: "ROUTE-1",
            "Data source '\(dataSource.dataSourceName)' was requested, but '\(portName)' has none. Choose another port."
        )
    }

    /// Always false: the server's ports carry the unprocessed signal of the device.
    open var hasHardwareVoiceCallProcessing: Bool { false }
    /// Always false.
    open var isSpatialAudioEnabled: Bool { false }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AudioSessionPortDescription else { return false }
        return other.uid == uid && other.portType == portType
    }

    open override var hash: Int { uid.hashValue }
    open override var description: String { "\(portName) (\(portType.rawValue), \(values.channels.count) ch)" }
}

/// The input and output ports that a session uses (ROUTE-1). Open, so that tests of apps can
/// subclass it.
open class AudioSessionRouteDescription: NSObject {
    private let values: (inputs: [AudioSessionPortDescription], outputs: [AudioSessionPortDescription])

    /// Creates a route without ports, for subclasses that override the properties.
    public override init() { values = ([], []) }

    public init(inputs: [AudioSessionPortDescription], outputs: [AudioSessionPortDescription]) {
        values = (inputs, outputs)
    }

    open var inputs: [AudioSessionPortDescription] { values.inputs }
    open var outputs: [AudioSessionPortDescription] { values.outputs }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AudioSessionRouteDescription else { return false }
        return other.inputs == inputs && other.outputs == outputs
    }

    open override var hash: Int { outputs.hashValue }
    open override var description: String { "in \(inputs), out \(outputs)" }
}
