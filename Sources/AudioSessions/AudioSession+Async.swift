/// Activation without blocking, in the shape of 2026. The calls of one session take effect one after the other, in the order in which they
/// were made; they are bounded as `setActive` is.
extension AudioSession {
    /// How `activate` is meant. There are no options yet.
    public struct ActivationOptions: OptionSet, Hashable, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }

    /// How `deactivate` is meant.
    public struct DeactivationOptions: OptionSet, Hashable, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Tells those who were interrupted that they may resume (ACT-8).
        public static let notifyOthersOnDeactivation = DeactivationOptions(rawValue: 1)
    }

    /// Activates as `setActive(true)` does, while the task suspends; no thread of Swift's pool blocks. Returns true, or throws what refuses
    /// (ACT-1).
    ///
    /// A task that is cancelled before the activation has begun throws `CancellationError`, and nothing has happened. Once begun, it is
    /// carried out and its outcome returned: deactivate then, if it is not wanted any longer.
    @discardableResult
    public func activate(options: ActivationOptions = []) async throws -> Bool {
        try await turns.perform { try self.setActive(true) }
        return true
    }

    /// Activates as `setActive(true)` does, without waiting; `handler` is told true, or false and what refuses, on a thread of the library's.
    public func activate(
        options: ActivationOptions = [], completionHandler handler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        turns.run {
            try self.setActive(true)
        } answer: {
            handler($0 == nil, $0)
        }
    }

    /// Deactivates as `setActive(false)` does, while the task suspends. Returns true, or throws what `setActive` throws.
    ///
    /// A cancelled task deactivates all the same: giving way is not to be forgotten on the way out.
    @discardableResult
    public func deactivate(options: DeactivationOptions = []) async throws -> Bool {
        try await turns.performUncancelled { try self.setActive(false, options: options.forSetActive) }
        return true
    }

    /// Deactivates as `setActive(false)` does, without waiting; `handler` is told true, or false and the error, on a thread of the library's.
    public func deactivate(
        options: DeactivationOptions = [], completionHandler handler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        turns.run {
            try self.setActive(false, options: options.forSetActive)
        } answer: {
            handler($0 == nil, $0)
        }
    }
}

extension AudioSession {
    /// Returns when all that was asked of the session without waiting is done, and all that follows is told. Not from within a notification.
    package func settle() {
        turns.drain()
        host.settle()
    }
}

extension AudioSession.DeactivationOptions {
    fileprivate var forSetActive: AudioSession.SetActiveOptions {
        contains(.notifyOthersOnDeactivation) ? .notifyOthersOnDeactivation : []
    }
}
