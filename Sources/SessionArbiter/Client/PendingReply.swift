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

/// A reply that has been requested; `RequestChannel` waits for it.
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
    let request: ClientMessage.Request
    let result: Promise<Result<Content, RequestChannelError>>
}
