/// Activation without blocking, as in the 2026 API. The asynchronous calls of one session take
/// effect one after the other, in the order in which they were made. Each waits for the earlier
/// ones, and then takes as long as `setActive`.
extension AudioSession {
    /// Options for `activate`. None are defined.
    public struct ActivationOptions: OptionSet, Hashable, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }

    /// Options for `deactivate`.
    public struct DeactivationOptions: OptionSet, Hashable, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Notifies the sessions that this one interrupted that they may resume (ACT-8).
        public static let notifyOthersOnDeactivation = DeactivationOptions(rawValue: 1)
    }

    /// Activates as `setActive(true)` does, but suspends the task instead of blocking a thread.
    /// Returns true, or throws what `setActive` throws (ACT-1).
    ///
    /// A task that is cancelled before the activation starts throws `CancellationError`, and
    /// nothing changes. Once started, the activation runs to completion and its result is returned:
    /// deactivate the session if you no longer need it.
    @discardableResult
    public func activate(options: ActivationOptions = []) async throws -> Bool {
        try await activation.queue.perform { try self.setActive(true) }
        return true
    }

    /// Activates as `setActive(true)` does, without blocking. The library calls `handler` on one of
    /// its own threads, with true, or with false and the error.
    public func activate(
        options: ActivationOptions = [], completionHandler handler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        activation.queue.run {
            try self.setActive(true)
        } completion: {
            handler($0 == nil, $0)
        }
    }

    /// Deactivates as `setActive(false)` does, but suspends the task instead of blocking a thread.
    /// Returns true, or throws what `setActive` throws.
    ///
    /// A cancelled task still deactivates, so that a session is not left active by accident.
    @discardableResult
    public func deactivate(options: DeactivationOptions = []) async throws -> Bool {
        try await activation.queue.performUncancelled { try self.setActive(false, options: options.forSetActive) }
        return true
    }

    /// Deactivates as `setActive(false)` does, without blocking. The library calls `handler` on one
    /// of its own threads, with true, or with false and the error.
    public func deactivate(
        options: DeactivationOptions = [], completionHandler handler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        activation.queue.run {
            try self.setActive(false, options: options.forSetActive)
        } completion: {
            handler($0 == nil, $0)
        }
    }
}

extension AudioSession {
    /// Returns when all asynchronous calls on the session have completed and all resulting events
    /// have been delivered. Do not call from within a notification.
    package func settle() {
        activation.queue.drain()
        host.settle()
    }
}

extension AudioSession.DeactivationOptions {
    fileprivate var forSetActive: AudioSession.SetActiveOptions {
        contains(.notifyOthersOnDeactivation) ? .notifyOthersOnDeactivation : []
    }
}
