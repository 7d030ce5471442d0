/// Properties to be followed, without KVO.
extension AudioSession {
    /// A property's value now, and then whenever it has become another: `for await volume in session.values(of: \.outputVolume) { … }`.
    ///
    /// Any property of the session will do, such as `outputVolume`, `currentRoute`, `isOtherAudioPlaying`,
    /// `secondaryAudioShouldBeSilencedHint`, `state` or `sampleRate`. Values between that nobody was there to read are passed over: the next one is
    /// always the present one. It is read by whoever iterates, where they iterate, and ends with the session.
    public func values<Value: Equatable>(of property: any KeyPath<AudioSession, Value> & Sendable) -> Values<Value> {
        Values(session: self, property: property)
    }

    /// The values of one property; any number of iterations, each from its own beginning.
    public struct Values<Value: Equatable>: AsyncSequence, Sendable {
        public typealias Element = Value
        public typealias Failure = Never

        // Following a session does not keep it alive.
        private let session: @Sendable () -> AudioSession?
        private let property: any KeyPath<AudioSession, Value> & Sendable

        init(session: AudioSession, property: any KeyPath<AudioSession, Value> & Sendable) {
            self.session = { [weak session] in session }
            self.property = property
        }

        public func makeAsyncIterator() -> Iterator {
            Iterator(
                session: session, property: property, changes: session()?.streams.makeSignals().makeAsyncIterator())
        }

        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let session: @Sendable () -> AudioSession?
            fileprivate let property: any KeyPath<AudioSession, Value> & Sendable
            fileprivate var changes: AsyncStream<Void>.Iterator?
            fileprivate var last: Value?

            public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Value? {
                // The signals were asked for before the first reading, so that no change is missed.
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
