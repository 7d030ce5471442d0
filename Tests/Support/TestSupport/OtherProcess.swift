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

    /// Waits until a process has ended.
    public static func waitForEnd(of process: pid_t, seconds: Double = 120) throws {
        try ChildProcess.run("tail", ["--pid=\(process)", "-s", "0.05", "-f", "/dev/null"], seconds: seconds)
    }
}
