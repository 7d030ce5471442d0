internal import AudioRendering
internal import Foundation
internal import Platform

/// Stores a client's connections from one start to the next: for each of the client's own ports,
/// the full names of the ports it is connected to. Used on the control thread only.
final class ConnectionFile: Sendable {
    private let path: String
    private let content: Mutex<[String: [String]]>

    /// Reads the stored connections. The file is named after `client`; every character other than
    /// letters, digits, `-`, `_` and `.` becomes `_`.
    init(client: String, folder: String) {
        let fileName = client.map { $0.isLetter || $0.isNumber || "-_.".contains($0) ? String($0) : "_" }.joined()
        path = folder + "/" + fileName + ".json"
        let data = FileManager.default.contents(atPath: path)
        // An unreadable file counts as absent; the next change overwrites it.
        content = Mutex(data.flatMap { try? JSONDecoder().decode([String: [String]].self, from: $0) } ?? [:])
    }

    /// `$XDG_STATE_HOME/audiosession/connections`; without that variable, the same folder below
    /// `~/.local/state`.
    static var defaultFolder: String {
        let stateFolder = ProcessInfo.processInfo.environment["XDG_STATE_HOME"] ?? ""
        return (stateFolder.hasPrefix("/") ? stateFolder : NSHomeDirectory() + "/.local/state")
            + "/audiosession/connections"
    }

    /// Returns the stored connections of a block, or nil if none of its ports has an entry.
    func links(of block: PortBlock) -> [PortLink]? {
        let content = content.withLock { $0 }
        guard block.names.contains(where: { content[$0] != nil }) else { return nil }
        return block.names.flatMap { own in
            (content[own] ?? []).map { PortLink(direction: block.direction, own: own, far: $0) }
        }
    }

    /// Stores the connections of the ports of `blocks` and keeps the entries of other ports. If the
    /// file cannot be written, only the stored connections are lost.
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
