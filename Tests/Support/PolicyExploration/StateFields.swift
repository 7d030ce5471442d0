/// The fields of which a state's key is made, and those it leaves out knowingly. `ExplorationTests` compares them with the types, so that
/// a new field is not overlooked.
package enum StateFields {
    package static let state: Set<String> = [
        "sessions", "activeOrder", "pendingActivations", "devices", "silentSwitch", "microphoneMute",
        "isScreenLocked", "isDoNotDisturbOn", "apps",
        // Left out: they choose ports and loudness, and not who runs.
        "pickedOutput", "pickedInput", "volume", "ringVolume",
    ]
    package static let session: Set<String> = [
        "id", "app", "rank", "configuration", "activity", "isRinging", "isHeldBack",
        "prefersNoInterruptionsFromSystemAlerts", "isOutputMuted", "prefersInterruptionOnRouteDisconnect",
        "isRunning", "isInputRunning", "foregroundLentUntil", "wasSuspended",
        // Left out.
        "routedCategory", "preferences", "preferredInput", "isOverriddenToSpeaker",
    ]
    package static let wait: Set<String> = [
        "rival", "rule", "reason", "mayResume",
        // Left out: time stands still.
        "since",
    ]
    package static let configuration: Set<String> = [
        "category", "mode", "requestedOptions",
        // Left out.
        "routeSharingPolicy",
    ]
    package static let app: Set<String> = [
        "id", "life", "declaresBackgroundAudio", "recordPermission", "isInputMuted", "server",
    ]
}
