/// Limits that the app may set; by default they are off. A limit ends the activity as
/// `setActive(false, options: .notifyOthersOnDeactivation)` does, and `DeactivationContext.cause`
/// names it. A timer runs only while a limit is counting down.
extension AudioSession {
    /// How long the session stays active after playback and recording in it have stopped; nil, the
    /// default, means without limit.
    public var idleTimeout: Duration? { limits.idleTimeout }

    /// How long the session may duck others without a break; nil, the default, means without limit.
    public var duckLimit: Duration? { limits.duckLimit }

    /// Sets the idle timeout: the session deactivates itself when `timeout` has passed since its
    /// last player or recorder stopped or paused, its last voice ended, and its bus ceased to have
    /// signal (`SessionBus.hasSignal`), and nothing has started since. Pausing a `Voice` directly
    /// does not start the timeout.
    ///
    /// The timeout applies neither to a session in which nothing has played yet nor within
    /// `whileActive`; the end of a scope counts as an end of playback.
    ///
    /// `timeout` must be from 0 to one day; other values throw badParam. Nil turns the timeout off.
    /// The timeout takes effect from the next end of playback.
    public func setIdleTimeout(_ timeout: Duration?) throws {
        try check(
            timeout, "The idle timeout must be 0 or more", isAllowed: { $0 >= .zero && $0 <= SessionLimits.longest })
        limits.idleTimeout = timeout
    }

    /// Sets the duck limit: the session deactivates itself when it has been active with duckOthers
    /// for `limit` without a break. This prevents a forgotten session from keeping others ducked.
    ///
    /// `limit` must be above 0 and at most one day; other values throw badParam. Nil turns the
    /// limit off. For a session that already ducks others, `limit` counts from now.
    public func setDuckLimit(_ limit: Duration?) throws {
        try check(limit, "The duck limit must be positive", isAllowed: { $0 > .zero && $0 <= SessionLimits.longest })
        limits.duckLimit = limit
    }

    /// Throws badParam for a duration that is not allowed; nil is.
    private func check(_ duration: Duration?, _ requirement: String, isAllowed: (Duration) -> Bool) throws {
        guard let duration, !isAllowed(duration) else { return }
        try request {
            throw AudioSessionError(
                .badParam,
                "\(requirement) and at most 1 day, or nil for none; \(duration) was requested.")
        }
    }
}
