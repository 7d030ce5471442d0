internal import Dispatch
internal import Platform
public import SessionArbiter

/// The decisions of an arbiter's, those there are and those to come, each once and in order.
public final class FollowedLog: Sendable {
    private enum News {
        case decision(Decision)
        case end(arbiterIsGone: Bool)
    }

    private struct Queue {
        var news: [News] = []
        /// The number of the last that was handed out.
        var last: UInt64 = 0
    }

    private let queue = Locked(Queue())
    private let hasNews = DispatchSemaphore(value: 0)

    public init() {}

    /// To be handed what the arbiter says.
    public func receive(_ message: ArbiterMessage) {
        if case .decision(let decision) = message { add(.decision(decision)) }
    }

    /// Ends the following; decisions that came before are still handed out.
    public func end(arbiterIsGone: Bool) { add(.end(arbiterIsGone: arbiterIsGone)) }

    private func add(_ news: News) {
        queue.withLock { $0.news.append(news) }
        hasNews.signal()
    }

    /// Hands out all that is there already, then each that comes, until the end. Throws when the arbiter went first.
    public func follow(
        _ desk: any ArbiterDesk, _ body: (Decision) throws -> Void
    ) throws {
        for decision in try desk.decisions(follows: true) where isNew(decision) { try body(decision) }
        while true {
            hasNews.wait()
            switch queue.withLock({ $0.news.removeFirst() }) {
            case .decision(let decision): if isNew(decision) { try body(decision) }
            case .end(arbiterIsGone: false): return
            case .end(arbiterIsGone: true):
                throw SwitchboardError(
                    .unavailable, "The arbiter at '\(desk.place)' has ended; follow the log of the next one.")
            }
        }
    }

    private func isNew(_ decision: Decision) -> Bool {
        queue.withLock { queue in
            guard decision.number > queue.last else { return false }
            queue.last = decision.number
            return true
        }
    }
}
