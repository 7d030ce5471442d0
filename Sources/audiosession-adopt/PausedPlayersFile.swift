import ForeignPrograms
import Foundation
import Glibc
import Platform

/// The file in which this program notes the players that it has paused, so that they play again if
/// it is killed and started again.
struct PausedPlayersFile {
    let path: String
    /// What the file says; nil: it could not be written, or has not been read.
    private var content: Set<PausedPlayer>?

    /// How old the file may be, in seconds. Its age is the time since the last program lived: a
    /// player that was paused for long is one that its user has forgotten.
    static let longestAge = 30.0

    init(path: String) { self.path = path }

    /// Returns the players that the last program has left paused, unless it ended too long ago.
    mutating func read() -> Set<PausedPlayer> {
        var facts = stat()
        guard lstat(path, &facts) == 0, let data = FileManager.default.contents(atPath: path),
            let players = try? JSONDecoder().decode(Set<PausedPlayer>.self, from: data)
        else { return [] }
        content = players
        return Date().timeIntervalSince1970 - Double(facts.st_mtim.tv_sec) <= Self.longestAge ? players : []
    }

    /// Writes the players, if the file does not say so already. Without players, there is no file.
    /// Returns a message if that fails for the first time.
    mutating func write(_ players: Set<PausedPlayer>) -> String? {
        guard players != content ?? [] else { return nil }
        let hasFailed = content == nil
        guard !players.isEmpty else {
            unlink(path)
            content = []
            return nil
        }
        do {
            try JSONEncoder().encode(players).write(to: URL(fileURLWithPath: path), options: .atomic)
            content = players
            return nil
        } catch {
            content = nil
            return hasFailed
                ? nil
                : "'\(path)' cannot be written (\(error.localizedDescription)): if this program is killed, players stay paused."
        }
    }

    /// Says that this program lives.
    func touch() { if content?.isEmpty == false { utimensat(AT_FDCWD, path, nil, 0) } }
}
