internal import Foundation

/// The loss of the socket's file or of the lock (see `SocketWatch`).
extension ArbiterServer {
    /// How long the server waits after a change of its folder, in seconds: a folder is then removed
    /// completely before the server makes it again.
    private static let folderPause = 0.1
    /// The seconds between two attempts to make the socket again, and between two looks at it if
    /// the system cannot watch the folder.
    static let socketPause = 5.0

    /// Looks at the socket soon if its file or the lock is concerned.
    func noteFolderChange() {
        if socketWatch?.readEvents() == true, checkSocketAt == nil { checkSocketAt = Self.now + Self.folderPause }
    }

    /// Makes the socket and the lock again if they were removed or replaced. Returns false if
    /// another service has taken the place of this one; its files then belong to that one.
    func restoreSocket(at now: Double) -> Bool {
        guard let socketWatch else { return true }
        let result = socketWatch.restore()
        checkSocketAt = socketWatch.isWatching ? nil : now + Self.socketPause
        switch result {
        case .intact: hasReportedSocketLoss = false
        case .replaced: return false
        case .failed(let reason):
            if !hasReportedSocketLoss { report("The socket was removed and cannot be made again: \(reason).") }
            hasReportedSocketLoss = true
            checkSocketAt = now + Self.socketPause
        case .rebound(let next):
            report("The socket or its lock was removed or replaced; it was made again.")
            hasReportedSocketLoss = false
            // Clients that have connected to the old socket are served too.
            accept()
            loop.forget(listener)
            close(listener)
            listener = next
            listen()
            persist()
        }
        return true
    }
}
