internal import Foundation
package import Platform

/// What the system knows about processes.
package protocol Processes: Sendable {
    /// Returns the parent of a process; nil if the process does not exist or has none.
    func parent(of process: Int32) -> Int32?
    /// Returns the path of a process's program; nil if it cannot be read.
    func program(of process: Int32) -> String?
    /// Distinguishes a process from later ones with its number; nil if it does not exist.
    func mark(of process: Int32) -> ProcessMark?
    /// Returns whether only the administrator can change the program at `path`.
    func isInstalled(_ path: String) -> Bool
}

/// The processes in /proc.
package struct SystemProcesses: Processes {
    package init() {}

    package func parent(of process: Int32) -> Int32? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return nil }
        // "4711 (name) S 4700 …": the name may contain spaces and parentheses.
        let text = String(decoding: data, as: UTF8.self)
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        return fields.count > 1 ? Int32(fields[1]).flatMap { $0 > 0 ? $0 : nil } : nil
    }

    package func program(of process: Int32) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
    }

    package func mark(of process: Int32) -> ProcessMark? { ProcessMark(process: process) }

    package func isInstalled(_ path: String) -> Bool {
        // The file and all its folders belong to root, and no one else may write there.
        var path = path
        while true {
            var facts = stat()
            guard lstat(path, &facts) == 0, facts.st_uid == 0, facts.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
                return false
            }
            guard path != "/", !path.isEmpty else { return path == "/" }
            path = (path as NSString).deletingLastPathComponent
        }
    }
}

extension Processes {
    /// The longest chain of parents that is followed.
    private var maximumDepth: Int { 32 }

    /// Returns the process and its parents, up to those of the system's first process.
    package func chain(from process: Int32) -> [Int32] {
        var chain = [process]
        while chain.count < maximumDepth, let next = chain.last.flatMap(parent(of:)), next > 1, !chain.contains(next) {
            chain.append(next)
        }
        return chain
    }
}
