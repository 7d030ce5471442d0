internal import SessionPolicy

extension Effect {
    /// What came of a decision for a session: "session 3 interrupted (ACT-2 by 5)"; nil for what only follows from something else.
    var phrase: String? {
        guard let what = kind.phrase else { return nil }
        return "session \(session.rawValue) \(what) (\(rule.rawValue)\(by.map { " by \($0.rawValue)" } ?? ""))"
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
        case .interruptionEnded(let shouldResume): "free again" + (shouldResume ? ", should resume" : "")
        case .waitMoved: "waits for another"
        case .waitLapsed: "waits no longer"
        case .routeChanged(_, let reason): "has another route, reason \(reason)"
        case .outputDisconnected: "lost its output"
        case .availableInputsChanged: "has other inputs to choose from"
        case .silenceSecondaryAudioHint(let should):
            should ? "should silence secondary audio" : "may play secondary audio"
        case .outputVolumeChanged(let volume): "has volume \(Text.rounded(Double(volume), 2))"
        case .outputMuteChanged(let isMuted): isMuted ? "muted its output" : "unmuted its output"
        case .recordPermissionNeeded: "needs permission to record"
        case .recordPermissionChanged(let permission): "has permission to record: \(permission.rawValue)"
        case .inputMuteChanged(let isMuted): isMuted ? "muted its inputs" : "unmuted its inputs"
        case .stateChanged: nil
        }
    }
}
