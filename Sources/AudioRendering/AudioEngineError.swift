internal import CRenderCore

/// Why the engine refuses. The one place where C statuses become Swift errors.
public enum AudioEngineError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A value is out of range.
    case invalidArgument(what: String)
    /// Memory is short.
    case outOfMemory(what: String)
    /// The command ring is full: too many commands in one period.
    case commandQueueFull
    /// All voices of the pool play.
    case noFreeVoice(limit: Int)
    /// All buses are taken.
    case noFreeBus(limit: Int)
    /// The voice has ended.
    case voiceEnded
    /// All inputs are taken.
    case noFreeInput(limit: Int)
    /// All command ports are open.
    case noFreePort(limit: Int)
    /// The engine that it belonged to is gone.
    case engineGone

    init(_ status: rcore_status_t, _ what: String) {
        switch status {
        case RCORE_NO_MEMORY: self = .outOfMemory(what: what)
        case RCORE_FULL: self = .commandQueueFull
        case RCORE_STALE: self = .voiceEnded
        default: self = .invalidArgument(what: what)
        }
    }

    public var description: String {
        switch self {
        case .invalidArgument(let what): "A value is out of range for \(what)."
        case .outOfMemory(let what): "There is not enough memory for \(what)."
        case .commandQueueFull:
            "More commands were posted in one period than the engine's queue holds; try again after a period."
        case .noFreeVoice(let limit):
            "All \(limit) voices of the engine play; stop one, or make the engine with more voices."
        case .noFreeBus(let limit):
            "All \(limit) buses of the engine are taken; close a session, or make the engine with more buses."
        case .voiceEnded: "The voice has ended; start a new one."
        case .noFreeInput(let limit):
            "All \(limit) inputs of the engine are taken; let one go, or make the engine with more inputs."
        case .noFreePort(let limit):
            "All \(limit) command ports of the engine are open; let one go, or make the engine with more ports."
        case .engineGone: "The engine is gone; keep it as long as what belongs to it."
        }
    }
}
