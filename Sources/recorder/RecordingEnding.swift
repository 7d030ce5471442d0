import AudioPlayback
import SessionProgramSupport

/// What the end of a recording means to the program.
extension AudioRecording {
    /// Returns why the recording is incomplete or ended early; nil if it did not.
    func failure(_ server: ServerOptions) -> ProgramFailure? {
        switch ending {
        case .failed(let error):
            let failure = ProgramFailure(error)
            let frames = files.reduce(0) { $0 + $1.frames }
            return ProgramFailure(failure.status, "\(failure.message) The \(frames) frames before that are complete.")
        case .serverGone: return server.serverIsGone("recorder")
        case .inputChanged:
            return ProgramFailure(
                .temporary,
                "The input became another one, which ended the recording; with --input-change next, it would continue.")
        case .deactivated:
            return ProgramFailure(
                .temporary, "The system deactivated the session, which ended the recording; start the recorder again.")
        case .stopped, .limit:
            let lostFrames = gaps.reduce(0) { $0 + ($1.cause == .disk ? $1.frames : 0) }
            guard lostFrames > 0 else { return nil }
            return ProgramFailure(
                .cannotCreate,
                "The disk was too slow: silence takes the place of \(lostFrames) frames; use a faster disk.")
        }
    }
}

extension AudioRecording.Ending {
    /// The name of the reason in events.
    var name: String {
        switch self {
        case .stopped: "stopped"
        case .deactivated: "deactivated"
        case .limit: "limit"
        case .inputChanged: "inputChanged"
        case .serverGone: "serverGone"
        case .failed: "failed"
        }
    }
}
