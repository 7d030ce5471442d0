internal import Platform

/// The identity of an engine, for as long as the engine exists.
final class EngineIdentity: Sendable {}

/// The core object that one engine's render thread uses for an object of the app, and the engine
/// that owns it: two render threads must not share it.
final class EngineShare<Core: AnyObject & Sendable>: Sendable {
    private struct State {
        var core: Core?
        weak var engine: EngineIdentity?
    }

    private let state = Mutex(State())

    /// The core object in use; nil if there is none.
    var core: Core? {
        get { state.withLock { $0.core } }
        set { state.withLock { $0.core = newValue } }
    }

    /// Binds the object to an engine for the engine's life. Throws `invalidArgument` if it belongs
    /// to another engine. `what` names the object: "meter".
    func claim(for engine: EngineIdentity, _ what: String) throws(AudioEngineError) {
        let isClaimed = state.withLock { state in
            guard state.engine == nil || state.engine === engine else { return false }
            if state.engine == nil { (state.engine, state.core) = (engine, nil) }
            return true
        }
        guard isClaimed else {
            throw .invalidArgument(what: "a \(what) of another engine; create another \(what)")
        }
    }
}
