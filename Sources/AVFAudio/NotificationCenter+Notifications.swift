public import Foundation

/// Notifications as sequences for `for await`, as source code written for iOS uses them. Foundation
/// on Linux has no such sequence.
extension NotificationCenter {
    /// Returns the notifications of a name, from one object or from any, as a sequence.
    ///
    /// Each iteration starts with the notifications posted from then on. An iteration that does not
    /// read loses the oldest beyond 1,024. The sequence retains `object`.
    public func notifications(
        named name: Notification.Name, object: (any AnyObject & Sendable)? = nil
    ) -> Notifications {
        Notifications(center: self, name: name, object: object)
    }

    /// A sequence of notifications; see `notifications(named:object:)`.
    ///
    /// Unchecked `Sendable`: immutable, and a notification center may be used from any thread.
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

        /// One iteration. When it ends, it stops observing the notification center.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var posts: AsyncStream<Post>.Iterator

            public mutating func next(
                isolation actor: isolated (any Actor)? = #isolation
            ) async -> Notification? { await posts.next(isolation: actor)?.notification }
        }
    }
}

/// Unchecked `Sendable`: passed from the posting thread to the reading one, just as the
/// notification center passes it to observers on any thread.
private struct Post: @unchecked Sendable {
    let notification: Notification
}

/// Unchecked `Sendable`: immutable; the notification center accepts the removal of an observer on
/// any thread.
private struct Observation: @unchecked Sendable {
    let center: NotificationCenter
    let token: any NSObjectProtocol

    func end() { center.removeObserver(token) }
}
