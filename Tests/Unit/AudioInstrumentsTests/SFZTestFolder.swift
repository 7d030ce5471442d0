import AudioInstruments
import AudioRendering
import Foundation

/// A temporary folder with SFZ files and sounds.
final class SFZTestFolder {
    private let folder: TestFolder
    var path: String { folder.path }

    init() throws { folder = try TestFolder() }

    /// Writes a file, and creates the folders of its path.
    func write(_ content: [UInt8], to name: String) throws {
        let url = URL(fileURLWithPath: path).appendingPathComponent(name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(content).write(to: url)
    }

    func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

    /// Writes a mono sound at 48 kHz of `frames` samples of `level`; with a loop whose last frame
    /// is `loop.upperBound`, as WAV files state it.
    func writeSound(
        _ name: String, frames: Int = 1_000, level: Float = 0.5, loop: ClosedRange<Int>? = nil, rootKey: Int = 60
    ) throws {
        func number(_ value: Int, bytes: Int) -> [UInt8] { (0..<bytes).map { UInt8(value >> (8 * $0) & 0xFF) } }
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            Array(name.utf8) + number(content.count, bytes: 4) + content
        }
        // 32-bit float samples.
        let format =
            number(3, bytes: 2) + number(1, bytes: 2) + number(48_000, bytes: 4) + number(192_000, bytes: 4)
            + number(4, bytes: 2) + number(32, bytes: 2)
        let samples = [[UInt8]](repeating: number(Int(level.bitPattern), bytes: 4), count: frames).flatMap(\.self)
        var chunks = chunk("fmt ", format) + chunk("data", samples)
        if let loop {
            let header = [0, 0, 20_833, rootKey, 0, 0, 0, 1, 0].flatMap { number($0, bytes: 4) }
            let points = [0, 0, loop.lowerBound, loop.upperBound, 0, 0].flatMap { number($0, bytes: 4) }
            chunks += chunk("smpl", header + points)
        }
        try write(chunk("RIFF", Array("WAVE".utf8) + chunks), to: name)
    }

    /// Reads a text whose sounds lie in this folder.
    func read(_ text: String) throws -> SFZFile {
        try SFZFile(data: Array(text.utf8), folder: AudioFilePath(path))
    }

    /// Reads a text and its sounds.
    func load(_ text: String) throws -> SFZInstrument { try read(text).load() }
}
