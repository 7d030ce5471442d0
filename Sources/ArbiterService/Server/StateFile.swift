internal import Foundation
internal import Platform
internal import Glibc
internal import SessionArbiter
internal import SessionPolicy

/// The state that outlives an arbiter: that of the system, and the list of its clients (SRV-3).
struct PersistentState: Hashable, Codable {
    /// The version of this format.
    var version = 1
    /// The arbiter that wrote the state.
    var arbiter: UInt64
    /// The clients with sessions.
    var clients: [ProcessMark] = []
    /// No session has had a higher number.
    var reservedSessions: UInt64 = 0
    var system = SystemRecord()
    /// The override of the server's own period (HW-2).
    var bufferSizeOverride: BufferSizeOverride?
    /// The override of the server's own sample rate.
    var sampleRateOverride: SampleRateOverride?
    /// Whether the arbiter exited when no client had a session, so that the next one need not wait
    /// for clients.
    var hasEnded = false

    private enum CodingKeys: String, CodingKey {
        case version, arbiter, clients, reservedSessions, system, hasEnded
        case bufferSizeOverride = "loan"
        case sampleRateOverride = "rateLoan"
    }

    init(arbiter: UInt64) { self.arbiter = arbiter }

    /// Drops the values that no arbiter writes: sessions with impossible numbers, and overrides out
    /// of range. Corrects the highest number if it is impossible. Returns how many values these
    /// were.
    mutating func dropImpossibleValues() -> Int {
        let before = system.sessions.count
        system.sessions.removeAll { !$0.session.id.isAssigned }
        var dropped = before - system.sessions.count
        if reservedSessions > 0, !SessionID(reservedSessions).isAssigned {
            reservedSessions = system.sessions.map(\.session.id.rawValue).max() ?? 0
            dropped += 1
        }
        if bufferSizeOverride?.isPossible == false {
            bufferSizeOverride = nil
            dropped += 1
        }
        if sampleRateOverride?.isPossible == false {
            sampleRateOverride = nil
            dropped += 1
        }
        return dropped
    }
}

/// The file that stores the state. Each change writes a new file and renames it, so that no reader
/// sees a partial file. A damaged file is renamed to `….damaged`.
struct StateFile {
    let path: String

    /// Returns the state that an arbiter left; nil if none did or the file is damaged. The warning
    /// says what was wrong with the file.
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
                "The state file '\(path)' could not be read (\(error)); it was moved to '\(aside)', and the arbiter starts without it."
            )
        }
    }

    /// Writes the state; returns what went wrong, or nil. This does not wait for the disk: a file
    /// that a power failure damages is moved aside like any other.
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
