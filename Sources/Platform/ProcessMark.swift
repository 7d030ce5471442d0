internal import Glibc

/// Identifies a process among all that have had the same number.
package struct ProcessMark: Hashable, Codable, Sendable {
    package let process: Int32
    /// When the process started, in the kernel's ticks; 0 if that is not known.
    package let started: UInt64

    package init(process: Int32, started: UInt64) {
        self.process = process
        self.started = started
    }

    /// Identifies a living process; nil if it is not alive.
    package init?(process: Int32) {
        // The fields after the program's name. The name may contain any character, but ends with
        // the last parenthesis.
        guard let line = Self.text("/proc/\(process)/stat"),
            let end = line.lastIndex(of: ")")
        else { return nil }
        let fields = line[line.index(after: end)...].split(separator: " ")
        guard fields.count > 19, fields[0] != "Z" else { return nil }
        self.process = process
        started = UInt64(fields[19]) ?? 0
    }

    /// Returns the content of a short file. Invalid UTF-8 is accepted, because the kernel may
    /// truncate a name within a character.
    private static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(descriptor, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    package var isAlive: Bool { ProcessMark(process: process) == self }
}
