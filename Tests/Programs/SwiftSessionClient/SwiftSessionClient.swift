import Dispatch
import Foundation
import SessionArbiter
import SessionPolicy

/// Plays in a session of the Swift library until SIGTERM, and resumes after interruptions. For
/// audiosession-conformance; it makes no sound.
@main struct SwiftSessionClient {
    static func main() {
        do {
            let arbiter = try RemoteArbiter(at: ArbiterAddress.standard())
            let player = SessionPlayer(arbiter)
            player.start()
            signal(SIGTERM, SIG_IGN)
            let ended = DispatchSemaphore(value: 0)
            let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
            source.setEventHandler { ended.signal() }
            source.resume()
            ended.wait()
            withExtendedLifetime((source, player)) {}
        } catch {
            FileHandle.standardError.write(Data("swift-session-client: \(error)\n".utf8))
            exit(1)
        }
    }
}

/// A session, whose requests are made on one queue.
///
/// Unchecked `Sendable`: the variable is used on `queue` only.
private final class SessionPlayer: SessionObserver, @unchecked Sendable {
    private let arbiter: RemoteArbiter
    private let queue = DispatchQueue(label: "player")
    private var session: SessionID?

    init(_ arbiter: RemoteArbiter) { self.arbiter = arbiter }

    func start() {
        queue.async { [self] in
            do {
                let registered = try arbiter.register(app: arbiter.app, observer: self)
                session = registered.id
                try arbiter.submit(
                    .configure(
                        registered.id, .category(.playback, mode: .default, options: [], routeSharingPolicy: .default)))
                play()
            } catch {
                report(error)
            }
        }
    }

    private func play() {
        guard let session else { return }
        do {
            try arbiter.submit(.activate(session))
            try arbiter.submit(.setRunning(session, true))
        } catch {
            report(error)
        }
    }

    func receive(_ notice: SessionNotice) {
        switch notice.effect.kind {
        case .interruptionEnded(let shouldResume) where shouldResume: queue.async { [self] in play() }
        case .deactivatedBySystem: queue.async { [self] in lost() }
        default: break
        }
    }

    /// Creates another session if the next arbiter does not know this one.
    private func lost() {
        guard let session, arbiter.status(of: session) == nil else { return play() }
        start()
    }

    func replaceGate(_ gate: SessionGate) {}

    private func report(_ error: any Error) {
        FileHandle.standardError.write(Data("swift-session-client: \(error)\n".utf8))
    }
}
