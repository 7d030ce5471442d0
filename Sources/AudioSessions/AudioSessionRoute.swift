public import Foundation

extension AudioSession {
    /// The kind of a port's device.
    public struct Port: RawRepresentable, Hashable, Sendable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let continuityMicrophone = Port(rawValue: "ContinuityMicrophone")
        public static let lineIn = Port(rawValue: "LineIn")
        public static let builtInMic = Port(rawValue: "MicrophoneBuiltIn")
        public static let headsetMic = Port(rawValue: "MicrophoneWired")
        public static let lineOut = Port(rawValue: "LineOut")
        public static let headphones = Port(rawValue: "Headphones")
        public static let bluetoothA2DP = Port(rawValue: "BluetoothA2DPOutput")
        public static let builtInReceiver = Port(rawValue: "Receiver")
        public static let builtInSpeaker = Port(rawValue: "Speaker")
        public static let HDMI = Port(rawValue: "HDMIOutput")
        public static let airPlay = Port(rawValue: "AirPlay")
        public static let bluetoothLE = Port(rawValue: "BluetoothLE")
        public static let bluetoothHFP = Port(rawValue: "BluetoothHFP")
        public static let usbAudio = Port(rawValue: "USBAudio")
        public static let carAudio = Port(rawValue: "CarAudio")
        public static let virtual = Port(rawValue: "Virtual")
        public static let PCI = Port(rawValue: "PCI")
        public static let fireWire = Port(rawValue: "FireWire")
        public static let displayPort = Port(rawValue: "DisplayPort")
        public static let AVB = Port(rawValue: "AVB")
        public static let thunderbolt = Port(rawValue: "Thunderbolt")
    }
}

/// One channel of a port (ROUTE-1). Open, so that tests of apps can subclass it.
open class AudioSessionChannelDescription: NSObject {
    private let values: (name: String, number: Int, owner: String)

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

    public init(dataSourceID: NSNumber, dataSourceName: String) { values = (dataSourceID, dataSourceName) }

    open var dataSourceID: NSNumber { values.id }
    open var dataSourceName: String { values.name }
}

/// The input or output of a device (ROUTE-1). Open, so that tests of apps can subclass it.
open class AudioSessionPortDescription: NSObject {
    private let values: (type: AudioSession.Port, name: String, uid: String, channels: [AudioSessionChannelDescription])

    public init(
        portType: AudioSession.Port, portName: String, uid: String, channels: [AudioSessionChannelDescription]
    ) {
        values = (portType, portName, uid, channels)
    }

    /// The kind of the device.
    open var portType: AudioSession.Port { values.type }
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
