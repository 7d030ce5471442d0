/// A player or recorder that the session controls.
///
/// The library calls it on its notification thread, except that `setActive(false)` calls
/// `sessionDidDeactivate` on its own thread.
package protocol SessionParticipant: AnyObject, Sendable {
    /// Whether it plays or records, or would do so if the session allowed it.
    var isRunning: Bool { get }
    /// The session was interrupted; its sources are already suspended. Pause (INT-9).
    func sessionWasInterrupted()
    /// The output in use was disconnected. Pause, and do not resume when an output returns
    /// (ROUTE-4).
    ///
    /// If `isGone`, the output is inaudible: pause immediately, so that the next output receives no
    /// sample of this sound. Otherwise the sound is still audible through other ports (those that a
    /// virtual device of the policy uses): fade out.
    func sessionOutputWasDisconnected(isGone: Bool)
    /// The interruption has ended and the app has been notified. Resume according to the resume
    /// policy (INT-9).
    func sessionInterruptionEnded(shouldResume: Bool)
    /// The session was deactivated. Stop (ACT-7).
    func sessionDidDeactivate()
}
