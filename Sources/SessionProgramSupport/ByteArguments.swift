package import AudioRendering
internal import Foundation

/// The arguments of the command line, byte for byte. Swift's own are text, in which bytes that are
/// not UTF-8 are lost, and with them the names of such files.
///
/// Here a private character of Unicode stands for each such byte.
package enum ByteArguments {
    /// The private characters of the bytes 0x80…0xFF.
    private static let characters: ClosedRange<UInt32> = 0x10FF80...0x10FFFF

    /// The arguments after the program's name, as text that `path` decodes.
    package static var encoded: [String] {
        UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)).dropFirst().map { argument in
            guard let argument else { return "" }
            return encode(UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
        }
    }

    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let bytes = Array(bytes)
        // If the argument itself contains such a character, characters stand for all its bytes.
        guard !String(decoding: bytes, as: UTF8.self).unicodeScalars.contains(where: { byte(of: $0) != nil }) else {
            return bytes.map(character).joined()
        }
        return AudioFilePath(bytes: bytes).text(replacing: character)
    }

    /// Returns the path that an encoded argument names.
    package static func path(_ argument: String) -> AudioFilePath {
        AudioFilePath(
            bytes: argument.unicodeScalars.flatMap { scalar in
                byte(of: scalar).map { [$0] } ?? Array(String(scalar).utf8)
            })
    }

    private static func character(for byte: UInt8) -> String {
        guard byte >= 0x80 else { return String(Unicode.Scalar(byte)) }
        return Unicode.Scalar(characters.lowerBound + UInt32(byte - 0x80)).map { String($0) } ?? ""
    }

    private static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        characters.contains(scalar.value) ? UInt8(scalar.value - characters.lowerBound + 0x80) : nil
    }
}
