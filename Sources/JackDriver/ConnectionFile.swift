internal import AudioRendering
internal import Foundation
internal import Platform

/// Where a client's connections are kept from one start to the next: by own port, the full names of what it is connected to. Control thread
/// only.
final class ConnectionFile: Sendable {
    private let path: String
    private let content: Locked<[String: [String]]>

    /// `client`, with everything but letters, digits, `-`, `_` and `.` as `_`, is the file's name.
    init(client: String, folder: String) {
        let safe = client.map { $0.isLetter || $0.isNumber || "-_.".contains($0) ? String($0) : "_" }.joined()
        path = folder + "/" + safe + ".json"
        let data = FileManager.default.contents(atPath: path)
        // What cannot be read is as if there were none; the next change writes it anew.
        content = Locked(data.flatMap { try? JSONDecoder().decode([String: [String]].self, from: $0) } ?? [:])
    }

    /// `$XDG_STATE_HOME/audiosession/connections`, by default below `~/.local/state`.
    static var usualFolder: String {
        let given = ProcessInfo.processInfo.environment["XDG_STATE_HOME"] ?? ""
        return (given.hasPrefix("/") ? given : NSHomeDirectory() + "/.local/state") + "/audiosession/connections"
    }

    /// What a block was connected to; nil when nothing is known of it.
    func links(of block: PortBlock) -> [PortLink]? {
        let content = content.withLock { $0 }
        guard block.names.contains(where: { content[$0] != nil }) else { return nil }
        return block.names.flatMap { own in
            (content[own] ?? []).map { PortLink(direction: block.direction, own: own, far: $0) }
        }
    }

    /// Keeps what the ports of `blocks` are connected to, and what is known of others. A file that cannot be written costs the memory only.
    func write(_ links: Set<PortLink>, of blocks: [PortBlock]) {
        let new = content.withLock { content in
            for own in blocks.flatMap(\.names) {
                content[own] = links.filter { $0.own == own }.map(\.far).sorted()
            }
            return content
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(new) else { return }
        let folder = (path as NSString).deletingLastPathComponent
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try? data.write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}
