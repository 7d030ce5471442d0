internal import AudioRendering
internal import Foundation
internal import SessionArbiter
internal import SessionPolicy

/// Routes and ports: group ROUTE.
extension AudioSession {
    /// Where sound goes and comes from now. Of the audio server's own ports nothing more is known: they are of type `virtual`.
    public var currentRoute: AudioSessionRouteDescription {
        _ = host.format
        return AudioSessionRouteDescription(status?.route ?? Route())
    }

    /// The inputs that this category, mode and options may use, the newest first; empty without any (keeps ROUTE-6).
    public var availableInputs: [AudioSessionPortDescription]? {
        _ = host.format
        return (status?.availableInputs ?? []).map { AudioSessionPortDescription($0) }
    }

    /// The input that the app chose and that is there; nil when it chose none.
    public var preferredInput: AudioSessionPortDescription? {
        guard let status, let uid = status.session.preferredInput else { return nil }
        return status.availableInputs.first { $0.uid == uid }.map { AudioSessionPortDescription($0) }
    }

    /// Chooses among `availableInputs`; nil takes the choice back. Throws badParam for a port that is not there (keeps ROUTE-6).
    public func setPreferredInput(_ inPort: AudioSessionPortDescription?) throws {
        try submit { .preferInput($0, inPort?.uid) }
    }

    /// Values of `overrideOutputAudioPort`.
    public enum PortOverride: UInt, Hashable, Sendable {
        case none = 0
        case speaker = 0x7370_6b72
    }

    /// Sends sound to the built-in speaker whatever is connected, with playAndRecord only, until a route change of another cause, an
    /// interruption, or `none` (keeps ROUTE-5). On a machine without one nothing changes.
    public func overrideOutputAudioPort(_ portOverride: PortOverride) throws {
        try submit { .overrideOutput($0, toSpeaker: portOverride == .speaker) }
    }

    /// Whether the session is interrupted when the output it plays to is pulled out; true unless set otherwise (ROUTE-4).
    public var prefersInterruptionOnRouteDisconnect: Bool {
        status?.session.prefersInterruptionOnRouteDisconnect ?? true
    }

    /// Without, it stays active; library players pause all the same (keeps ROUTE-4).
    public func setPrefersInterruptionOnRouteDisconnect(_ inValue: Bool) throws {
        try submit { .preferInterruptionOnRouteDisconnect($0, inValue) }
    }

    /// JACK knows of no sources within a port: nil.
    public var inputDataSource: AudioSessionDataSourceDescription? { nil }
    public var inputDataSources: [AudioSessionDataSourceDescription]? { nil }
    public var outputDataSource: AudioSessionDataSourceDescription? { nil }
    public var outputDataSources: [AudioSessionDataSourceDescription]? { nil }

    /// Nil changes nothing; any source is unknown here, and throws badParam.
    public func setInputDataSource(_ dataSource: AudioSessionDataSourceDescription?) throws {
        try refuse(dataSource, "input")
    }

    public func setOutputDataSource(_ dataSource: AudioSessionDataSourceDescription?) throws {
        try refuse(dataSource, "output")
    }

    private func refuse(_ source: AudioSessionDataSourceDescription?, _ side: String) throws {
        guard let source else { return }
        throw AudioSessionError(
            .badParam, rule: "ROUTE-1",
            """
            The \(side) data source '\(source.dataSourceName)' was asked for; the audio server knows of no sources within a port. Choose a \
            port instead (setPreferredInput).
            """)
    }

    /// How an app in mode voicePrompt is to prompt.
    public enum PromptStyle: UInt, Hashable, Sendable {
        case none = 0x6e6f_6e65
        case short = 0x7368_7274
        case normal = 0x6e72_6d6c
    }

    /// During a call none; while others speak, short; else normal.
    public var promptStyle: PromptStyle {
        guard let status, !status.isInCall else { return .none }
        return status.secondaryAudioShouldBeSilenced ? .short : .normal
    }
}

extension AudioSession.Port {
    private static let table: [(policy: PortType, api: AudioSession.Port)] = [
        (.lineIn, .lineIn), (.builtInMic, .builtInMic), (.headsetMic, .headsetMic),
        (.continuityMicrophone, .continuityMicrophone), (.lineOut, .lineOut), (.headphones, .headphones),
        (.bluetoothA2DP, .bluetoothA2DP), (.builtInReceiver, .builtInReceiver), (.builtInSpeaker, .builtInSpeaker),
        (.hdmi, .HDMI), (.airPlay, .airPlay), (.displayPort, .displayPort), (.bluetoothLE, .bluetoothLE),
        (.bluetoothHFP, .bluetoothHFP), (.usbAudio, .usbAudio), (.carAudio, .carAudio), (.virtual, .virtual),
        (.pci, .PCI), (.fireWire, .fireWire), (.avb, .AVB), (.thunderbolt, .thunderbolt),
    ]

    init(_ type: PortType) { self = Self.table.first { $0.policy == type }?.api ?? .virtual }

    /// The type of this name; unknown names are refused with the known ones.
    func known() throws -> PortType {
        if let row = Self.table.first(where: { $0.api == self }) { return row.policy }
        let names = Self.table.map(\.api.rawValue).joined(separator: ", ")
        throw AudioSessionError(
            .badParam, rule: "ROUTE-1",
            "Port type '\(rawValue)' was asked for; there is none of that name. Known: \(names).")
    }
}

extension AudioSessionPortDescription {
    convenience init(_ port: DevicePort) {
        let side = port.direction == .input ? "Input" : "Output"
        self.init(
            portType: AudioSession.Port(port.type), portName: port.name, uid: port.uid,
            channels: (1...max(1, port.channels)).map {
                AudioSessionChannelDescription(channelName: "\(side) \($0)", channelNumber: $0, owningPortUID: port.uid)
            })
    }
}

extension AudioSessionRouteDescription {
    convenience init(_ route: Route) {
        self.init(
            inputs: route.inputs.map { AudioSessionPortDescription($0) },
            outputs: route.outputs.map { AudioSessionPortDescription($0) })
    }
}
