internal import Platform
internal import SessionPolicy
internal import AudioRendering

/// One delivered event, with data that belongs to it but is not comparable.
struct DeliveredEvent: Sendable {
    var event: AudioSessionEvent
    /// The previous route, with `routeChanged` (ROUTE-3).
    var previousRoute: Route?
}

/// The listeners of a session: streams of the elements that each listener selects from all
/// delivered events.
final class EventStreams: Sendable {
    private struct Listener: Sendable {
        var deliver: @Sendable (DeliveredEvent) -> Void
        var finish: @Sendable () -> Void
    }
    private struct Listeners {
        var entries: [(id: Int, listener: Listener)] = []
        var nextID = 0
    }
    private let listeners = Mutex(Listeners())

    /// The number of unread elements that a stream buffers before it drops the oldest.
    static let bufferLimit = 1_024

    /// Returns a stream of the results of `pick` for all events from now on, without the nil ones.
    func make<Element: Sendable>(_ pick: @escaping @Sendable (DeliveredEvent) -> Element?) -> AsyncStream<Element> {
        make(.bufferingNewest(Self.bufferLimit), pick)
    }

    /// Returns a stream that yields when any number of events have been delivered since the last
    /// read.
    func makeSignals() -> AsyncStream<Void> { make(.bufferingNewest(1)) { _ in () } }

    private func make<Element: Sendable>(
        _ policy: AsyncStream<Element>.Continuation.BufferingPolicy,
        _ pick: @escaping @Sendable (DeliveredEvent) -> Element?
    ) -> AsyncStream<Element> {
        AsyncStream(bufferingPolicy: policy) { continuation in
            let listener = Listener(
                deliver: { delivered in
                    if let element = pick(delivered) { continuation.yield(element) }
                }, finish: { continuation.finish() })
            let end = add(listener)
            continuation.onTermination = { _ in end() }
        }
    }

    /// Calls `body` for each delivered event, on the delivering thread, until the returned closure
    /// is called.
    func observe(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        add(Listener(deliver: { _ in body() }, finish: {}))
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

    /// Delivers an event to every listener, in the order of their registration.
    func yield(_ event: AudioSessionEvent, from previousRoute: Route? = nil) {
        let delivered = DeliveredEvent(event: event, previousRoute: previousRoute)
        for (_, listener) in listeners.withLock({ $0.entries }) { listener.deliver(delivered) }
    }

    deinit {
        for (_, listener) in listeners.withLock({ $0.entries }) { listener.finish() }
    }
}
