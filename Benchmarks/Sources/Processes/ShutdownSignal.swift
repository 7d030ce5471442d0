internal import Foundation
internal import Synchronization

/// Cleans up when the benchmark itself is ended, by Ctrl-C or by another process: ends its child
/// processes and removes its folders in memory.
package enum ShutdownSignal {
    private struct Registered {
        var processes: Set<pid_t> = []
        var folders: Set<String> = []
    }

    private static let registered = Mutex(Registered())
    static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// Installs the signal handlers. Called once, by the benchmark itself, which ends the processes
    /// that it starts.
    package static func prepare() {
        for number in signals {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            // The handler retains its source for the life of the process.
            source.setEventHandler { withExtendedLifetime(source) { cleanUpAndExit(number) } }
            source.resume()
        }
    }

    /// Registers a child process, which a signal then ends.
    static func register(_ process: pid_t) { registered.withLock { _ = $0.processes.insert(process) } }

    /// Registers a folder for removal.
    package static func register(folder: String) { registered.withLock { _ = $0.folders.insert(folder) } }

    private static func cleanUpAndExit(_ number: Int32) {
        let (processes, folders) = registered.withLock { ($0.processes, $0.folders) }
        // A process that has been reaped no longer belongs to this one, even if another process has
        // its number now.
        let living = processes.filter { waitpid($0, nil, WNOHANG) == 0 }
        for process in living { kill(process, SIGTERM) }
        let limit = now() + 2_000_000_000
        for process in living {
            while waitpid(process, nil, WNOHANG) == 0 {
                if now() > limit { kill(process, SIGKILL) }
                poll(nil, 0, 10)
            }
        }
        for folder in folders { try? FileManager.default.removeItem(atPath: folder) }
        _exit(128 + number)
    }
}
