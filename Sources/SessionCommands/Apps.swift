internal import SessionArbiter
public import SessionPolicy

/// `audiosession app`: changes the state of the app that owns a session (BG-1, BG-3).
public struct Apps {
    /// The changes that can be made to an app.
    public enum Change: String, CaseIterable, Sendable {
        case foreground, background, suspend, resume
    }

    private let arbiter: any ArbiterClient

    public init(_ arbiter: any ArbiterClient) { self.arbiter = arbiter }

    /// Changes the state of the app that owns the session. Throws for a system session, and for a
    /// change that the current state does not allow: only a suspended app can resume, and a
    /// suspended app must resume before it can move.
    public func change(_ change: Change, appOf id: SessionID) throws(CommandError) -> ChangeResult {
        let report = try arbiter.report()
        let session = try report.status(of: id).session
        guard session.app != .system else {
            throw CommandError(
                .usage,
                "\(session.systemName) is a system session and belongs to no app; give the number of an app's session.")
        }
        let names = SessionNames(report)
        let name =
            names.programName(of: session.app).map { "\($0) (pid \(session.app.rawValue))" }
            ?? "pid \(session.app.rawValue)"
        let state = report.state(of: session.app)
        let newState: ApplicationState
        switch change {
        case .foreground: newState = .foreground
        case .background: newState = .background
        case .suspend: newState = .suspended
        case .resume:
            guard state == .suspended else {
                throw CommandError(
                    .usage, "Cannot resume \(name): it is in the \(state.rawValue), not suspended.")
            }
            newState = .foreground
        }
        guard state != .suspended || change == .resume || newState == .suspended else {
            throw CommandError(
                .usage,
                "Cannot move \(name) to the \(newState.rawValue): it is suspended; resume it first.")
        }
        try arbiter.submit(.setApplicationState(session.app, newState))
        return ChangeResult(
            "app \(change.rawValue)",
            "\(name) is \(newState == .suspended ? "suspended" : "in the \(newState.rawValue)").", session: id.rawValue)
    }
}
