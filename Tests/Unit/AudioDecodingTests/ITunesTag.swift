import Foundation
import TestSupport

/// Changes the structure of MP4 files whose header follows the media.
enum ITunesTag {
    /// Adds the tag that declares delay and length to the tags of a file, and removes its edit
    /// list.
    static func insert(into file: [UInt8], delay: Int, frames: Int) -> [UInt8] {
        func hex(_ value: Int, _ digits: Int) -> String {
            let text = String(value, radix: 16, uppercase: true)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        let zero = hex(0, 8)
        let text = " \(zero) \(hex(delay, 8)) \(hex(0, 8)) \(hex(frames, 16)) \(zero) \(zero)"
        let content =
            box("mean", [0, 0, 0, 0] + Array("com.apple.iTunes".utf8))
            + box("name", [0, 0, 0, 0] + Array("iTunSMPB".utf8))
            + box("data", [0, 0, 0, 1, 0, 0, 0, 0] + Array(text.utf8))
        let handler = box(
            "hdlr", [UInt8](repeating: 0, count: 8) + Array("mdirappl".utf8) + [UInt8](repeating: 0, count: 9))
        let meta = box("meta", [0, 0, 0, 0] + handler + box("ilst", box("----", content)))
        let tags = box("udta", meta)
        var bytes = file
        guard let movie = find("moov", in: bytes) else { return bytes }
        let length = size(at: movie - 4, in: bytes)
        bytes.insert(contentsOf: tags, at: movie - 4 + length)
        set(length + tags.count, at: movie - 4, in: &bytes)
        if let edit = find("edts", in: bytes) { bytes.replaceSubrange(edit..<(edit + 4), with: Array("free".utf8)) }
        return bytes
    }

    /// Sets the length of the first edit, in the time scale of the movie.
    static func setEditDuration(_ duration: Int, in bytes: inout [UInt8]) throws {
        guard let list = find("elst", in: bytes) else { throw TestFailure("the file has no edit list") }
        set(duration, at: list + 12, in: &bytes)
    }

    private static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [0, 0, 0, 0] + Array(name.utf8) + content
        set(bytes.count, at: 0, in: &bytes)
        return bytes
    }

    private static func find(_ name: String, in bytes: [UInt8]) -> Int? {
        Data(bytes).range(of: Data(name.utf8), options: .backwards)?.lowerBound
    }

    private static func size(at index: Int, in bytes: [UInt8]) -> Int {
        bytes[index..<(index + 4)].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func set(_ value: Int, at index: Int, in bytes: inout [UInt8]) {
        for offset in 0..<4 { bytes[index + offset] = UInt8(truncatingIfNeeded: value >> (24 - 8 * offset)) }
    }
}
