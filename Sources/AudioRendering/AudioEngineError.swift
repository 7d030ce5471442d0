internal import CRenderCore

/// An error of the engine. All C statuses become Swift errors here.
public enum AudioEngineError: Error, Equatable, Sendable, CustomStringConvertible {
    /// An argument is invalid, for example out of range.
    case invalidArgument(what: String)
    /// Out of memory.
    case outOfMemory(what: String)
    /// The command queue is full: too many commands were posted in one period, or too many commands
    /// or curves wait for their time.
    case commandQueueFull
    /// All voices of the pool are in use.
    case noFreeVoice(limit: Int)
    /// All buses are in use.
    case noFreeBus(limit: Int)
    /// The voice has ended.
    case voiceEnded
    /// All inputs are in use.
    case noFreeInput(limit: Int)
    /// All command queues are open.
    case noFreeQueue(limit: Int)
    /// The engine that the object belonged to no longer exists.
    case engineGone
    /// The bus graph is invalid; nothing changed.
    case badGraph(reason: String)
    /// No bus has this name.
    case noSuchBus(name: String, among: [String])
    /// Several sessions have a bus with this name.
    case ambiguousBus(name: String, sessions: Int)
    /// The session's current graph no longer has the bus, or has another bus with its name.
    case busRemoved(name: String)
    /// The bus has no send to this target, or no longer has it.
    case noSuchSend(from: String, to: String, among: [String])

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
        case .invalidArgument(let what): "Invalid argument: \(what)."
        case .outOfMemory(let what): "Not enough memory for \(what)."
        case .commandQueueFull:
            """
            The engine's command queue is full: too many commands were posted in one period or wait for their time, or more curves than \
            maximumCurves are in use; try again after a period.
            """
        case .noFreeVoice(let limit):
            "All \(limit) voices of the engine are in use; stop one, or create the engine with more (maximumVoices)."
        case .noFreeBus(let limit):
            "All \(limit) buses of the engine are in use; close a session, remove buses from a mixer, or create the engine with more (maximumBuses)."
        case .voiceEnded: "The voice has ended; start a new one."
        case .noFreeInput(let limit):
            "All \(limit) inputs of the engine are in use; release one, or create the engine with more (maximumInputs)."
        case .noFreeQueue(let limit):
            "All \(limit) command queues of the engine are open; release one, or create the engine with more (maximumQueues)."
        case .engineGone: "The engine no longer exists; keep a reference to it while you use its objects."
        case .badGraph(let reason): reason
        case .noSuchBus(let name, let among): "Unknown bus '\(name)'. \(Self.list(among))."
        case .ambiguousBus(let name, let sessions):
            "\(sessions) sessions have a bus '\(name)'; look it up on the session's bus (SessionBus.bus)."
        case .busRemoved(let name):
            "Bus '\(name)' was removed from its session's graph; look it up again once a graph contains it."
        case .noSuchSend(let source, let target, let among):
            "Bus '\(source)' has no send to '\(target)'; its sends: \(among.isEmpty ? "none" : Self.quoted(among))."
        }
    }

    /// Lists the names of the existing buses, as a sentence without its period.
    static func list(_ names: [String]) -> String {
        names.isEmpty ? "There are no buses" : "Buses: \(quoted(names))"
    }

    // Quotes at most the first 16 names.
    private static func quoted(_ names: [String]) -> String {
        names.prefix(16).map { "'\($0)'" }.joined(separator: ", ") + (names.count > 16 ? " and others" : "")
    }
}
