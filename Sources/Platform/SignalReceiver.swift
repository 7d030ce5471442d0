internal import Foundation
package import Glibc

/// The signals of a process that runs a command, as the command inherits them: the mask with which
/// this process was started, and the default action for every signal that was not ignored then.
package struct InheritedSignals: Sendable {
    package let mask: sigset_t
    package let defaults: sigset_t
}

/// Receives signals on a thread, in place of handlers and of the default actions. Signals that this
/// process was started to ignore (nohup, a shell's background command) remain ignored.
package final class SignalReceiver: Sendable {
    package struct Signal: Sendable {
        package let number: Int32
        /// Whether a process sent it. Otherwise the system did, as for keys of the terminal.
        package let isFromProcess: Bool
    }

    package let inherited: InheritedSignals
    private let thread = WorkerThread()

    /// Blocks the signals. Create it before the process has another thread. Returns nil if the
    /// system cannot create one.
    package init?(_ signals: [Int32], _ receive: @escaping @Sendable (Signal) -> Void) {
        var received = sigset_t()
        sigemptyset(&received)
        for number in signals where !Self.isIgnored(number) { sigaddset(&received, number) }
        if signals.contains(SIGCHLD) {
            // Ignored, it would take the exit statuses of child processes away.
            signal(SIGCHLD, SIG_DFL)
            sigaddset(&received, SIGCHLD)
        }
        var mask = sigset_t()
        pthread_sigmask(SIG_BLOCK, &received, &mask)
        inherited = InheritedSignals(mask: mask, defaults: Self.defaults)
        let set = received
        guard
            thread.start(
                name: "audio-signals",
                {
                    var set = set
                    var info = siginfo_t()
                    while true {
                        let number = sigwaitinfo(&set, &info)
                        if number > 0 { receive(Signal(number: number, isFromProcess: info.si_code <= 0)) }
                    }
                })
        else { return nil }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1  // SIG_IGN
    }

    /// The signals to reset in a child process: those that it would not ignore if this process had
    /// not changed them. `platform_begin_program` ignores SIGXFSZ.
    private static var defaults: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in 1...64 where number == SIGXFSZ || !isIgnored(Int32(number)) { sigaddset(&set, Int32(number)) }
        return set
    }
}
