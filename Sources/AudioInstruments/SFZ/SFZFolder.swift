internal import AudioRendering
internal import Glibc

/// Finds the files that an SFZ file names relative to its folder. Many sets were made on Windows:
/// backslashes separate folders, and the case of names may differ.
struct SFZFolder {
    /// Ends with a slash, or is empty: the current folder.
    private let folder: [UInt8]
    /// The names in a folder, by their names in lower case.
    private var listings: [[UInt8]: [String: [UInt8]]] = [:]
    private var listedNames = 0

    /// The most folders that are listed, and the most names in all of them: enough for any set.
    private static let maximumListings = 1_000
    private static let maximumListedNames = 200_000

    init(_ folder: AudioFilePath) {
        let slash = UInt8(ascii: "/")
        self.folder = folder.bytes.isEmpty || folder.bytes.last == slash ? folder.bytes : folder.bytes + [slash]
    }

    /// Returns the path of a file; if there is none of this name, but one that differs in case
    /// only, or one below the folder instead of the root, returns that one's.
    mutating func path(of name: [UInt8]) -> AudioFilePath {
        let slash = UInt8(ascii: "/")
        let name = name.map { $0 == UInt8(ascii: "\\") ? slash : $0 }
        if name.first == slash, Self.exists(name) { return AudioFilePath(bytes: name) }
        let relative = name.drop { $0 == slash }
        let path = folder + relative
        guard !Self.exists(path) else { return AudioFilePath(bytes: path) }
        var found = folder
        for part in relative.split(separator: slash) where part != [UInt8(ascii: ".")] {
            guard let actual = actualName(Array(part), in: found) else { return AudioFilePath(bytes: path) }
            if !found.isEmpty, found.last != slash { found.append(slash) }
            found += actual
        }
        return AudioFilePath(bytes: found)
    }

    private static func exists(_ path: [UInt8]) -> Bool {
        AudioFilePath(bytes: path).withCString { access($0, F_OK) == 0 } ?? false
    }

    /// Returns this name if the folder has it, or one that differs in case only.
    private mutating func actualName(_ name: [UInt8], in folder: [UInt8]) -> [UInt8]? {
        let separator = folder.isEmpty || folder.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        if Self.exists(folder + separator + name) { return name }
        if let names = listings[folder] { return names[name.text.lowercased()] }
        guard listings.count < Self.maximumListings, listedNames < Self.maximumListedNames else { return nil }
        let names = Self.names(in: folder)
        listings[folder] = names
        listedNames += names.count
        return names[name.text.lowercased()]
    }

    private static func names(in folder: [UInt8]) -> [String: [UInt8]] {
        let path = AudioFilePath(bytes: folder.isEmpty ? Array(".".utf8) : folder)
        guard let directory = path.withCString({ opendir($0) }) ?? nil else { return [:] }
        defer { closedir(directory) }
        var names: [String: [UInt8]] = [:]
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            names[name.text.lowercased()] = name
        }
        return names
    }
}
