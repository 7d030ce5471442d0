/// An effect is one object in JSON:
///
/// | effect | keys in addition to session, effect, rule and by |
/// |---|---|
/// | activated, deactivated, deactivatedBySystem, waitMoved, waitLapsed | |
/// | outputDisconnected, availableInputsChanged, recordPermissionNeeded, stateChanged | |
/// | interruptionBegan | reason |
/// | interruptionEnded | shouldResume |
/// | routeChanged | reason, previous (the previous route) |
/// | silenceSecondaryAudioHint | shouldSilence |
/// | outputVolumeChanged | value, 0…1 |
/// | outputMuteChanged, inputMuteChanged | isMuted |
/// | recordPermissionChanged | permission |
/// | remoteCommand | command, [value] |
extension Effect {
    private enum Key: String, CodingKey { case session, rule, by }

    public init(from decoder: any Decoder) throws {
        let object = try decoder.object(of: Key.self, "an effect, an object with 'session', 'effect' and 'rule'")
        self.init(
            try object.read(.session), try Kind(from: decoder), try object.read(.rule),
            by: try object.readIfPresent(.by))
    }

    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(session, forKey: .session)
        try kind.encode(to: encoder)
        try object.encode(rule, forKey: .rule)
        try object.encodeIfPresent(by, forKey: .by)
    }
}

extension Effect.Kind {
    private enum Key: String, CodingKey {
        case effect, reason, shouldResume, previous, shouldSilence, value, isMuted, permission
    }

    /// The names of the cases.
    private enum Name: String, JSONNamed {
        case activated, deactivated, deactivatedBySystem, interruptionBegan, interruptionEnded, waitMoved, waitLapsed
        case routeChanged, outputDisconnected, availableInputsChanged, silenceSecondaryAudioHint
        case outputVolumeChanged, outputMuteChanged, recordPermissionNeeded, recordPermissionChanged
        case inputMuteChanged, remoteCommand, stateChanged
    }

    public init(from decoder: any Decoder) throws {
        let object = try decoder.object(of: Key.self, "an object with 'effect'")
        switch try object.read(.effect, as: Name.self) {
        case .activated: self = .activated
        case .deactivated: self = .deactivated
        case .deactivatedBySystem: self = .deactivatedBySystem
        case .interruptionBegan: self = .interruptionBegan(try object.read(.reason))
        case .interruptionEnded: self = .interruptionEnded(shouldResume: try object.read(.shouldResume))
        case .waitMoved: self = .waitMoved
        case .waitLapsed: self = .waitLapsed
        case .routeChanged:
            self = .routeChanged(previous: try object.read(.previous), try object.read(.reason))
        case .outputDisconnected: self = .outputDisconnected
        case .availableInputsChanged: self = .availableInputsChanged
        case .silenceSecondaryAudioHint: self = .silenceSecondaryAudioHint(try object.read(.shouldSilence))
        case .outputVolumeChanged: self = .outputVolumeChanged(try object.readFinite(.value))
        case .outputMuteChanged: self = .outputMuteChanged(try object.read(.isMuted))
        case .recordPermissionNeeded: self = .recordPermissionNeeded
        case .recordPermissionChanged: self = .recordPermissionChanged(try object.read(.permission))
        case .inputMuteChanged: self = .inputMuteChanged(try object.read(.isMuted))
        case .remoteCommand: self = .remoteCommand(try RemoteCommand(from: decoder))
        case .stateChanged: self = .stateChanged
        }
    }

    public func encode(to encoder: any Encoder) throws {
        let (name, fields) = flat
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(name, forKey: .effect)
        for (key, value) in fields { try object.encode(value, forKey: key) }
        if case .remoteCommand(let command) = self { try command.encode(to: encoder) }
    }

    /// The name of the effect, and its keys and values, except those of a command.
    private var flat: (Name, KeyValuePairs<Key, any Encodable>) {
        switch self {
        case .activated: (.activated, [:])
        case .deactivated: (.deactivated, [:])
        case .deactivatedBySystem: (.deactivatedBySystem, [:])
        case .interruptionBegan(let reason): (.interruptionBegan, [.reason: reason])
        case .interruptionEnded(let shouldResume): (.interruptionEnded, [.shouldResume: shouldResume])
        case .waitMoved: (.waitMoved, [:])
        case .waitLapsed: (.waitLapsed, [:])
        case .routeChanged(let previous, let reason): (.routeChanged, [.reason: reason, .previous: previous])
        case .outputDisconnected: (.outputDisconnected, [:])
        case .availableInputsChanged: (.availableInputsChanged, [:])
        case .silenceSecondaryAudioHint(let should): (.silenceSecondaryAudioHint, [.shouldSilence: should])
        case .outputVolumeChanged(let volume): (.outputVolumeChanged, [.value: volume])
        case .outputMuteChanged(let isMuted): (.outputMuteChanged, [.isMuted: isMuted])
        case .recordPermissionNeeded: (.recordPermissionNeeded, [:])
        case .recordPermissionChanged(let permission): (.recordPermissionChanged, [.permission: permission])
        case .inputMuteChanged(let isMuted): (.inputMuteChanged, [.isMuted: isMuted])
        case .remoteCommand: (.remoteCommand, [:])
        case .stateChanged: (.stateChanged, [:])
        }
    }
}
