internal import Foundation

/// The path of a sound file, as bytes: on Linux, names need not be valid UTF-8, and many old
/// collections have Latin-1 names.
public struct AudioFilePath: Hashable, Sendable, CustomStringConvertible {
    /// The path, without a zero byte at the end. A path that contains a zero byte names no file.
    public let bytes: [UInt8]

    /// Creates a path from the bytes that the system uses, such as those of a directory entry or of
    /// an argument of the program.
    public init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// Creates a path whose bytes are the text's UTF-8.
    public init(_ path: String) { bytes = Array(path.utf8) }

    /// The path as text to display, with bytes that are not UTF-8 as escape sequences:
    /// `caf\xe9.flac`. It cannot be converted back.
    public var description: String { text { "\\x" + String($0, radix: 16) } }

    /// The part after the last slash.
    public var lastComponent: AudioFilePath {
        AudioFilePath(bytes: bytes[(bytes.lastIndex(of: UInt8(ascii: "/")) ?? -1).advanced(by: 1)...])
    }

    /// The part of the name after its last dot, in lower case; empty if there is none.
    package var pathExtension: String { (lastComponent.description as NSString).pathExtension.lowercased() }

    /// Returns the path with a number before its extension: `take.wav` becomes `take-2.wav`.
    package func numbered(_ number: Int) -> AudioFilePath {
        let name = lastComponent.bytes
        let suffix = Array("-\(number)".utf8)
        // A dot at the beginning of a name hides the file and begins no extension.
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else {
            return AudioFilePath(bytes: bytes + suffix)
        }
        let end = bytes.count - name.count + dot
        return AudioFilePath(bytes: bytes[..<end] + suffix + bytes[end...])
    }

    /// Returns the path as text; `replacement` returns the text for a byte that is not UTF-8.
    package func text(replacing replacement: (UInt8) -> String) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = ""
        var rest = bytes[...]
        while let first = rest.first {
            let lengths = 1...min(4, rest.count)
            let character = lengths.lazy.compactMap { String(validating: rest.prefix($0), as: UTF8.self) }.first
            text += character ?? replacement(first)
            rest = rest.dropFirst(character?.utf8.count ?? 1)
        }
        return text
    }

    /// Calls `body` with the path for a system call; returns nil without a call if the path
    /// contains a zero byte, and so names no file.
    package func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result? {
        guard !bytes.contains(0) else { return nil }
        return (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { $0.baseAddress.map(body) }
    }
}
