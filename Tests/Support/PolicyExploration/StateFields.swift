/// The fields that a state's key contains, and those that it leaves out on purpose.
/// `ExplorationTests` compares them with the types, so that a new field is not overlooked.
package enum StateFields {
    package static let state: Set<String> = [
        "sessions", "activeOrder", "pendingActivations", "devices", "silentSwitch", "microphoneMute",
        "isScreenLocked", "isDoNotDisturbOn", "apps",
        // Left out: they choose ports and loudness but do not decide which session runs.
        "pickedOutput", "pickedInput", "volume", "ringVolume",
    ]
    package static let session: Set<String> = [
        "id", "app", "rank", "configuration", "activity", "isRinging", "isDeferred",
        "prefersNoInterruptionsFromSystemAlerts", "isOutputMuted", "prefersInterruptionOnRouteDisconnect",
        "isRunning", "isInputRunning", "temporaryForegroundUntil", "wasSuspended", "paused",
        "keyed", "audible",
        // What it has released; its times follow from the other fields, or decide only what is due.
        "silence",
        // Left out.
        "routedCategory", "preferences", "preferredInput", "isOverriddenToSpeaker",
        // Left out: they decide only which session receives remote commands.
        "registeredCommands", "nowPlaying", "lastPlayed",
        // Left out: a session that plays system sounds is never active, and changes no other.
        "systemSounds",
    ]
    package static let wait: Set<String> = [
        "interrupter", "rule", "reason", "mayResume",
        // Only the order of interruptions.
        "since",
    ]
    package static let configuration: Set<String> = [
        "category", "mode", "requestedOptions",
        // Left out.
        "routeSharingPolicy",
    ]
    package static let app: Set<String> = [
        "id", "life", "declaresBackgroundAudio", "recordPermission", "isInputMuted", "server",
        // Left out: no app of the exploration reports awaited devices.
        "missingDevices", "awaitedDevices",
    ]
}
