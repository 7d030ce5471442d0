internal import AudioRendering

/// A session as its host knows it. The host calls these methods on its notification queue.
protocol HostedSession: AnyObject, Sendable {
    /// The session at the arbiter and in the engine.
    var registered: RegisteredSession { get }
    /// Delivers an event of the driver to the app.
    func receive(_ event: DriverEvent)
    /// Reports to the app that the server has returned. Each of its devices has returned by then or
    /// counts as removed (keeps SRV-2).
    func notifyReset()
    /// The last voice of a bus of the session has ended.
    func playbackEnded()
    /// A bus of the session began or ceased to have signal.
    func signalChanged()
    /// Reports to the arbiter, which may be a new one, whether the session plays, and what it
    /// publishes.
    func reportPlaying()
}
