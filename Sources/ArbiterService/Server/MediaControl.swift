internal import CSessionSocket
internal import Foundation
internal import Platform

/// The program that shows what plays on the desktop's media control and brings its commands
/// (`audiosession-mpris`). It runs while a session handles remote commands, so that a machine on
/// which nobody uses them has no process for them. Used on the server's thread only.
package struct MediaControl {
    /// How to start the program.
    package struct Program {
        var path: String
        var arguments: [String]
        /// Whether there is a bus for it now. A user may log in to a desktop later.
        var isPossible: () -> Bool

        package init(path: String, arguments: [String], if isPossible: @escaping () -> Bool) {
            self.path = path
            self.arguments = arguments
            self.isPossible = isPossible
        }
    }

    private let program: Program
    private var child: pid_t?
    /// A pidfd of the child; -1 if there is none.
    private(set) var descriptor: Int32 = -1
    private var startedAt = 0.0
    /// The earliest time of the next start, in seconds, and the pause before it.
    private var nextStart = 0.0
    private var pause = Self.shortestPause

    /// Seconds between two starts of a program that ends at once.
    private static let (shortestPause, longestPause) = (1.0, 60.0)
    /// Seconds after which a program has worked: the next pause is the shortest one, and there is
    /// none if it was not needed any longer.
    private static let minimumLife = 4.0
    /// Seconds until the next look for a bus.
    private static let busPause = 10.0

    init(_ program: Program) { self.program = program }

    var isRunning: Bool { child != nil }

    /// When the program is to be started again; nil if it runs.
    func dueTime(isNeeded: Bool) -> Double? { isNeeded && child == nil ? nextStart : nil }

    /// Starts the program, unless it is too early. Returns why it could not be started, or nil.
    mutating func start(at now: Double) -> String? {
        guard child == nil, now >= nextStart else { return nil }
        guard program.isPossible() else {
            nextStart = now + Self.busPause
            return nil
        }
        startedAt = now
        do throws(SystemFailure) {
            let child = try spawnProgram(program.path, arguments: program.arguments) { actions in
                posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
                posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
                // Its messages go to the log of the service.
            }
            self.child = child
            descriptor = ssocket_process_open(child)
            guard descriptor < 0 else { return nil }
            // A child that cannot be watched would never be started again.
            kill(child, SIGKILL)
            end(at: now)
            return "its process cannot be watched"
        } catch {
            delayNextStart(at: now)
            return error.reason
        }
    }

    /// Takes the child's exit status after `descriptor` has become readable. The caller has
    /// forgotten the descriptor.
    @discardableResult
    mutating func end(at now: Double) -> Int32 {
        guard let child else { return 0 }
        if descriptor >= 0 { close(descriptor) }
        (self.child, descriptor) = (nil, -1)
        let status = reapProgram(child)
        delayNextStart(at: now)
        if status == 0, now - startedAt >= Self.minimumLife { nextStart = now }
        return status
    }

    /// Ends the program with the service: it would notice that by itself, but not reap itself.
    mutating func stop(at now: Double) {
        guard let child else { return }
        kill(child, SIGTERM)
        // It has 1 s to leave the bus.
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if poll(&watched, 1, 1_000) <= 0 { kill(child, SIGKILL) }
        end(at: now)
    }

    private mutating func delayNextStart(at now: Double) {
        pause = now - startedAt >= Self.minimumLife ? Self.shortestPause : min(2 * pause, Self.longestPause)
        nextStart = now + pause
    }
}
