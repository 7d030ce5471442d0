internal import Foundation
internal import Platform
internal import Glibc
internal import SessionPolicy

/// What outlives an arbiter: what is the system's own, and who its clients were (SRV-3).
struct PersistentState: Hashable, Codable {
    /// Of this format.
    var version = 1
    /// Whose it is.
    var arbiter: UInt64
    /// Those with sessions.
    var clients: [ClientMark] = []
    /// No session has had a number above it.
    var reservedSessions: UInt64 = 0
    var system = SystemRecord()
    /// A period of ours that stands in for the server's (HW-2).
    var loan: PeriodLoan?
    /// The same of a rate.
    var rateLoan: RateLoan?
    /// The arbiter left in order: its clients had gone.
    var hasEnded = false

    init(arbiter: UInt64) { self.arbiter = arbiter }
}

/// A process, told from every other of the same number.
struct ClientMark: Hashable, Codable {
    var process: Int32
    /// When it began, in the kernel's count; 0 when that cannot be told.
    var started: UInt64

    /// A living process; nil for another one.
    init?(process: Int32) {
        // The fields after the program's name, which may hold anything but is the last in parentheses.
        guard let line = Self.text("/proc/\(process)/stat"),
            let end = line.lastIndex(of: ")")
        else { return nil }
        let fields = line[line.index(after: end)...].split(separator: " ")
        guard fields.count > 19, fields[0] != "Z" else { return nil }
        self.process = process
        started = UInt64(fields[19]) ?? 0
    }

    /// A short file, whatever letters it holds: names are cut in the midst of one.
    private static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    var isAlive: Bool { ClientMark(process: process) == self }
}

/// Where it is kept. Replaced as a whole, so that no reader sees half of it; a damaged one is moved aside.
struct StateFile {
    let path: String

    /// What an arbiter left; nil when none did. The warning says what was wrong with the file.
    func read() -> (state: PersistentState?, warning: String?) {
        guard let data = FileManager.default.contents(atPath: path) else { return (nil, nil) }
        do {
            let state = try JSONDecoder().decode(PersistentState.self, from: data)
            guard state.version == 1 else { throw CocoaError(.fileReadCorruptFile) }
            return (state, nil)
        } catch {
            let aside = path + ".damaged"
            rename(path, aside)
            return (
                nil,
                "The state file '\(path)' could not be read (\(error)); it is '\(aside)' now, and the arbiter begins anew."
            )
        }
    }

    /// Returns what went wrong. The disk is not waited for: a file that a loss of power damages is moved aside like any other.
    func write(_ state: PersistentState) -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let new = path + ".new"
        guard let data = try? encoder.encode(state) else { return "The state cannot be written as JSON." }
        guard Self.write(data, to: new), rename(new, path) == 0 else {
            return "The state file '\(path)' could not be written: \(systemErrorText(errno))."
        }
        return nil
    }

    private static func write(_ data: Data, to path: String) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return data.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
                guard count > 0 || errno == EINTR else { return false }
                written += max(0, count)
            }
            return true
        }
    }
}
