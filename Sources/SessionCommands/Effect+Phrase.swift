internal import SessionPolicy

extension Effect {
    /// The effect of a decision on a session: "session 3 interrupted (ACT-2 by 5)"; nil for
    /// `stateChanged`, which accompanies other effects.
    var phrase: String? {
        guard let kindPhrase = kind.phrase else { return nil }
        return "session \(session.rawValue) \(kindPhrase) (\(rule.rawValue)\(by.map { " by \($0.rawValue)" } ?? ""))"
    }
}

extension Effect.Kind {
    fileprivate var phrase: String? {
        switch self {
        case .activated: "activated"
        case .deactivated: "deactivated"
        case .deactivatedBySystem: "deactivated by the system"
        case .interruptionBegan(.default): "interrupted"
        case .interruptionBegan(let reason): "interrupted, reason \(reason)"
        case .interruptionEnded(let shouldResume): "interruption ended" + (shouldResume ? ", should resume" : "")
        case .waitMoved: "waiting for another session"
        case .waitLapsed: "no longer waiting"
        case .routeChanged(_, let reason): "route changed, reason \(reason)"
        case .outputDisconnected: "output disconnected"
        case .availableInputsChanged: "available inputs changed"
        case .silenceSecondaryAudioHint(let should):
            should ? "should silence secondary audio" : "may play secondary audio"
        case .outputVolumeChanged(let volume): "output volume \(Text.rounded(Double(volume), 2))"
        case .outputMuteChanged(let isMuted): isMuted ? "output muted" : "output unmuted"
        case .recordPermissionNeeded: "needs record permission"
        case .recordPermissionChanged(let permission): "record permission \(permission.name)"
        case .inputMuteChanged(let isMuted): isMuted ? "inputs muted" : "inputs unmuted"
        case .remoteCommand(let command): "receives remote command \(command.phrase)"
        case .stateChanged: nil
        }
    }
}
