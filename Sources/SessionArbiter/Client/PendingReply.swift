internal import Platform

/// Why there is no reply.
enum RequestChannelError: Error {
    /// The arbiter rejected the request.
    case rejected(RequestError)
    /// The arbiter did not reply before the deadline. The request may have been carried out.
    case timedOut(RequestError)
    /// The connection has ended. The request may have been carried out.
    case ended(RequestError)

    var error: RequestError {
        switch self {
        case .rejected(let error), .timedOut(let error), .ended(let error): error
        }
    }
}

/// A reply that has been requested.
struct PendingReply: Sendable {
    struct Content: Sendable {
        var reply: Reply
        var descriptor: OwnedDescriptor?
    }

    /// Handles a reply on the reading thread, before the next message is handled.
    struct ReplyHandler: Sendable {
        var handle: @Sendable (Content) -> Void
        /// Returns the request that undoes this one, for a reply that arrives after its caller has
        /// stopped waiting.
        var undo: @Sendable (Reply) -> ClientMessage.Request?
    }

    let serial: UInt64
    let result: Promise<Result<Content, RequestChannelError>>
    let channel: RequestChannel
    let requestName: String

    /// Waits for the reply until the deadline. A reply that arrives later is not delivered.
    func wait(before deadline: Deadline) throws(RequestChannelError) -> Content {
        if let result = result.wait(seconds: deadline.seconds) { return try result.get() }
        // If the reply has just arrived and is being handled, wait for the result.
        if !channel.stopWaiting(for: serial), let result = result.wait(seconds: ArbiterConnection.timeout) {
            return try result.get()
        }
        throw channel.timeoutError(of: requestName)
    }
}
