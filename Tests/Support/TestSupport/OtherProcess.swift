public import Foundation

/// Processes that are not children of this one.
public enum OtherProcess {
    /// Returns the processes whose program has this name and whose arguments include the given
    /// ones.
    public static func find(program: String, arguments: [String]) -> [pid_t] {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.compactMap { pid_t($0) }.filter { process in
            let words = readText("/proc/\(process)/cmdline").split(separator: "\0").map(String.init)
            guard let own = words.first else { return false }
            return (own as NSString).lastPathComponent == program && Set(arguments).isSubset(of: words)
        }
    }

    /// A thread of a process.
    public struct Thread: Sendable {
        public let id: Int
        public let name: String
        /// How often it has waited since it started, and so how often it was woken.
        public let waits: Int
    }

    /// Returns the threads of a process, except those that end meanwhile.
    public static func threads(of process: pid_t) -> [Thread] {
        let folder = "/proc/\(process)/task"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap { name in
            guard let id = Int(name),
                let waits = readText("\(folder)/\(name)/status").firstMatch(
                    of: /\nvoluntary_ctxt_switches:\s*([0-9]+)/),
                let count = Int(waits.1)
            else { return nil }
            let title = readText("\(folder)/\(name)/comm")
            return Thread(id: id, name: title.trimmingCharacters(in: .whitespacesAndNewlines), waits: count)
        }
    }

    /// Waits until a process has ended.
    public static func waitForEnd(of process: pid_t, seconds: Double = 120) throws {
        try ChildProcess.run("tail", ["--pid=\(process)", "-s", "0.05", "-f", "/dev/null"], seconds: seconds)
    }
}
