internal import SessionPolicy

/// Activation (group ACT).
extension AudioSession {
    /// Activates or deactivates the session.
    ///
    /// Activation connects to the server, asks the arbiter, and starts audio only after the
    /// arbiter's grant (keeps ACT-1). If activation is refused, the call throws and nothing has
    /// changed. If audio cannot start after the grant, the session is deactivated again, the
    /// sessions that it interrupted are notified that they may resume, and the call throws. The
    /// call blocks until the gates of interrupted sessions are closed and the server has answered,
    /// usually for a few milliseconds. If the server does not answer, each request to it times out
    /// after `JackDriver.Configuration.callTimeout`: the requests to open the client, to start it,
    /// to connect each port of the route, and to apply a preferred sample rate and I/O buffer
    /// duration.
    ///
    /// Deactivation stops players and recorders, and notifies others if `options` contains
    /// `notifyOthersOnDeactivation` (keeps ACT-7, ACT-8). It sends requests to the server only to
    /// restore the sample rate and the period, or to apply those that the remaining active sessions
    /// prefer. Deactivating an inactive session succeeds (ACT-10). Throws isBusy, although the
    /// session is then inactive, if players were running and a setting asks for that.
    public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        if active {
            try activation.activate()
        } else {
            try activation.deactivate(notifyOthers: options.contains(.notifyOthersOnDeactivation))
        }
    }

    /// Requests activation as `setActive(true)` does. If another session prevents it, the request
    /// stays pending instead of throwing: the arbiter grants it as soon as the session can be
    /// active without interrupting another, and the session then delivers `activationGranted`
    /// (keeps ACT-14). Deactivating the session cancels the request (ACT-10).
    ///
    /// Returns whether the session is active now; false if the request is pending. Throws other
    /// refusals and failures, and blocks, as `setActive` does.
    @discardableResult
    public func requestActivation() throws -> Bool { try activation.activateOrRequest() }

    /// Records that the user requested this session by remote control. Call it before activating
    /// the session, which then counts as in the foreground for a limited time, 10 s by default
    /// (keeps ACT-16).
    public func recordRemotePlay() throws { try submit { .remotePlay($0) } }
}
