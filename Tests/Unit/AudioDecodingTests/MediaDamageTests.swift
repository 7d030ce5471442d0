import AudioDecoding
import AudioRendering
import Foundation
import TestSupport
import Testing

/// Files that are empty, short, truncated, damaged or of another kind.
@Suite struct MediaDamageTests {
    let lab: MediaLab
    let signal = MediaLab.signal(frames: 48_000, channels: 2)

    init() throws { lab = try MediaLab() }

    private func bytes(_ name: String, _ options: String, frames: Int = 48_000) throws -> [UInt8] {
        let path = try lab.encode(
            Array(signal[..<(2 * frames)]), channels: 2, sampleRate: 48_000,
            options: options.split(separator: " ").map(String.init), to: name)
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    @Test("what cannot be opened is refused with the reason")
    func refused() throws {
        let path = lab.path("x")
        #expect(throws: AudioFileError.notFound(path: path)) { try MediaFile(path: path) }
        #expect(throws: AudioFileError.notFound(path: path + "/y")) { try MediaFile(path: path + "/y") }
        #expect(throws: AudioFileError.notFound(path: "a\0b")) { try MediaFile(path: "a\0b") }
        #expect(throws: AudioFileError.notFound(path: "http://localhost/a.mp3")) {
            try MediaFile(path: "http://localhost/a.mp3")
        }
        #expect(throws: AudioFileError.notFound(path: "concat:a|b")) { try MediaFile(path: "concat:a|b") }
        #expect(throws: AudioFileError.notAFile(path: "/tmp")) { try MediaFile(path: "/tmp") }
        #expect(throws: AudioFileError.notAFile(path: "/dev/zero")) { try MediaFile(path: "/dev/zero") }
        try lab.run(program: "mkfifo", [path])
        #expect(throws: AudioFileError.notAFile(path: path)) { try MediaFile(path: path) }
        #expect(throws: AudioFileError.empty(path: "a.mp3")) { try MediaFile(data: [], name: "a.mp3") }
        let empty = lab.path("empty.m4a")
        try Data().write(to: URL(fileURLWithPath: empty))
        #expect(throws: AudioFileError.empty(path: empty)) { try MediaFile(path: empty) }
    }

    @Test(
        "noise, text and pictures are refused under every name",
        arguments: ["a", "a.mp3", "a.m4a", "a.flac", "a.aac", "a.mka", "a.wma"])
    func otherContent(_ name: String) throws {
        var number: UInt32 = 1
        let noise = (0..<30_000).map { _ -> UInt8 in
            number = number &* 1_664_525 &+ 1_013_904_223
            return UInt8(truncatingIfNeeded: number >> 24)
        }
        let picture = lab.path("a.png")
        try lab.run(["-f", "lavfi", "-i", "color=size=16x16", "-frames:v", "1", picture])
        for content in [
            noise, Array("A text is no sound.\n".utf8), [UInt8](repeating: 0, count: 5_000),
            [UInt8](try Data(contentsOf: URL(fileURLWithPath: picture))),
        ] {
            #expect(throws: AudioFileError.self) { try MediaFile(data: content, name: name) }
        }
    }

    @Test("a playlist opens no other file", arguments: ["a.m3u8", "a.ffconcat", "a.sdp"])
    func playlist(_ name: String) throws {
        let target = try lab.encode(signal, channels: 2, sampleRate: 48_000, options: [], to: "target.aac")
        let text =
            switch name {
            case "a.m3u8": "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:1,\n\(target)\n#EXT-X-ENDLIST\n"
            case "a.sdp": "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=a\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 5004 RTP/AVP 0\n"
            default: "ffconcat version 1.0\nfile \(target)\n"
            }
        let path = lab.path(name)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(throws: AudioFileError.self) { try MediaFile(path: path) }
    }

    @Test(
        "files of no frame and of one",
        arguments: [
            ("a.flac", "-c:a flac"), ("a.m4a", "-c:a alac"), ("a.wav", "-c:a pcm_s16le"), ("a.wv", "-c:a wavpack"),
            ("a.opus", "-c:a libopus"),
        ])
    func short(_ name: String, _ options: String) throws {
        let one = try MediaFile(data: try bytes(name, options, frames: 1), name: name)
        #expect(one.readAll().count == 2)
        #expect(one.frameCount == 1)
        #expect(one.seek(toFrame: 5) == 1)
        #expect(one.seek(toFrame: 0) == 0)
        #expect(one.readAll().count == 2)
        #expect(one.defect == nil)
        #expect(throws: AudioFileError.self) { try MediaFile(data: try bytes(name, options, frames: 0), name: name) }
    }

