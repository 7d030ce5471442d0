/// A player or recorder that a session controls: pauses it when the session is interrupted, and
/// lets it resume afterwards. `AudioPlayer` and `AudioSessionInput` are participants. An app that
/// renders with an engine of its own makes that engine one, and attaches it to the session
/// (`AudioSession.attach`).
///
/// The session calls the methods on a library thread, except that `setActive(false)` calls
/// `sessionDidDeactivate` on its own thread. Whatever they do, the session's bus is silent while
/// the session is interrupted or inactive, and its voices do not advance (INT-1, INT-8).
public protocol SessionParticipant: AnyObject, Sendable {
    /// Whether it plays or records, or would do so if the session allowed it. Call
    /// `AudioSession.participantsChanged` when it changes.
    var isRunning: Bool { get }
    /// Whether it is paused part-way: the session is in use, and others that wait for it keep
    /// waiting while it is silent (ACT-17). False by default. Call
    /// `AudioSession.participantsChanged` when it changes.
    var isPaused: Bool { get }
    /// Whether it records and plays nothing: to other apps, a session that only records does not
    /// play (HINT-1). False by default.
    var isRecorder: Bool { get }
    /// The session was interrupted; its sources are already suspended. Pause (INT-9).
    func sessionWasInterrupted()
    /// The output in use was disconnected. Pause, and do not resume when an output returns
    /// (ROUTE-4).
    ///
    /// If `isGone`, the output is inaudible: pause immediately, so that the next output receives no
    /// sample of this sound. Otherwise the sound is still audible through other ports, those that a
    /// simulated device uses: fade out.
    func sessionOutputWasDisconnected(isGone: Bool)
    /// The interruption has ended and the app has been notified, unless its main queue has been
    /// blocked for 1 s. Resume if the participant was running when the interruption began and
    /// `shouldResume` is true (INT-9).
    func sessionInterruptionEnded(shouldResume: Bool)
    /// The session was deactivated. Stop (ACT-7).
    func sessionDidDeactivate()
    /// The session's route has another input. Unless the app itself asked for that, no sample of
    /// the new input has been recorded yet (ROUTE-4). Also called when devices are no longer
    /// awaited after a return of the server (SRV-2). Does nothing by default.
    func sessionInputChanged()
}

extension SessionParticipant {
    public var isPaused: Bool { false }
    public var isRecorder: Bool { false }
    public func sessionInputChanged() {}
}
