internal import Foundation
internal import SessionArbiter
internal import SessionPolicy

/// Runs the program for the desktop's media control while it is needed (REMOTE-1, REMOTE-3).
extension ArbiterServer {
    static let mediaControlToken = UInt64.max - 1

    /// The reply to a request for what plays.
    var nowPlayingReport: Reply.NowPlayingReport {
        let session = core.state.nowPlaying
        let program = session.flatMap { session in connections.values.first { $0.app == session.app }?.peer.program }
        return Reply.NowPlayingReport(isUsed: needsMediaControl, session: session, program: program)
    }

    private var needsMediaControl: Bool { core.state.sessions.contains { !$0.remoteCommands.isEmpty } }

    /// When `updateMediaControl` has something to do, in seconds; nil if a decision comes first.
    var mediaControlDue: Double? { mediaControl?.dueTime(isNeeded: mediaControlIsNeeded) }

    /// Starts the program if a session handles remote commands and it does not run. It exits by
    /// itself when no session does any longer.
    func updateMediaControl(at now: Double) {
        guard mediaControl != nil, rebuilding == nil else { return }
        if mediaControlMayHaveChanged { mediaControlIsNeeded = needsMediaControl }
        mediaControlMayHaveChanged = false
        guard mediaControlIsNeeded, mediaControl?.isRunning == false else { return }
        let failure = mediaControl?.start(at: now)
        if let failure { report("The desktop's media control cannot be served: \(failure).") }
        if let descriptor = mediaControl?.descriptor, descriptor >= 0,
            !loop.watch(descriptor, token: Self.mediaControlToken)
        {
            mediaControl?.stop(at: now)
        }
    }

    /// Reaps the program after it has exited.
    func mediaControlEnded() {
        guard let descriptor = mediaControl?.descriptor, descriptor >= 0 else { return }
        loop.forget(descriptor)
        let status = mediaControl?.end(at: Self.now) ?? 0
        // It has said itself what is unavailable.
        if status != 0, status != EX_UNAVAILABLE { report("audiosession-mpris exited with status \(status).") }
    }
}
