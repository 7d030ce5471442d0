import AudioRendering
import Foundation
import Glibc
import Processes

/// Sound files with known samples, on a disk.
///
/// The files come in pairs of one level, with the same noise added to one and subtracted from the
/// other. Played from the same frame on, all together yield a constant level. Any missing,
/// additional or displaced frame changes it.
final class StreamFiles {
    let paths: [String]
    let bytes: Int
    let folder: String

    /// The level of each file in the sum, and of the noise.
    static let level: Float = 1.0 / 256
    private static let noiseSteps = 64
    /// The permitted deviation of the sum from the level. Uncompensated noise or a missing file
    /// exceeds it in almost every sample.
    static let tolerance: Float = 1.0 / 4_096

    /// Creates the files on the disk of `folder`. Three in eight are WAV files at 48 kHz, three WAV
    /// files at 44.1 kHz, and one each FLAC.
    init(count: Int, frames: Int, in parent: String = "/var/tmp") throws {
        Self.removeLeftovers(in: parent)
        folder = "\(parent)/\(Self.prefix)\(getpid())"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        var paths: [String] = []
        for pair in 0..<count / 2 {
            let kind = pair % 8
            let (rate, suffix) = (kind % 2 == 0 ? 48_000 : 44_100, kind < 6 ? "wav" : "flac")
            for sign in [1, -1] {
                let path = "\(folder)/\(pair)\(sign == 1 ? "a" : "b").\(suffix)"
                do {
                    try Self.write(path, frames: frames, sampleRate: rate, seed: UInt32(pair + 1), sign: sign)
                } catch {
                    try? FileManager.default.removeItem(atPath: folder)
                    throw BenchmarkError("Cannot write '\(path)': \(error)")
                }
                paths.append(path)
            }
        }
        self.paths = paths
        bytes = paths.reduce(0) { sum, path in
            sum + ((try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private static let prefix = "audio-benchmark-"

    /// Removes the files of killed processes.
    private static func removeLeftovers(in parent: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] where name.hasPrefix(prefix) {
            guard let process = pid_t(name.dropFirst(prefix.count)), kill(process, 0) != 0, errno == ESRCH else {
                continue
            }
            try? FileManager.default.removeItem(atPath: "\(parent)/\(name)")
        }
    }

    private static func write(_ path: String, frames: Int, sampleRate: Int, seed: UInt32, sign: Int) throws {
        let writer = try AudioFileWriter(path: path, channels: 2, sampleRate: sampleRate)
        var state = seed &* 2_654_435_761
        var block: [Float] = []
        block.reserveCapacity(2 * 4_096)
        for frame in 0..<frames {
            for _ in 0..<2 {
                state = state &* 1_664_525 &+ 1_013_904_223
                let noise = Int(state >> 16) % (2 * noiseSteps + 1) - noiseSteps
                block.append(level + Float(sign * noise) / 32_768)
            }
            guard block.count == 2 * 4_096 || frame == frames - 1 else { continue }
            try writer.write(block, frameCount: block.count / 2)
            block.removeAll(keepingCapacity: true)
        }
        if let failure = writer.close() { throw failure }
    }

    /// Drops the files from the page cache, so that further reads come from the disk.
    func dropFromMemory(afterWriting: Bool = false) {
        for path in paths {
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { continue }
            if afterWriting { fdatasync(file) }
            posix_fadvise(file, 0, 0, Int32(POSIX_FADV_DONTNEED))
            close(file)
        }
    }
}
