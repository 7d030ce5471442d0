import AudioDecoding
import Foundation
import TestRandom
import TestSupport
import Testing

/// Files of many codecs, containers, rates and channel counts, encoded by the program `ffmpeg`.
@Suite struct MediaFormatTests {
    let lab: MediaLab

    init() throws { lab = try MediaLab() }

    @Test(
        "the frames are those of the original, or those that ffmpeg decodes",
        arguments: MediaCase.lossless + MediaCase.lossy)
    func content(_ format: MediaCase) throws {
        let original = MediaLab.signal(
            frames: format.frames, channels: format.channels, bits: format.bits)
        let path = try lab.encode(
            original, channels: format.channels, sampleRate: format.sampleRate, options: format.options, to: format.name
        )

        let file = try MediaFile(path: path)
        #expect(file.channels == format.channels)
        #expect(file.sampleRate == format.sampleRate)
        let frames = file.readAll()
        let count = frames.count / format.channels
        #expect(file.defect == nil)
        #expect(file.nonFiniteSampleCount == 0)
        #expect(file.frameCount == (format.hasLength ? Int64(count) : 0))
        if case .original = format.content {
            #expect(count == format.frames)
            #expect(difference(frames[...], original[...]) == nil)
        } else {
            let reference = try lab.decode(path)
            #expect(difference(frames[...], reference[...]) == nil)
            if case .aligned = format.content {
                #expect(count == format.frames)
                #expect(noise(frames, original, channels: format.channels) < 0.1)
            } else {
                #expect(frames.count == reference.count)
            }
        }
        try checkSeeks(format, file, frames)
    }

    /// Seeks to random frames, and compares with what a decoder from the beginning returned.
    private func checkSeeks(_ format: MediaCase, _ file: MediaFile, _ frames: [Float]) throws {
        var generator = SeededGenerator(seed: TestSeed.current)
        let count = frames.count / format.channels
        for turn in 0..<20 {
            let target = turn == 0 ? 0 : turn == 1 ? count - 1 : generator.below(count)
            let position = file.seek(toFrame: Int64(target))
            try #require(position == Int64(target), "\(TestSeed.text)")
            let block = file.readAll(600, block: 251)
            #expect(block.count == min(600, count - target) * format.channels, "seek to \(target), \(TestSeed.text)")
            let found = difference(block[...], frames[(target * format.channels)...], tolerance: format.seekTolerance)
            #expect(found == nil, "seek to \(target) of \(count), \(TestSeed.text)")
        }
        #expect(file.seek(toFrame: .max) == (file.frameCount == 0 ? Int64(count) : file.frameCount))
        #expect(file.readAll().isEmpty)
        #expect(file.defect == nil)
    }

    /// Returns the root mean square of the difference to the original over that of the original,
    /// for channel 0 in the second quarter of the signal. At half a period's shift it would be 2.
    private func noise(_ frames: [Float], _ original: [Float], channels: Int) -> Double {
        let range = (original.count / 4)..<(original.count / 2)
        guard frames.count >= range.upperBound else { return .infinity }
        let first = stride(from: range.lowerBound / channels * channels, to: range.upperBound, by: channels)
        return Signal.rms(first.map { frames[$0] - original[$0] }) / Signal.rms(first.map { original[$0] })
    }
}
