internal import SessionPolicy
internal import AudioRendering

/// What is told at one moment: the event, and what belongs to it but is no value to compare.
struct Told: Sendable {
    var event: AudioSessionEvent
    /// With `routeChanged`: the route before (ROUTE-3).
    var previousRoute: Route?
}

/// Who listens to a session: streams of what each of them picks from all that is told.
final class EventStreams: Sendable {
    private struct Listener: Sendable {
        var tell: @Sendable (Told) -> Void
        var finish: @Sendable () -> Void
    }
    private struct Listeners {
        var entries: [(id: Int, listener: Listener)] = []
        var nextID = 0
    }
    private let listeners = Locked(Listeners())

    /// What a listener that does not read may fall behind, before its oldest elements go.
    static let backlog = 1_024

    /// What `pick` makes of all that is told from now on, without what it makes nil of.
    func make<Element: Sendable>(_ pick: @escaping @Sendable (Told) -> Element?) -> AsyncStream<Element> {
        make(.bufferingNewest(Self.backlog), pick)
    }

    /// That something was told since the last reading, whatever it was and however much.
    func makeSignals() -> AsyncStream<Void> { make(.bufferingNewest(1)) { _ in () } }

    private func make<Element: Sendable>(
        _ policy: AsyncStream<Element>.Continuation.BufferingPolicy, _ pick: @escaping @Sendable (Told) -> Element?
    ) -> AsyncStream<Element> {
        AsyncStream(bufferingPolicy: policy) { continuation in
            let listener = Listener(
                tell: { told in
                    if let element = pick(told) { continuation.yield(element) }
                }, finish: { continuation.finish() })
            let end = add(listener)
            continuation.onTermination = { _ in end() }
        }
    }

    /// Calls `body` whenever something is told, where it is told, until what is returned is called.
    func observe(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        add(Listener(tell: { _ in body() }, finish: {}))
    }

    private func add(_ listener: Listener) -> @Sendable () -> Void {
        let id = listeners.withLock { listeners in
            listeners.nextID += 1
            listeners.entries.append((listeners.nextID, listener))
            return listeners.nextID
        }
        return { [weak self] in
            self?.listeners.withLock { listeners in listeners.entries.removeAll { $0.id == id } }
        }
    }

    /// Tells every listener, in the order of their coming.
    func yield(_ event: AudioSessionEvent, from previousRoute: Route? = nil) {
        let told = Told(event: event, previousRoute: previousRoute)
        for (_, listener) in listeners.withLock({ $0.entries }) { listener.tell(told) }
    }

    deinit {
        for (_, listener) in listeners.withLock({ $0.entries }) { listener.finish() }
    }
}
