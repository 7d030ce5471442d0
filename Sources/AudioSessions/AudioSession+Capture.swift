internal import SessionArbiter
internal import SessionPolicy

/// The configuration of a session by a capture (PLAY-5).
extension AudioSession {
    /// Sets category playAndRecord with a mode and options, then calls `start`, which starts an
    /// input, and with it activates the session. If either throws, the session has its earlier
    /// configuration, and `stop` has been called if `start` had succeeded.
    ///
    /// A session that is active and mixes with others stops mixing only when the input runs:
    /// otherwise, a start that is refused would already have interrupted others.
    package func configureForCapture(
        mode: Mode, options: CategoryOptions, start: () throws -> Void, stop: () -> Void
    ) throws {
        let before = configuration
        let mixesUntilStarted = isActive && status?.session.isMixable == true && !options.contains(.mixWithOthers)
        do {
            try setCategory(
                .playAndRecord, mode: mode, options: mixesUntilStarted ? options.union(.mixWithOthers) : options)
            try start()
            guard mixesUntilStarted else { return }
            do {
                try setCategory(.playAndRecord, mode: mode, options: options)
            } catch {
                stop()
                throw error
            }
        } catch {
            try? setCategory(
                Category(before.category), mode: Mode(before.mode), policy: before.routeSharingPolicy,
                options: before.requestedOptions)
            throw error
        }
    }
}
