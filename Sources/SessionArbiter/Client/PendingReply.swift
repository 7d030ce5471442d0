internal import Platform

/// Why there is no reply.
enum ExchangeFailure: Error {
    /// The arbiter says no.
    case answer(RequestError)
    /// It has not said anything until the deadline. What was asked may have been done.
    case silence(RequestError)
    /// The connection is over. What was asked may have been done.
    case end(RequestError)

    var error: RequestError {
        switch self {
        case .answer(let error), .silence(let error), .end(let error): error
        }
    }
}

/// A reply on its way.
struct PendingReply: Sendable {
    struct Content: Sendable {
        var reply: Reply
        var descriptor: OwnedDescriptor?
    }

    /// What is to be done about a reply on the reading thread, before whatever comes next is looked at.
    struct Taking: Sendable {
        var take: @Sendable (Content) -> Void
        /// What takes back what was asked, for a reply that nobody waits for any longer.
        var undo: @Sendable (Reply) -> ClientMessage.Request?
    }

    let serial: UInt64
    let answer: Answer<Result<Content, ExchangeFailure>>
    let exchange: Exchange
    let asked: String

    /// Waits for it; of a reply that comes later nobody is told.
    func wait(before deadline: Deadline) throws(ExchangeFailure) -> Content {
        if let result = answer.wait(seconds: deadline.seconds) { return try result.get() }
        // It may be coming in this moment: then it counts.
        if !exchange.giveUp(serial), let result = answer.wait(seconds: ArbiterConnection.timeout) {
            return try result.get()
        }
        throw exchange.silence(asked)
    }
}
