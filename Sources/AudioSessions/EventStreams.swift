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
    private let events = Broadcaster<DeliveredEvent>()

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
            let end = events.add(
                { delivered in if let element = pick(delivered) { continuation.yield(element) } },
                finish: { continuation.finish() })
            continuation.onTermination = { _ in end() }
        }
    }

    /// Calls `body` for each delivered event, on the delivering thread, until the returned closure
    /// is called.
    func observe(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void { events.add { _ in body() } }

    /// Delivers an event to every listener, in the order of their registration.
    func yield(_ event: AudioSessionEvent, from previousRoute: Route? = nil) {
        events.send(DeliveredEvent(event: event, previousRoute: previousRoute))
    }
}
