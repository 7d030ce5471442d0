public import SessionPolicy

extension Rule {
    /// A one-sentence title of the rule, without a full stop; Documentation/rules.txt has the same
    /// titles.
    public var title: String {
        switch self {
        case .categoryTable: "The category of the session has no output"
        case .cat3: "Changing the configuration of an active session is arbitrated like an activation"
        case .cat4: "While a session of category record is active, mixable sessions and system sounds are muted"
        case .cat5: "Category audioProcessing has no live input or output"
        case .mode1: "Setting a mode that the category does not support throws and changes nothing"
        case .opt1: "Mixing and ducking options: the categories that accept them, and what they imply"
        case .opt2: "Route options: the categories that accept them, and what they require"
        case .opt3: "Setting an option that the category does not support throws and changes nothing"
        case .act1: "Sessions play and record only while the arbiter grants it; a refused activation changes nothing"
        case .act2: "An activated primary session interrupts the other primary app sessions, but no mixable ones"
        case .act4:
            "Calls, alarms and the assistant interrupt lower ranks; a lower rank never affects a higher one"
        case .act5: "While a higher rank is active, activation is refused; during a call, playback may run ducked"
        case .act6: "Background apps must declare background audio to activate, and may not interrupt primary sessions"
        case .act7: "Deactivating a session stops its players and recorders, and succeeds"
        case .act8: "An interrupted session is notified when its last interrupter ends, unless that one ends silently"
        case .act10: "Activating an active session changes nothing; deactivating an inactive one ends its wait"
        case .act12: "When a process dies, its sessions are deactivated and others are notified"
        case .act14: "An activation request may wait until it is granted"
        case .act16: "After a remote play command, the session counts as in the foreground for a limited time"
        case .act17: "An active session that is silent for a while no longer ducks others or keeps them waiting"
        case .act18: "A conversation takes precedence over other apps, as a call does"
        case .int3: "The end of an interruption states whether to resume; after a silent deactivation none is reported"
        case .int5: "An interrupted session may activate again at any time; no end is reported then"
        case .int6: "A ringing call interrupts sessions, except those that prefer to continue until it is accepted"
        case .int10:
            "Muting the microphone gives zeros to all inputs or, by a setting, interrupts sessions that take input"
        case .duck1: "A session that ducks others lowers every other session of its rank or below"
        case .duck4: "Spoken audio is interrupted instead of ducked if the ducking session requests it"
        case .duck7: "A session that starts while others are ducked starts ducked; ducking changes no stored volume"
        case .hint2: "The secondary audio hint is sent only to active sessions of apps in the foreground"
        case .route1: "The current route describes its ports"
        case .route3: "A route change carries its reason and the previous route"
        case .route4: "When the output disappears, playback pauses before it is heard on another device"
        case .route5: "Category playAndRecord plays on the receiver unless an option or an override selects the speaker"
        case .route6: "The preferred input must be one of the available inputs"
        case .route8: "A port that the user picked takes precedence over the newest device"
        case .route9: "A session without a suitable route stays active but is silent"
        case .route10: "All long-form sessions share one route"
        case .hw4: "Zero clears a request; out-of-range values throw and change nothing"
        case .perm1: "Input is silent until the user has granted record permission"
        case .perm2: "The user is asked for record permission once; the answer is stored and can be revoked"
        case .perm3: "Starting to record asks for permission automatically"
        case .perm4: "Muted input delivers zeros"
        case .bg1: "An app that enters the background without declaring background audio is deactivated"
        case .bg2: "Locking the screen puts every app in the background"
        case .bg3: "Suspending an app deactivates its sessions and notifies others"
        case .srv2: "When the server returns, sessions, connections and playback are restored"
        case .vol1: "Apps can read and observe the system volume, but cannot exceed it"
        case .vol2: "The silent switch fades out ambient sessions and ringing; their players keep running"
        case .vol3: "A session can mute its own output"
        case .guide9: "While do-not-disturb is on, ringing calls are held"
        }
    }
}
