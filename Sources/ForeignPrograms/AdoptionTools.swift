package import DesktopBridge
package import SessionArbiter
package import SessionPolicy

/// What adoption acts with: the stream controller, the players on the session bus, and the arbiter.
/// All calls come from one thread at a time.
package protocol AdoptionTools: AnyObject, Sendable {
    /// Sends a command to the stream controller; without one, nothing happens.
    func send(_ command: StreamCommand)

    /// Asks a player to pause. `Adopter.playerAnswered` reports whether it has accepted that.
    func pause(_ player: ForeignPlayer.ID)
    /// Asks a player to play. Nothing reports whether it does, except the player's status.
    func play(_ player: ForeignPlayer.ID)

    /// Whether an arbiter is there. Without one, programs keep their state until the next one is.
    var isConnected: Bool { get }
    /// Registers a session for a process; nil stands for one that is not known. Returns nil if the
    /// arbiter refuses, for instance because the process is its own client.
    /// `Adopter.sessionChanged` reports every change of the session.
    func register(process: Int32?) -> SessionID?
    /// Submits an action. Returns false if it is refused.
    func submit(_ action: PolicyAction) -> Bool
    /// Says about a session which program it stands for, and why; for tools.
    func describe(_ session: SessionID, as description: SessionDescription)
    /// The state of a session; nil if the arbiter no longer knows it.
    func status(of session: SessionID) -> SessionState?
    func grant(of session: SessionID) -> SessionGrant?
    /// All sessions at the arbiter, also those of others; nil if it does not answer.
    var allSessions: [SessionState]? { get }
    /// Whether the attenuation is that of a call (ACT-5).
    func isStrong(_ grant: SessionGrant) -> Bool

    /// From which level on a session is audible, in dB below full scale, and for how many seconds
    /// after the last sample above it.
    var audibility: (threshold: Double, hold: Double) { get }

    /// The time of a monotonic clock, in seconds.
    var now: Double { get }
    /// Calls `Adopter.timerEnded` after `seconds`.
    func start(_ timer: AdoptionTimer, seconds: Double)
}

/// A time after which adoption has something to do. The numbers say for which program, and
/// distinguish timers that are out of date.
package enum AdoptionTimer: Hashable, Sendable {
    /// A program has been silent.
    case pause(Int)
    /// A program has had the time to fade out.
    case fade(Int)
    /// A player that has accepted to pause has had the time to do so.
    case answer(Int)
    /// The arbiter is asked again for the session of a program.
    case registration(Int)
    /// A program is held, and nothing says why.
    case orphan(Int)
    /// The sound of a stream, which could not be detected, is to be detected again.
    case detection(StreamID)
    /// A player that the last adopter has left paused may be able to play now.
    case recovery
}

/// Identifies a program.
package enum ProgramKey: Hashable, Sendable {
    /// By the process at the top of its processes.
    case process(Int32)
    /// By the name that it states, if its process is not known.
    case name(String)
    /// By a stream of which nothing is known.
    case stream(StreamID)

    package var process: Int32? {
        if case .process(let process) = self { process } else { nil }
    }

    /// Orders programs by how they are identified, and then by their number or name.
    var order: (Int, UInt64, String) {
        switch self {
        case .process(let process): (0, UInt64(process.magnitude), "")
        case .name(let name): (1, 0, name)
        case .stream(let stream): (2, stream.rawValue, "")
        }
    }
}
