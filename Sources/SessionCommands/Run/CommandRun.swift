internal import Glibc
package import Platform
internal import SessionPolicy

/// `audiosession run`: a session that is active while a command runs.
///
///     opening ── active ──▶ running ── the command ends ──▶ ended
///        └───── refused, or a signal ─────────────────────▶ ended
///
/// One thread, the caller's, handles all events in their order: signals, notices of the arbiter and
/// the end of the command.
package final class CommandRun {
    /// What happens to the command while the session is interrupted.
    package enum InterruptionAction: String, CaseIterable, Sendable {
        case ignore, stop, pause
    }

    private let command: CommandWords
    private let waits: Bool
    private let action: InterruptionAction
    private let events = HoldEvents()
    private let session: HeldSession
    /// The running command; nil before it starts.
    private var child: pid_t?
    /// Whether this process has stopped the command, because the session is interrupted.
    private var isPaused = false

    /// The signals that are passed on to the command.
    private static let forwarded = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT]
    /// Those by which a terminal stops a job. The command's reaction decides whether this process
    /// stops too.
    private static let stopping = [SIGTSTP, SIGTTIN, SIGTTOU]

    package init(
        _ command: CommandWords, _ configuration: HoldConfiguration, waits: Bool, action: InterruptionAction
    ) {
        self.command = command
        self.waits = waits
        self.action = action
        session = HeldSession(configuration, events)
    }

    /// Activates the session, runs the command and returns its exit status, or 128 plus the number
    /// of the signal that ended it. Throws if the command cannot be run or the session is refused;
    /// the command has then not run.
    package func run() throws(CommandError) -> Int32 {
        // Before the session, so that a wrong name lowers no other session.
        let resolved: ResolvedCommand
        do throws(CommandFailure) { resolved = try command.resolve() } catch { throw CommandError(error) }
        guard
            let signals = SignalReceiver(
                Self.forwarded + Self.stopping + [SIGCHLD], { [events] in events.send(.signal($0)) })
        else { throw .noThread }
        session.open(waits: waits)
        defer { session.end() }
        while let event = events.next() {
            switch event {
            case .failed(let error):
                // The notice of an activation precedes the reply, which may come too late, for
                // example because this process was stopped. The command runs on, as after every
                // loss of the arbiter.
                if child == nil { throw error }
            case .opened: if !waits { try receive(session.begin(), resolved, signals) }
            case .signal(let signal): if let status = receive(signal) { return status }
            case .notice(let notice): try receive(session.handle(notice), resolved, signals)
            }
        }
        return EXIT_SUCCESS
    }

    // MARK: The session

    private func receive(
        _ change: HeldSession.Change?, _ resolved: ResolvedCommand, _ signals: SignalReceiver
    ) throws(CommandError) {
        switch change {
        case nil: break
        case .began: try start(resolved, signals)
        case .interrupted: interrupt()
        case .interruptionEnded: resume()
        }
    }

    private func start(_ resolved: ResolvedCommand, _ signals: SignalReceiver) throws(CommandError) {
        do throws(CommandFailure) {
            child = try resolved.spawn(
                adding: ("AUDIOSESSION_SESSION", session.id.map { String($0.rawValue) } ?? ""),
                signals: signals.inherited, inOwnGroup: hasOwnGroup)
        } catch {
            throw CommandError(error)
        }
    }

    private func interrupt() {
        switch action {
        case .ignore: break
        case .stop:
            signalCommand(SIGTERM)
            signalCommand(SIGCONT)
        case .pause:
            isPaused = true
            signalCommand(SIGSTOP)
        }
    }

    private func resume() {
        guard isPaused else { return }
        isPaused = false
        signalCommand(SIGCONT)
    }

    // MARK: The command

    /// Whether the command has its own process group, so that all its processes can be paused. If
    /// not, it shares this process's group, and the terminal treats both as one job.
    private var hasOwnGroup: Bool { action == .pause }

    private func signalCommand(_ number: Int32) {
        // The number of a child process is not reused before it is reaped.
        guard let child else { return }
        _ = kill(hasOwnGroup ? -child : child, number)
    }

    /// Handles a signal. Returns the exit status if this ends the run.
    private func receive(_ signal: SignalReceiver.Signal) -> Int32? {
        guard let child else {
            let ends = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].contains(signal.number)
            return ends ? 128 + signal.number : nil
        }
        guard signal.number == SIGCHLD else {
            passOn(signal)
            return nil
        }
        return checkCommand(child)
    }

    /// Passes a signal on, unless the terminal has sent it to the command as well. A paused command
    /// continues if it is to end or to continue.
    private func passOn(_ signal: SignalReceiver.Signal) {
        guard signal.isFromProcess || hasOwnGroup else { return }
        signalCommand(signal.number)
        guard hasOwnGroup, !Self.stopping.contains(signal.number) else { return }
        isPaused = false
        signalCommand(SIGCONT)
    }

    /// Returns the exit status of the command if it has ended. If the terminal has stopped it,
    /// stops this process, and continues the command when this process continues.
    private func checkCommand(_ child: pid_t) -> Int32? {
        var status: Int32 = 0
        while true {
            let result = waitpid(child, &status, WNOHANG | WUNTRACED)
            if result == -1, errno == EINTR { continue }
            guard result != 0 else { return nil }
            guard result == child else { return EX_SOFTWARE }
            guard status & 0xff == 0x7f else {
                return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
            }
            guard stopsWithCommand((status >> 8) & 0xff) else { continue }
            // To this thread, so that it stops before the call returns.
            raise(SIGSTOP)
            if !isPaused { signalCommand(SIGCONT) }
        }
    }

    /// Returns whether this process stops after a signal has stopped the command. A command with
    /// its own process group that reads from the terminal is stopped too (SIGTTIN), but is no job
    /// of the shell that could continue it.
    private func stopsWithCommand(_ number: Int32) -> Bool {
        hasOwnGroup ? number == SIGTSTP : Self.stopping.contains(number)
    }
}

extension CommandError {
    init(_ failure: CommandFailure) {
        switch failure {
        case .notFound(let text): self.init(.notFound, text + "; no other session was lowered or interrupted.")
        case .cannotRun(let text): self.init(.cannotRun, text + ".")
        }
    }
}
