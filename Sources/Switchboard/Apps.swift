internal import SessionArbiter
public import SessionPolicy

/// `audiosession app`: the life of the app that holds a session (BG-1, BG-3).
public struct Apps {
    /// What can be done with an app.
    public enum Change: String, CaseIterable, Sendable {
        case foreground, background, suspend, resume
    }

    private let desk: any ArbiterDesk

    public init(_ desk: any ArbiterDesk) { self.desk = desk }

    public func change(_ change: Change, appOf id: SessionID) throws(SwitchboardError) -> Done {
        let report = try desk.report()
        let session = try report.status(of: id).session
        guard session.app != .system else {
            throw SwitchboardError(
                .usage, "\(session.systemName) is the system's own and no app's; name a session of an app.")
        }
        let directory = Directory(report)
        let name =
            directory.programName(of: session.app).map { "\($0) (pid \(session.app.rawValue))" }
            ?? "pid \(session.app.rawValue)"
        let life = report.life(of: session.app)
        let wanted: ApplicationState
        switch change {
        case .foreground: wanted = .foreground
        case .background: wanted = .background
        case .suspend: wanted = .suspended
        case .resume:
            guard life == .suspended else {
                throw SwitchboardError(
                    .usage, "\(name) was to be resumed, but it is in the \(life.rawValue); suspend it first.")
            }
            wanted = .foreground
        }
        guard life != .suspended || change == .resume || wanted == .suspended else {
            throw SwitchboardError(
                .usage,
                "\(name) was to go to the \(wanted.rawValue), but it is suspended; resume it first.")
        }
        try desk.submit(.setApplicationState(session.app, wanted))
        return Done(
            "app \(change.rawValue)",
            "\(name) is \(wanted == .suspended ? "suspended" : "in the \(wanted.rawValue)").", session: id.rawValue)
    }
}
