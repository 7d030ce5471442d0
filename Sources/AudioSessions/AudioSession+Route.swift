internal import AudioRendering
internal import Foundation
internal import SessionArbiter
internal import SessionPolicy

/// Routes and ports (group ROUTE).
extension AudioSession {
    /// The input and output ports that the session uses, or would use if it were active. A port of
    /// the audio server whose device is not known has type `virtual`. Connects to the server if
    /// necessary.
    public var currentRoute: AudioSessionRouteDescription {
        _ = host.format
        return AudioSessionRouteDescription(status?.route ?? Route())
    }

    /// The inputs that this category, mode and options allow, newest first; empty if there are none
    /// (keeps ROUTE-6). Never nil here; optional as in iOS. Connects to the server if necessary.
    public var availableInputs: [AudioSessionPortDescription]? {
        _ = host.format
        return (status?.availableInputs ?? []).map { AudioSessionPortDescription($0) }
    }

    /// The input that the app has chosen, if it is available; nil otherwise.
    public var preferredInput: AudioSessionPortDescription? {
        guard let status, let uid = status.session.preferredInput else { return nil }
        return status.availableInputs.first { $0.uid == uid }.map { AudioSessionPortDescription($0) }
    }

    /// Chooses one of `availableInputs`; nil clears the choice. Throws badParam for a port that is
    /// not available. A later choice by the user takes precedence (keeps ROUTE-6, ROUTE-8).
    public func setPreferredInput(_ inPort: AudioSessionPortDescription?) throws {
        try submit { .preferInput($0, inPort?.uid) }
    }

    /// Values for `overrideOutputAudioPort`.
    public enum PortOverride: UInt, Hashable, Sendable {
        case none = 0
        case speaker = 0x7370_6b72
    }

    /// Routes the output to the built-in speaker, whatever else is connected, or ends that
    /// override. Throws badParam with categories other than playAndRecord.
    ///
    /// The override lasts until the route changes for another reason, the session is interrupted,
    /// or the app passes `none` (keeps ROUTE-5). It has no effect on a machine without a built-in
    /// speaker.
    public func overrideOutputAudioPort(_ portOverride: PortOverride) throws {
        try submit { .overrideOutput($0, toSpeaker: portOverride == .speaker) }
    }

    /// Whether the session is interrupted when the output that it plays to is disconnected; true by
    /// default (ROUTE-4).
    public var prefersInterruptionOnRouteDisconnect: Bool {
        status?.session.prefersInterruptionOnRouteDisconnect ?? true
    }

    /// Sets whether the session is interrupted when its output is disconnected. If false, the
    /// session stays active, but its players still pause (keeps ROUTE-4).
    public func setPrefersInterruptionOnRouteDisconnect(_ inValue: Bool) throws {
        try submit { .preferInterruptionOnRouteDisconnect($0, inValue) }
    }

    /// Data sources are always nil: JACK does not report any within a port.
    public var inputDataSource: AudioSessionDataSourceDescription? { nil }
    public var inputDataSources: [AudioSessionDataSourceDescription]? { nil }
    public var outputDataSource: AudioSessionDataSourceDescription? { nil }
    public var outputDataSources: [AudioSessionDataSourceDescription]? { nil }

    /// Changes nothing for nil; throws badParam for any data source, because none is known.
    public func setInputDataSource(_ dataSource: AudioSessionDataSourceDescription?) throws {
        try refuse(dataSource, "input")
    }

    /// Changes nothing for nil; throws badParam for any data source, because none is known.
    public func setOutputDataSource(_ dataSource: AudioSessionDataSourceDescription?) throws {
        try refuse(dataSource, "output")
    }

    private func refuse(_ source: AudioSessionDataSourceDescription?, _ side: String) throws {
        guard let source else { return }
        try request {
            throw AudioSessionError(
                .badParam, rule: "ROUTE-1",
                """
                The \(side) data source '\(source.dataSourceName)' was requested, but the audio server reports no \
                data sources within a port. Choose a port instead (setPreferredInput).
                """)
        }
    }

    /// The kind of prompt that an app in mode voicePrompt should play.
    public enum PromptStyle: UInt, Hashable, Sendable {
        case none = 0x6e6f_6e65
        case short = 0x7368_7274
        case normal = 0x6e72_6d6c
    }

    /// `none` during a call; `short` while another primary session plays, which is one that does
    /// not mix with others; otherwise `normal`.
    public var promptStyle: PromptStyle {
        guard let status, !status.isInCall else { return .none }
        return status.secondaryAudioShouldBeSilenced ? .short : .normal
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
