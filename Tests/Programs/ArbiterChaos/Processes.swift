import ArbiterTesting
import Foundation

enum Processes {
    /// Returns the processes that were started with a trial's folder in their environment; with
    /// `named`, only those of that program.
    static func of(_ folder: TrialFolder, named name: String? = nil) -> [pid_t] {
        let mark = Data("XDG_RUNTIME_DIR=\(folder.path)\0".utf8)
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { pid_t($0) }.filter { process in
            guard let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ"),
                environment.range(of: mark) != nil
            else { return false }
            guard let name else { return true }
            let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
            return program?.hasSuffix("/" + name) ?? false
        }
    }
}