    @Test(
        "a truncated file plays as far as it goes, and says so",
        arguments: [
            ("a.m4a", "-c:a aac -movflags +faststart", true), ("b.m4a", "-c:a alac -movflags +faststart", true),
            ("a.flac", "-c:a flac", true),
            ("a.aiff", "-c:a pcm_s16be", true), ("a.wv", "-c:a wavpack", true), ("a.aac", "-c:a aac", false),
            ("a.mp3", "-c:a libmp3lame", false), ("a.mka", "-c:a aac", false), ("a.ac3", "-c:a ac3", false),
        ])
    func truncated(_ name: String, _ options: String, _ hasLength: Bool) throws {
        let whole = try bytes(name, options)
        let expected = try MediaFile(data: whole, name: name).readAll()
        let file = try MediaFile(data: Array(whole[..<(whole.count * 6 / 10)]), name: name)
        let frames = file.readAll()
        let count = frames.count / 2
        #expect((20_000..<36_000).contains(count), "\(count)")
        let safe = max(0, count - 6_000) * 2
        #expect(difference(frames[..<safe], expected[...]) == nil)
        if hasLength {
            #expect(file.frameCount == 48_000)
            #expect(file.defect == .truncated(path: name, frames: Int64(count), expected: 48_000))
            #expect(file.seek(toFrame: 47_000) == Int64(count))
        } else {
            #expect(file.defect != nil)
        }
    }

    @Test(
        "a damaged part is silent or noise; what follows stays in place",
        arguments: [
            ("a.m4a", "-c:a aac"), ("b.m4a", "-c:a alac"), ("a.mka", "-c:a flac"), ("a.aac", "-c:a aac"),
            ("a.ac3", "-c:a ac3"),
        ])
    func damaged(_ name: String, _ options: String) throws {
        var content = try bytes(name, options)
        let expected = try MediaFile(data: content, name: name).readAll()
        let begin = content.count * 2 / 5
        for index in begin..<(begin + content.count / 20) { content[index] = UInt8(truncatingIfNeeded: index &* 167) }
        let file = try MediaFile(data: content, name: name)
        let frames = file.readAll()
        #expect(file.defect != nil)
        #expect(abs(frames.count - expected.count) <= (name.hasSuffix("m4a") ? 0 : 2 * 20_000))
        let first = 14_000 * 2
        #expect(difference(frames[..<first], expected[..<first]) == nil)
        guard frames.count == expected.count else { return }
        let last = 40_000 * 2
        #expect(difference(frames[last...], expected[last...], tolerance: name == "a.ac3" ? 0.03 : 0.05) == nil)
    }

    @Test("NaN and infinite samples become silence, and are counted")
    func nonFinite() throws {
        var samples = [Float](repeating: 0.25, count: 2_000)
        (samples[10], samples[700], samples[1_999]) = (.nan, .infinity, -.infinity)
        let path = try lab.encode(
            samples, channels: 2, sampleRate: 48_000, options: ["-c:a", "pcm_f32le"], to: "a.wav")
        let file = try MediaFile(path: path)
        let frames = file.readAll()
        #expect(file.nonFiniteSampleCount == 3)
        #expect(frames.indices.filter { frames[$0] != 0.25 } == [10, 700, 1_999])
        #expect(frames.allSatisfy { $0 == 0.25 || $0 == 0 })
    }

    @Test("a change of the channels or the rate ends the frames with a defect")
    func shapes() throws {
        let stereo = try bytes("a.aac", "-c:a aac")
        let path = try lab.encode(
            Array(signal[..<20_000]), channels: 1, sampleRate: 22_050, options: ["-c:a", "aac"], to: "b.aac")
        let mono = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let file = try MediaFile(data: stereo + mono, name: "a.aac")
        #expect((file.channels, file.sampleRate) == (2, 48_000))
        #expect((47_000...50_000).contains(file.readAll().count / 2))
        #expect("\(String(describing: file.defect))".contains("it changes to 1 channels at 22050 Hz"))
    }

    @Test(
        "a stream without a length plays to its end",
        arguments: [("wav", "pcm_s16le"), ("flac", "flac"), ("au", "pcm_s16be"), ("matroska", "pcm_s16le")])
    func stream(_ format: String, _ codec: String) throws {
        let (input, path) = (lab.path("input.wav"), lab.path("piped"))
        try SoundFile.write([(0..<24_000).map { Float($0) / 32_768 }], sampleRate: 48_000, to: input)
        try lab.run(
            program: "sh", ["-c", "ffmpeg -v error -i '\(input)' -c:a \(codec) -f \(format) - | cat >'\(path)'"])
        let file = try MediaFile(path: path)
        let frames = file.readAll()
        #expect(file.frameCount == 0)
        #expect(frames.count == 24_000)
        #expect(zip(frames, 0...).allSatisfy { abs($0 - Float($1) / 32_768) < 1e-4 })
        #expect(file.defect == nil)
    }
}
