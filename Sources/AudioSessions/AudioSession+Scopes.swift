/// Activity for the duration of a scope.
extension AudioSession {
    /// Activates the session, runs `body`, and deactivates the session and notifies others when
    /// `body` has returned or thrown.
    ///
    /// Scopes may nest and overlap: the last one to end deactivates the session, unless the session
    /// was active before the first. A session that is interrupted or deactivated meanwhile is not
    /// activated again. If the activation is refused, throws the refusal without running `body`;
    /// otherwise throws only what `body` throws. The activation and the deactivation each block as
    /// `setActive` does; in an actor or a task, use the asynchronous method instead.
    public func whileActive<Value>(_ body: () throws -> Value) throws -> Value {
        try activation.queue.run { try self.activation.enterScope() }
        defer { activation.queue.run { self.leaveScope() } }
        return try body()
    }

    /// Activates the session, runs an asynchronous `body`, and deactivates the session as the
    /// synchronous method does, without blocking a thread of Swift's cooperative pool.
    ///
    /// `body` runs in the caller's isolation. A task that is cancelled before the activation starts
    /// throws `CancellationError` without running `body`. If the task is cancelled later, `body`
    /// decides when to end, and the session is then deactivated.
    public func whileActive<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async throws -> Value {
        try await activation.queue.perform { try self.activation.enterScope() }
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        try? await activation.queue.performUncancelled { self.leaveScope() }
        return try result.get()
    }

    private func leaveScope() {
        if !activation.leaveScope() { limits.updateIdleTimer() }
    }
}
