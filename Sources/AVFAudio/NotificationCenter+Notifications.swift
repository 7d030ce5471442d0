public import Foundation

/// Source written for iOS follows notifications by `for await`; the Foundation of Linux has no such sequence.
extension NotificationCenter {
    /// The notifications of a name from an object, or from any, as a sequence. Each iteration begins with what is posted from then on; one that does not
    /// read loses the oldest beyond 1,024. `object` is held by the sequence.
    public func notifications(
        named name: Notification.Name, object: (any AnyObject & Sendable)? = nil
    ) -> Notifications {
        Notifications(center: self, name: name, object: object)
    }

    /// See `notifications(named:object:)`.
    ///
    /// Unchecked `Sendable`: immutable, and a notification centre may be used from any thread.
    public final class Notifications: AsyncSequence, @unchecked Sendable {
        public typealias Element = Notification
        public typealias Failure = Never

        private let center: NotificationCenter
        private let name: Notification.Name
        private let object: (any AnyObject & Sendable)?

        init(center: NotificationCenter, name: Notification.Name, object: (any AnyObject & Sendable)?) {
            self.center = center
            self.name = name
            self.object = object
        }

        public func makeAsyncIterator() -> Iterator {
            let (posts, posted) = AsyncStream<Post>.makeStream(bufferingPolicy: .bufferingNewest(1_024))
            let observation = Observation(
                center: center,
                token: center.addObserver(forName: name, object: object, queue: nil) {
                    posted.yield(Post(notification: $0))
                })
            posted.onTermination = { _ in observation.end() }
            return Iterator(posts: posts.makeAsyncIterator())
        }

        /// One iteration; the centre is left with it.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var posts: AsyncStream<Post>.Iterator

            public mutating func next(
                isolation actor: isolated (any Actor)? = #isolation
            ) async -> Notification? { await posts.next(isolation: actor)?.notification }
        }
    }
}

/// Unchecked `Sendable`: handed from who posts to the one who reads, as the centre hands it to observers on any thread.
private struct Post: @unchecked Sendable {
    let notification: Notification
}

/// Unchecked `Sendable`: immutable; the centre takes a token back on any thread.
private struct Observation: @unchecked Sendable {
    let center: NotificationCenter
    let token: any NSObjectProtocol

    func end() { center.removeObserver(token) }
}
