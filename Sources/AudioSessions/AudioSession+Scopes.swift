internal import AudioRendering

/// Who is within `whileActive`. Touched only in the session's turns.
struct ActiveScopes {
    var count = 0
    /// Whether the first of them activated the session, so that the last one deactivates it.
    var ownsActivation = false
}

/// Activity for the length of a scope.
extension AudioSession {
    /// Activates, runs `body`, and deactivates with notice to others when it has returned or thrown.
    ///
    /// Scopes nest and overlap: the last one to end deactivates, unless the session was active before the first. A session that is interrupted
    /// or deactivated meanwhile is not activated again. Throws what refuses the activation, without running `body`; else only what
    /// `body` throws. Blocks as `setActive` does, twice; within an actor or task take the asynchronous one.
    public func whileActive<Value>(_ body: () throws -> Value) throws -> Value {
        try turns.run { try self.enterScope() }
        defer { turns.run { self.leaveScope() } }
        return try body()
    }

    /// The same for a `body` that awaits; no thread of Swift's pool blocks.
    ///
    /// `body` runs where the caller does. A task that is cancelled before the activation has begun throws `CancellationError` without
    /// running `body`; one that is cancelled later leaves it to `body` to end, and deactivates then.
    public func whileActive<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async throws -> Value {
        try await turns.perform { try self.enterScope() }
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        try? await turns.performUncancelled { self.leaveScope() }
        return try result.get()
    }

    private func enterScope() throws {
        let wasActive = isActive
        try setActive(true)
        scopes.withLock { scopes in
            if scopes.count == 0 { scopes.ownsActivation = !wasActive }
            scopes.count += 1
        }
    }

    private func leaveScope() {
        let deactivates = scopes.withLock { scopes in
            scopes.count -= 1
            return scopes.count == 0 && scopes.ownsActivation
        }
        // Only a setting has this throw, isBusy: the session is inactive then all the same (ACT-7).
        if deactivates { try? setActive(false, options: .notifyOthersOnDeactivation) }
    }
}
