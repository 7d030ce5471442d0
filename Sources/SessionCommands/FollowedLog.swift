internal import Dispatch
internal import Platform
public import SessionArbiter

/// Delivers the past and future decisions of an arbiter, each once and in order.
public final class FollowedLog: Sendable {
    private enum Update {
        case decision(Decision)
        case end(arbiterHasExited: Bool)
    }

    private struct Queue {
        var updates: [Update] = []
        /// The number of the last decision that was delivered.
        var lastNumber: UInt64 = 0
    }

    private let queue = Mutex(Queue())
    private let hasUpdates = DispatchSemaphore(value: 0)

    public init() {}

    /// Queues the decision of a message from the arbiter; ignores other messages.
    public func receive(_ message: ArbiterMessage) {
        if case .decision(let decision) = message { add(.decision(decision)) }
    }

    /// Ends `follow`; decisions that arrived before are still delivered.
    public func end(arbiterHasExited: Bool) { add(.end(arbiterHasExited: arbiterHasExited)) }

    private func add(_ update: Update) {
        queue.withLock { $0.updates.append(update) }
        hasUpdates.signal()
    }

    /// Calls `body` with the past decisions, then with each new one, until `end`. Throws if the
    /// arbiter exits first.
    public func follow(
        _ arbiter: any ArbiterClient, _ body: (Decision) throws -> Void
    ) throws {
        for decision in try arbiter.decisions(follows: true) where isNew(decision) { try body(decision) }
        while true {
            hasUpdates.wait()
            switch queue.withLock({ $0.updates.removeFirst() }) {
            case .decision(let decision): if isNew(decision) { try body(decision) }
            case .end(arbiterHasExited: false): return
            case .end(arbiterHasExited: true):
                throw CommandError(
                    .unavailable, "The arbiter at '\(arbiter.socketPath)' has exited; run the command again.")
            }
        }
    }

    /// Returns whether the decision was not delivered yet, and records it. A decision that is made
    /// during the request for the past ones may arrive twice, in the reply and as a message.
    private func isNew(_ decision: Decision) -> Bool {
        queue.withLock { queue in
            guard decision.number > queue.lastNumber else { return false }
            queue.lastNumber = decision.number
            return true
        }
    }
}
