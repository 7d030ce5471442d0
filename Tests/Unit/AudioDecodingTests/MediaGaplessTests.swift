import AudioDecoding
import AudioRendering
import Foundation
import TestSupport
import Testing

/// The delay and the padding that encoders add are omitted, as far as the file declares them.
@Suite struct MediaGaplessTests {
    let lab: MediaLab

    init() throws { lab = try MediaLab() }

    @Test(
        "a file that is split in two plays as one, without a gap and in place",
        arguments: [
            ("a.m4a", "-c:a aac -b:a 320k", 0.02), ("a.mp3", "-c:a libmp3lame -b:a 320k", 0.02),
            ("a.opus", "-c:a libopus -b:a 256k", 0.05), ("a.ogg", "-c:a libvorbis -q:a 9", 0.05),
            ("a.webm", "-c:a libopus -b:a 256k", 0.05), ("a.mov", "-c:a alac", 0),
        ] as [(String, String, Float)])
    func join(_ name: String, _ options: String, _ tolerance: Float) throws {
        let split = 50_021
        let signal = Signal.sine(frequency: 440, sampleRate: 48_000, frames: 96_000)
        let parts = [signal[..<split], signal[split...]].map(Array.init)
        let decoded = try parts.map { part -> [Float] in
            let path = try lab.encode(
                part, channels: 1, sampleRate: 48_000, options: options.split(separator: " ").map(String.init), to: name
            )
            let file = try MediaFile(path: path)
            let frames = file.readAll()
            #expect(frames.count == part.count)
            #expect(file.defect == nil)
            return frames
        }
        // Away from the joint, the frames are in place; at the joint itself, encoders err more.
        let joined = decoded[0] + decoded[1]
        let quantum: Float = 1 / 32_768
        #expect(
            difference(joined[2_000..<(split - 2_000)], signal[2_000..<(split - 2_000)], tolerance: tolerance + quantum)
                == nil)
        #expect(
            difference(
                joined[(split + 2_000)..<94_000], signal[(split + 2_000)..<94_000], tolerance: tolerance + quantum)
                == nil)
        #expect(Signal.rms(joined[(split - 200)..<(split + 200)]) > 0.3)
    }

    @Test("the length in the tag of iTunes counts, without an edit list")
    func iTunes() throws {
        let frames = 30_011
        let signal = MediaLab.signal(frames: frames, channels: 1)
        let raw = try lab.encode(signal, channels: 1, sampleRate: 44_100, options: ["-c:a", "aac"], to: "a.m4a")
        let plain = try MediaFile(path: raw)
        let expected = plain.readAll()
        // A tag of the form that iTunes writes: delay, padding and length in hexadecimal digits.
        let bytes = ITunesTag.insert(
            into: [UInt8](try Data(contentsOf: URL(fileURLWithPath: raw))), delay: 1_024, frames: 29_000)
        let file = try MediaFile(data: bytes, name: "a.m4a")
        #expect(file.frameCount == 29_000)
        #expect(inequality(file.readAll(), expected[..<29_000]) == nil)
        #expect(file.defect == nil)
    }

    @Test("an edit list that ends the media early counts")
    func edit() throws {
        let signal = MediaLab.signal(frames: 48_000, channels: 1)
        let path = try lab.encode(signal, channels: 1, sampleRate: 48_000, options: ["-c:a", "alac"], to: "a.m4a")
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        // The time scale of ffmpeg's movies is 1,000 per second.
        try ITunesTag.setEditDuration(500, in: &bytes)
        let file = try MediaFile(data: bytes, name: "a.m4a")
        #expect(file.frameCount == 24_000)
        #expect(inequality(file.readAll(), signal[..<24_000]) == nil)
        #expect(file.defect == nil)
    }
}
