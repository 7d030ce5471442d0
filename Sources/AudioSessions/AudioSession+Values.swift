/// Asynchronous sequences of property values, without KVO.
extension AudioSession {
    /// Returns the current value of a property and then each new value: `for await volume in
    /// session.values(of: \.outputVolume) { … }`.
    ///
    /// The property may be any property of the session, such as `outputVolume`, `currentRoute`,
    /// `isOtherAudioPlaying`, `secondaryAudioShouldBeSilencedHint`, `state` or `sampleRate`.
    /// Intermediate values that were not read in time are skipped: the next element is always the
    /// current value. The task that iterates reads the property; some properties connect to the
    /// server when they are read. The sequence ends when the session is released.
    public func values<Value: Equatable>(of property: any KeyPath<AudioSession, Value> & Sendable) -> Values<Value> {
        Values(session: self, property: property)
    }

    /// The values of one property. Any number of iterations are possible; each starts with the
    /// current value.
    public struct Values<Value: Equatable>: AsyncSequence, Sendable {
        public typealias Element = Value
        public typealias Failure = Never

        // The sequence does not keep the session alive.
        private let session: @Sendable () -> AudioSession?
        private let property: any KeyPath<AudioSession, Value> & Sendable

        init(session: AudioSession, property: any KeyPath<AudioSession, Value> & Sendable) {
            self.session = { [weak session] in session }
            self.property = property
        }

        public func makeAsyncIterator() -> Iterator {
            Iterator(
                session: session, property: property, changes: session()?.delivery.signals().makeAsyncIterator())
        }

        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let session: @Sendable () -> AudioSession?
            fileprivate let property: any KeyPath<AudioSession, Value> & Sendable
            fileprivate var changes: AsyncStream<Void>.Iterator?
            fileprivate var last: Value?

            public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Value? {
                // The iterator subscribes to changes before it first reads the property, so it
                // misses no change.
                while true {
                    if last != nil, await changes?.next(isolation: actor) == nil { return nil }
                    guard let value = session()?[keyPath: property] else { return nil }
                    guard value != last else { continue }
                    last = value
                    return value
                }
            }
        }
    }
}
