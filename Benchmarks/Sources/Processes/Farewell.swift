internal import Foundation
internal import Synchronization

/// Ends what a benchmark began when it is itself ended, by Ctrl-C or from outside: its processes, and its folders in memory.
package enum Farewell {
    private struct Kept {
        var processes: Set<pid_t> = []
        var folders: Set<String> = []
    }

    private static let kept = Mutex(Kept())
    static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// From now on. Called once, by the benchmark itself; the processes that it starts are ended by it.
    package static func prepare() {
        for number in signals {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            // The handler keeps its source for as long as the process lives.
            source.setEventHandler { withExtendedLifetime(source) { leave(number) } }
            source.resume()
        }
    }

    static func keep(_ process: pid_t) { kept.withLock { _ = $0.processes.insert(process) } }

    /// To be removed if nobody does before.
    package static func keep(folder: String) { kept.withLock { _ = $0.folders.insert(folder) } }

    private static func leave(_ number: Int32) {
        let (processes, folders) = kept.withLock { ($0.processes, $0.folders) }
        // One that has been waited for is none of ours any longer, whoever has its number now.
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
