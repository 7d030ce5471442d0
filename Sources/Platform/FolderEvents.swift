internal import Foundation

/// Decodes the events of inotify.
package enum FolderEvents {
    /// Returns the names of the files in a block of events; "" for an event of the folder itself.
    package static func names(in bytes: ArraySlice<UInt8>) -> [String] {
        let header = MemoryLayout<inotify_event>.size
        var names: [String] = []
        var rest = bytes
        while rest.count >= header {
            // The last of the four numbers of the header is the length of the name, with zero bytes
            // at its end.
            let length = rest.dropFirst(header - 4).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            names.append(String(decoding: rest.dropFirst(header).prefix(length).prefix { $0 != 0 }, as: UTF8.self))
            rest = rest.dropFirst(header + length)
        }
        return names
    }
}
