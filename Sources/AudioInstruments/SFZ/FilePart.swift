internal import AudioRendering

/// The next frames of a file, up to a number of them.
final class FilePart: AudioReader {
    let frameCount: Int64
    private let file: AudioFile
    private let firstFrame: Int64
    private var position: Int64 = 0

    /// Begins at `firstFrame`, the file's position.
    init(_ file: AudioFile, firstFrame: Int64, frames: Int64) {
        (self.file, self.firstFrame, frameCount) = (file, firstFrame, frames)
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
