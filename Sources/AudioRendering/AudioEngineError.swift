internal import CRenderCore

/// Why the engine refuses. The one place where C statuses become Swift errors.
public enum AudioEngineError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A value is out of range.
    case invalidArgument(what: String)
    /// Memory is short.
    case outOfMemory(what: String)
    /// The command ring is full: too many commands in one period. Or too many commands, or curves, wait for their time.
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
    /// A graph of buses is not one that can be; nothing changed.
    case badGraph(reason: String)
    /// No bus has that name.
    case noSuchBus(name: String, among: [String])
    /// Several sessions have a bus of that name.
    case ambiguousBus(name: String, sessions: Int)
    /// A later graph has the bus no more, or another of its name.
    case busRemoved(name: String)
    /// No send leads there from the bus, or no more.
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
        case .invalidArgument(let what): "A value is out of range for \(what)."
        case .outOfMemory(let what): "There is not enough memory for \(what)."
        case .commandQueueFull:
            """
            More commands were posted in one period, or wait for their time, than the engine's queue holds, or more curves than its maximumCurves; \
            try again after a period.
            """
        case .noFreeVoice(let limit):
            "All \(limit) voices of the engine play; stop one, or make the engine with more voices."
        case .noFreeBus(let limit):
            "All \(limit) buses of the engine are taken; close a session, take buses from a desk, or make the engine with more."
        case .voiceEnded: "The voice has ended; start a new one."
        case .noFreeInput(let limit):
            "All \(limit) inputs of the engine are taken; let one go, or make the engine with more inputs."
        case .noFreePort(let limit):
            "All \(limit) command ports of the engine are open; let one go, or make the engine with more ports."
        case .engineGone: "The engine is gone; keep it as long as what belongs to it."
        case .badGraph(let reason): reason
        case .noSuchBus(let name, let among): "There is no bus '\(name)'; \(Self.list(among))."
        case .ambiguousBus(let name, let sessions):
            "\(sessions) sessions have a bus '\(name)'; ask the session's bus for it (SessionBus.bus)."
        case .busRemoved(let name):
            "The bus '\(name)' was taken out of its session's graph; ask for it anew once a graph has it."
        case .noSuchSend(let source, let target, let among):
            "Bus '\(source)' sends nothing to '\(target)'; it sends to \(among.isEmpty ? "none" : Self.quoted(among))."
        }
    }

    /// Which buses there are, in words.
    static func list(_ names: [String]) -> String {
        names.isEmpty ? "there are none" : "there are \(quoted(names))"
    }

    // Of very many, the first.
    private static func quoted(_ names: [String]) -> String {
        names.prefix(16).map { "'\($0)'" }.joined(separator: ", ") + (names.count > 16 ? " and others" : "")
    }
}
