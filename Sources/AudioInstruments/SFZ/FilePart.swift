internal import AudioRendering

/// A part of a file.
final class FilePart: AudioReader {
    let frameCount: Int64
    private let file: AudioFile
    private let firstFrame: Int64
    private var position: Int64 = 0

    /// The next frames of a file, whose position is `firstFrame`: up to a number of them.
    init(_ file: AudioFile, firstFrame: Int64, frames: Int64) {
        (self.file, self.firstFrame, frameCount) = (file, firstFrame, frames)
    }

    /// Opens a file. Throws if it cannot be opened, or has no such frames.
    convenience init(_ path: AudioFilePath, frames: Range<Int64>) throws(AudioFileError) {
        let file = try AudioFile(path: path)
        guard frames.lowerBound == 0 || file.seek(toFrame: frames.lowerBound) == frames.lowerBound else {
            throw .undecodable(path: path.description, reason: "it cannot seek to frame \(frames.lowerBound)")
        }
        self.init(file, firstFrame: frames.lowerBound, frames: Int64(frames.count))
    }

    var channels: Int { file.channels }
    var sampleRate: Int { file.sampleRate }
    var defect: AudioFileError? { file.defect }

    func read(into frames: inout [Float], maximumFrames: Int) -> Int {
        let count = file.read(into: &frames, maximumFrames: Int(min(Int64(maximumFrames), frameCount - position)))
        position += Int64(count)
        return count
    }

    func seek(toFrame frame: Int64) -> Int64 {
        position = min(max(file.seek(toFrame: firstFrame + frame) - firstFrame, 0), frameCount)
        return position
    }
}
