import DesktopBridge
import Dispatch
import Foundation
import Platform
import SessionArbiter
import SessionPolicy

/// Connects the arbiter to the bus: publishes the now-playing session after every decision, and
/// sends the commands of the bus to the arbiter (REMOTE-1…3). Any thread.
final class MediaControlService: Sendable {
    private struct State {
        var connection: ArbiterConnection?
        /// Whether `queue` will publish.
        var isScheduled = false
        /// Whether the program exits because no session handles commands.
        var isUnused = false
        /// Since when no session handles commands, in seconds of the monotonic clock.
        var unusedSince: Double?
    }
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "audiosession-mpris.requests")

    /// Seconds between two requests, so that many decisions in a short time cost few.
    private static let interval = 0.02
    /// Seconds until the next request after one that failed.
    private static let retryInterval = 0.5
    /// Seconds without a session that handles commands after which the program exits: an app that
    /// is started again soon finds it running.
    private static let unusedLimit = 5.0

    /// Connects to the arbiter, follows its decisions and shows what plays on `bus`.
    func connect(to address: ArbiterAddress, showingOn bus: MediaPlayerBus) throws(ArbiterError) {
        let connection = try ArbiterConnection(
            address,
            receive: { [weak self, weak bus] message in
                if case .decision = message, let bus { self?.schedule(on: bus) }
            },
            ended: { [weak bus] in bus?.stop() })
        state.withLock { $0.connection = connection }
        do throws(RequestError) {
            _ = try connection.request(.log(after: .max, follows: true))
        } catch {
            throw .unavailable(error.description)
        }
        schedule(on: bus)
    }

    /// Whether the program ends because nobody needs it, and not because the arbiter is gone.
    var isUnused: Bool { state.withLock { $0.isUnused } }

    /// Sends a command to the now-playing app.
    func perform(_ command: RemoteCommand) throws(RemoteCommandFailure) {
        guard let connection = state.withLock({ $0.connection }) else {
            throw .failed("audiosessiond is not connected.")
        }
        do throws(RequestError) {
            _ = try connection.request(.submit(.remoteCommand(command)))
        } catch {
            throw error.refusal?.rule == .remote1 ? .unsupported(error.description) : .failed(error.description)
        }
    }

    /// Publishes soon, if that is not due already.
    private func schedule(on bus: MediaPlayerBus, after seconds: Double = 0) {
        let isFirst = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + seconds) { [weak self, weak bus] in
            guard let self, let bus else { return }
            state.withLock { $0.isScheduled = false }
            publish(on: bus)
            // The next request is not before that.
            poll(nil, 0, Int32(Self.interval * 1_000))
        }
    }

    private func publish(on bus: MediaPlayerBus) {
        guard let connection = state.withLock({ $0.connection }) else { return }
        guard let report = try? connection.request(.nowPlaying).nowPlaying else {
            // A loss ends the program by `ended`; otherwise the arbiter is busy.
            if !connection.hasEnded { schedule(on: bus, after: Self.retryInterval) }
            return
        }
        bus.publish(report.session.map { MediaPlayer($0, program: report.program ?? "") })
        let now = Double(DispatchTime.now().uptimeNanoseconds) / 1e9
        let unused = state.withLock { state in
            state.unusedSince = report.isUsed ? nil : state.unusedSince ?? now
            return state.unusedSince.map { now - $0 }
        }
        guard let unused else { return }
        if unused >= Self.unusedLimit {
            state.withLock { $0.isUnused = true }
            return bus.stop()
        }
        queue.asyncAfter(deadline: .now() + Self.unusedLimit - unused) { [weak self, weak bus] in
            if let bus { self?.schedule(on: bus) }
        }
    }
}

extension MediaPlayer {
    /// The now-playing session, whose program is at that path.
    init(_ session: SessionState, program: String) {
        let name = program.split(separator: "/").last.map(String.init) ?? "app"
        let published = session.published
        self.init(
            name: name, desktopEntry: Self.desktopEntry(named: name), number: session.id.rawValue,
            commands: session.remoteCommands, playbackState: published.info.playbackState,
            record: session.nowPlaying == nil ? nil : published)
    }

    /// The program's desktop entry, if one of its name is installed.
    private static func desktopEntry(named name: String) -> String? {
        let environment = ProcessInfo.processInfo.environment
        let home = environment["XDG_DATA_HOME"] ?? (environment["HOME"] ?? "") + "/.local/share"
        let shared = environment["XDG_DATA_DIRS"] ?? "/usr/local/share:/usr/share"
        let folders = [home] + shared.split(separator: ":").map(String.init)
        return folders.contains { access("\($0)/applications/\(name).desktop", F_OK) == 0 } ? name : nil
    }
}
