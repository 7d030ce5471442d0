import ForeignPrograms
import Foundation
import Glibc
import Platform

/// The file in which this program records the players that it has paused, so that they play again
/// if it is killed and started again.
struct PausedPlayersFile {
    let path: String
    /// What the file says; nil: that is not known.
    private var content: [PausedPlayer]?
    private var hasFailed = false

    /// How old the file may be, in seconds. Its age is the time since the last program lived: a
    /// player that was paused for long is one that its user has forgotten.
    static let longestAge = 30.0

    init(path: String) { self.path = path }

    /// Returns the players that the last program has left paused, in the order in which it has
    /// paused them, unless it ended too long ago.
    func read() -> [PausedPlayer] {
        var facts = stat()
        guard lstat(path, &facts) == 0, let data = FileManager.default.contents(atPath: path),
            let players = try? JSONDecoder().decode([PausedPlayer].self, from: data)
        else { return [] }
        let age = Date().timeIntervalSince1970 - Double(facts.st_mtim.tv_sec)
        return (-1...Self.longestAge).contains(age) ? players : []
    }

    /// Writes the players, unless the file says the same. Without players, there is no file.
    /// Returns a message if that fails for the first time.
    mutating func write(_ players: [PausedPlayer]) -> String? {
        guard players != content else { return nil }
        do {
            if players.isEmpty {
                guard unlink(path) == 0 || errno == ENOENT else { throw SystemFailure(systemErrorText(errno)) }
            } else {
                try JSONEncoder().encode(players).write(to: URL(fileURLWithPath: path), options: .atomic)
            }
            content = players
            return nil
        } catch {
            defer { hasFailed = true }
            content = nil
            return hasFailed
                ? nil : "'\(path)' cannot be written: if this program is killed, players that it has paused stay so."
        }
    }

    /// Records that this program lives.
    func touch() { if content?.isEmpty == false { utimensat(AT_FDCWD, path, nil, 0) } }
}
