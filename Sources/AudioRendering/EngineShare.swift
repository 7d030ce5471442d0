/// What one engine's render thread runs or writes for an object of an app's, and whose it is: two threads must not.
final class EngineShare<Core: AnyObject & Sendable>: Sendable {
    private struct State {
        var core: Core?
        weak var engine: AudioEngine?
    }

    private let state = Locked(State())

    /// What is in use; nil while nothing is.
    var core: Core? {
        get { state.withLock { $0.core } }
        set { state.withLock { $0.core = newValue } }
    }

    /// Belongs to that engine from now on, for as long as that lives. `what` names the object: "meter".
    func claim(for engine: AudioEngine, _ what: String) throws(AudioEngineError) {
        let isOurs = state.withLock { state in
            guard state.engine == nil || state.engine === engine else { return false }
            if state.engine == nil { (state.engine, state.core) = (engine, nil) }
            return true
        }
        guard isOurs else {
            throw .invalidArgument(what: "a \(what) that another engine has; make another \(what)")
        }
    }
}
