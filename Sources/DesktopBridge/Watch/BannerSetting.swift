internal import Foundation
internal import Platform

/// Follows GNOME's setting for do-not-disturb, `show-banners`, with the program `gsettings`. On a
/// system without that program or the setting, it reports nothing.
///
/// A thread runs `gsettings monitor`, which the system ends with that thread, also if this process
/// is killed: `setpriv` arranges that.
package final class BannerSetting: Sendable {
    /// The name of this source in events.
    package static let source = "org.gnome.desktop.notifications"
    private static let key = "show-banners"
    /// Seconds between two starts of the program, at first and at most.
    private static let (shortestPause, longestPause) = (1.0, 60.0)
    /// Seconds within which `gsettings get` ends, and after which the program follows the setting.
    private static let (readLimit, startTime) = (2.0, 1.0)

    private struct State {
        var child: pid_t?
        var isStopped = false
    }
    private let state = Mutex(State())
    private let thread = WorkerThread()
    private let stopping = DispatchSemaphore(value: 0)

    /// Starts to follow the setting. All calls of `receive` are made by one thread: `doNotDisturb`
    /// whenever the value may have changed, and `synced` once.
    package init(receive: @escaping @Sendable (DesktopEvent) -> Void) {
        let (state, stopping) = (state, stopping)
        let isStarted = thread.start(name: "desktop-banners") { Self.run(state, stopping, receive) }
        if !isStarted { receive(.synced) }
    }

    deinit { stop() }

    /// Ends the program, and waits for it for a short time. Idempotent.
    package func stop() {
        state.withLock { state in
            state.isStopped = true
            if let child = state.child { kill(child, SIGKILL) }
        }
        stopping.signal()
        thread.join(seconds: 1)
    }

    private static func run(
        _ state: borrowing Mutex<State>, _ stopping: DispatchSemaphore,
        _ receive: @escaping @Sendable (DesktopEvent) -> Void
    ) {
        var isKnown = reportValue(receive)
        receive(.synced)
        var pause = shortestPause
        // Without the program or the setting, that does not change.
        while isKnown != nil, !state.withLock({ $0.isStopped }) {
            let hasWorked = follow(state, isKnown: &isKnown, receive)
            pause = hasWorked ? shortestPause : min(2 * pause, longestPause)
            if isKnown == nil || stopping.wait(timeout: .now() + pause) == .success { return }
            let isStillKnown = reportValue(receive)
            if isKnown == false { isKnown = isStillKnown }
        }
    }

    /// Reads the setting, and reports it. Returns false if the program takes too long, and nil if
    /// there is no such program or setting.
    private static func reportValue(_ receive: @escaping @Sendable (DesktopEvent) -> Void) -> Bool? {
        guard let program = try? ProgramLaunch.find("gsettings", orNamedBy: "AUDIOSESSION_GSETTINGS"),
            let result = try? ProgramLaunch.result(
                of: program, arguments: ["get", source, key], timeoutSeconds: readLimit)
        else { return nil }
        switch result {
        case .timedOut: return false
        case .exited(let status, let output):
            guard status == 0, let value = parse(output) else { return nil }
            receive(.doNotDisturb(source: source, !value))
            return true
        }
    }

    private static func parse(_ text: some StringProtocol) -> Bool? {
        switch text.trimmingCharacters(in: .whitespacesAndNewlines) {
        case "true": true
        case "false": false
        default: nil
        }
    }

    /// Runs `gsettings monitor` to its end, and reports each value. Returns whether it has reported
    /// any. Reads the value until it is known.
    private static func follow(
        _ state: borrowing Mutex<State>, isKnown: inout Bool?, _ receive: @escaping @Sendable (DesktopEvent) -> Void
    ) -> Bool {
        guard let descriptor = spawn(state) else { return false }
        defer { reap(state, descriptor) }
        var (hasReported, isStarting) = (false, true)
        var line: [UInt8] = []
        while true {
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // A change before the program followed the setting is read.
            if isStarting, poll(&watched, 1, Int32(startTime * 1_000)) == 0 {
                let isRead = reportValue(receive)
                if isKnown == false { isKnown = isRead }
                guard isKnown != nil else { return false }
                isStarting = isKnown == false
                continue
            }
            var bytes = [UInt8](repeating: 0, count: 512)
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return hasReported }
            for byte in bytes[..<count] {
                guard byte == UInt8(ascii: "\n") else {
                    if line.count < 256 { line.append(byte) }
                    continue
                }
                let text = String(decoding: line, as: UTF8.self)
                line = []
                // "show-banners: false"
                guard text.hasPrefix(key + ":"), let value = parse(text.dropFirst(key.count + 1)) else { continue }
                hasReported = true
                receive(.doNotDisturb(source: source, !value))
            }
        }
    }

    /// Starts the program with a pipe as its output. Returns our end.
    private static func spawn(_ state: borrowing Mutex<State>) -> Int32? {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        let (own, given) = (ends[0], ends[1])
        defer { close(given) }
        let child = state.withLock { state -> pid_t? in
            guard !state.isStopped,
                let gsettings = try? ProgramLaunch.find("gsettings", orNamedBy: "AUDIOSESSION_GSETTINGS")
            else { return nil }
            let child = try? spawnProgram(
                "setpriv", arguments: ["--pdeathsig", "KILL", gsettings, "monitor", source, key], searchesPath: true
            ) { actions in
                posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
                posix_spawn_file_actions_adddup2(&actions, given, STDOUT_FILENO)
                posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
            }
            state.child = child
            return child
        }
        guard child != nil else {
            close(own)
            return nil
        }
        return own
    }

    private static func reap(_ state: borrowing Mutex<State>, _ descriptor: Int32) {
        close(descriptor)
        guard let child = state.withLock({ $0.child.take() }) else { return }
        kill(child, SIGKILL)
        reapProgram(child)
    }
}
