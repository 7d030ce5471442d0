internal import ArbiterService
internal import DesktopBridge
internal import SessionArbiter
internal import SessionPolicy

/// One program that does not use this library: its streams, its media players and its session.
struct ForeignProgram {
    var key: ProgramKey
    var streams: [StreamID: ForeignStream] = [:]
    var players: [ForeignPlayer.ID: ForeignPlayer] = [:]
    /// Nil: the program is left alone.
    var classification: Classification?
    var session: SessionID?
    /// The kind that the session is configured for.
    var sessionKind: ProgramKind?
    /// The configuration that the session was last given.
    var configuration: ConfigurationChange?
    /// Whether the settings may have changed what the session is to be configured for. The change
    /// applies when the program is not held.
    var isReconfigured = false
    /// What the arbiter was last sent about the session.
    var description: SessionDescription?
    /// The number of the timer after which the arbiter is asked again for a session that it has
    /// refused.
    var registrationTimer: Int?
    /// Whether its session lowers others only while its streams are audible.
    var isDetected = false
    /// Whether an activation was refused, and the program waits for it.
    var awaitsActivation = false
    var hold: Hold?
    var pause = Pause.none
    /// The players that were asked to play again after a hold, and have not reported that they do,
    /// with the time of the request in seconds.
    var resuming: [ForeignPlayer.ID: Double] = [:]
    /// The end of an interruption, and whether it recommends to resume, that came while no arbiter
    /// was there.
    var dueEnd: Bool?
    /// When the user last pressed play in spite of a hold, in seconds.
    var userPlays: [Double] = []

    /// A time without sound, after which the session ends.
    enum Pause: Hashable {
        case none
        /// The number of its timer.
        case timed(Int)
        case over
    }

    /// How the program is kept silent while another one has the sound.
    struct Hold: Hashable {
        enum Step: Hashable {
            /// The streams fade out.
            case fading
            /// The streams keep their frame; the players that play are asked to pause.
            case held
            /// All players are paused, and the streams run again, in silence.
            case released
        }
        var step = Step.fading
        /// The streams that sounded when the hold began.
        var fading: Set<StreamID> = []
        /// The number of the timer of the fade.
        var timer: Int
        /// The players that were asked to pause, and are to play again.
        var paused: Set<ForeignPlayer.ID> = []
        /// Those of them that have not paused yet, with the number of the timer of their answer; 0
        /// before it.
        var pending: [ForeignPlayer.ID: Int] = [:]
        /// How often each player was asked.
        var requests: [ForeignPlayer.ID: Int] = [:]
        /// The number of the timer that ends a hold without a reason.
        var orphanTimer: Int?

        mutating func forget(_ player: ForeignPlayer.ID) {
            paused.remove(player)
            pending[player] = nil
            requests[player] = nil
        }
    }

    init(_ key: ProgramKey) { self.key = key }

    /// A player has connected to the bus again, under another id: it can be asked again.
    mutating func rename(_ old: ForeignPlayer.ID, to new: ForeignPlayer.ID) {
        guard let player = players.removeValue(forKey: old) else { return }
        players[new] = player
        if let time = resuming.removeValue(forKey: old) { resuming[new] = time }
        if hold?.paused.remove(old) != nil { hold?.paused.insert(new) }
        hold?.pending[old] = nil
        hold?.requests[old] = nil
    }

    var outputs: [ForeignStream] { streams.values.filter { $0.direction == .output }.sorted { $0.id < $1.id } }

    var isEmpty: Bool { outputs.isEmpty && players.isEmpty }

    /// Whether the program plays by its own account. What a player says counts more than its
    /// streams: browsers keep theirs running for seconds after a pause.
    var isPlaying: Bool {
        players.isEmpty ? outputs.contains(where: \.isRunning) : players.values.contains { $0.status == .playing }
    }

    /// Whether it does not play, and a player is paused part-way.
    var isPaused: Bool { !isPlaying && players.values.contains { $0.status == .paused } }

    var takesInput: Bool {
        sessionKind == .conversation && streams.values.contains { $0.direction == .input && $0.isRunning }
    }
}

extension StreamCommand {
    /// Whether the stream is as its program wants it after this command.
    var restores: Bool {
        if case .level(_, let attenuation, _) = self { attenuation == 0 } else { false }
    }

    /// Whether both have the same target; the lengths of their ramps do not matter.
    func hasTarget(of other: StreamCommand) -> Bool {
        switch (self, other) {
        case (.level(_, let a, _), .level(_, let b, _)): a == b
        case (.hold, .hold): true
        default: false
        }
    }
}
