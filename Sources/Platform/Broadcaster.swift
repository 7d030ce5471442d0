/// Passes every event to all listeners, in the order of their registration.
package final class Broadcaster<Event: Sendable>: Sendable {
    private struct Listener: Sendable {
        let id: Int
        let receive: @Sendable (Event) -> Void
        let finish: @Sendable () -> Void
    }
    private struct State {
        var listeners: [Listener] = []
        var nextID = 0
        var isFinished = false
    }
    private let state = Mutex(State())

    package init() {}

    deinit { finish() }

    /// Calls `receive` for every event from now on, on the thread that sends it, until the returned
    /// closure is called; a call that is in progress may still finish. Calls `finish` once, when
    /// the broadcaster finishes or is released (at once if it has finished), unless the returned
    /// closure was called before. No lock is held during these calls.
    package func add(
        _ receive: @escaping @Sendable (Event) -> Void, finish: @escaping @Sendable () -> Void = {}
    ) -> @Sendable () -> Void {
        let id: Int? = state.withLock { state in
            guard !state.isFinished else { return nil }
            state.nextID += 1
            state.listeners.append(Listener(id: state.nextID, receive: receive, finish: finish))
            return state.nextID
        }
        guard let id else {
            finish()
            return {}
        }
        return { [weak self] in self?.state.withLock { state in state.listeners.removeAll { $0.id == id } } }
    }

    /// Passes an event to the listeners that are registered now.
    package func send(_ event: Event) {
        for listener in state.withLock({ $0.listeners }) { listener.receive(event) }
    }

    /// Removes all listeners, and calls their `finish`.
    package func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [] }
            return state.listeners
        }
        for listener in listeners { listener.finish() }
    }
}
