import AudioDecoding
import AudioPlayback
import AudioRendering
import Foundation
import TestSupport
import Testing

/// Tracks, tags, pictures and names; which library decodes a source; what FFmpeg may write.
@Suite struct MediaContentTests {
    let lab: MediaLab
    let signal = MediaLab.signal(frames: 20_000, channels: 2)

    init() throws { lab = try MediaLab() }

    private func encode(_ name: String, _ options: [String]) throws -> String {
        try lab.encode(signal, channels: 2, sampleRate: 48_000, options: options, to: name)
    }

    @Test("the sound of a video, and a choice of its tracks", arguments: ["film.mkv", "film.mp4", "film.mov"])
    func tracks(_ name: String) throws {
        let (left, right) = (lab.path("left.wav"), lab.path("right.wav"))
        try SoundFile.write([(0..<48_000).map { Float($0 % 100) / 256 }], sampleRate: 48_000, to: left)
        let stereo = (0..<2).map { channel in (0..<44_100).map { Float($0 % (50 + channel)) / 256 } }
        try SoundFile.write(stereo, sampleRate: 44_100, to: right)
        let path = lab.path(name)
        let tags = [
            "-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=fin", "-metadata:s:a:1", "title=Commentary",
            "-metadata:s:a:1", "handler_name=Commentary", "-disposition:a:0", "0", "-disposition:a:1", "default",
        ]
        try lab.run(
            ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=1", "-i", left, "-i", right]
                + ["-map", "0:v", "-map", "1:a", "-map", "2:a", "-c:v", "mpeg4", "-c:a", "alac"] + tags + [path])

        let marked = try MediaFile(path: path)
        #expect(marked.track == 1)
        #expect(marked.audioTracks.map(\.index) == [0, 1])
        #expect(marked.audioTracks.map(\.language) == ["eng", "fin"])
        #expect(marked.audioTracks.map(\.channels) == [1, 2])
        #expect(marked.audioTracks.map(\.sampleRate) == [48_000, 44_100])
        #expect(marked.audioTracks.map(\.isDefault) == [false, true])
        #expect(marked.audioTracks.allSatisfy { $0.codec.contains("ALAC") })
        if name == "film.mkv" { #expect(marked.audioTracks.map(\.title) == [nil, "Commentary"]) }
        for (track, original) in [left, right].enumerated() {
            let file = try MediaFile(path: path, track: track)
            let expected = try AudioFile(path: original).readAll()
            #expect(file.track == track)
            #expect(inequality(file.readAll(), expected[...]) == nil)
            #expect(file.seek(toFrame: 30_000) == 30_000)
            #expect(inequality(file.readAll(), expected[(30_000 * file.channels)...]) == nil)
            #expect(file.defect == nil)
        }
        let refused = AudioFileError.undecodable(path: path, reason: "it has no audio track 2; its tracks are 0 to 1")
        #expect(throws: refused) { try MediaFile(path: path, track: 2) }
        #expect(throws: AudioFileError.self) { try MediaFile(path: path, track: -1) }
    }

    @Test("a video without sound is refused")
    func silentVideo() throws {
        let path = lab.path("silent.mkv")
        try lab.run(["-f", "lavfi", "-i", "testsrc=size=64x48:duration=1", "-c:v", "mpeg4", path])
        #expect(throws: AudioFileError.empty(path: path)) { try MediaFile(path: path) }
    }

    @Test("title, artist, album, gains and cover", arguments: ["a.m4a", "a.mp3", "a.flac"])
    func tags(_ name: String) throws {
        let cover = lab.path("cover.png")
        try lab.run(["-f", "lavfi", "-i", "color=red:size=16x16", "-frames:v", "1", cover])
        let texts = [
            "title=Ääni", "artist=A & B", "album=  ", "REPLAYGAIN_TRACK_GAIN=-6.48 dB", "replaygain_track_peak=9.8e-01",
        ]
        let plain = try encode("plain." + name, [])
        let path = lab.path(name)
        try lab.run(
            ["-i", plain, "-i", cover, "-map", "0:a", "-map", "1:v", "-c", "copy", "-disposition:v", "attached_pic"]
                + texts.flatMap { ["-metadata", $0] } + [path])
        let file = try MediaFile(path: path)
        #expect(file.tags.title == "Ääni")
        #expect(file.tags.artist == "A & B")
        #expect(file.tags.album == nil)
        if name != "a.m4a" {
            #expect(file.tags.replayGain == MediaTags.ReplayGain(trackGain: -6.48, trackPeak: 0.98))
        }
        #expect(file.tags.picture?.bytes == [UInt8](try Data(contentsOf: URL(fileURLWithPath: cover))))
        #expect(file.tags.picture?.mimeType == "image/png")
        #expect(file.audioTracks.count == 1)
        #expect(file.formatDescription.hasPrefix("48000 Hz, 2 ch, "))
        #expect(file.readAll().count >= 39_000)
        #expect(file.defect == nil)
    }

    @Test("the gains of Opus are 5 dB lower")
    func opusGain() throws {
        let path = try encode("a.opus", ["-metadata", "R128_TRACK_GAIN=-512", "-metadata", "R128_ALBUM_GAIN=x"])
        #expect(try MediaFile(path: path).tags.replayGain == MediaTags.ReplayGain(trackGain: 3))
    }

    @Test(
        "names with spaces, line breaks and bytes that are not UTF-8",
        arguments: ["a b.m4a", "a\nb'\".m4a", "%s%n.m4a", "caf\u{e9}"])
    func names(_ name: String) throws {
        let source = [UInt8](try Data(contentsOf: URL(fileURLWithPath: try encode("a.m4a", ["-c:a", "alac"]))))
        // Latin-1: "é" is one byte.
        let folder = lab.path("")
        let path = AudioFilePath(
            bytes: Array(folder.utf8) + name.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        let written = path.bytes.withUnsafeBufferPointer { bytes -> Bool in
            let text = bytes.map { CChar(bitPattern: $0) } + [0]
            guard let file = fopen(text, "w") else { return false }
            defer { fclose(file) }
            return fwrite(source, 1, source.count, file) == source.count
        }
        try #require(written)
        let file = try MediaFile(path: path)
        #expect(inequality(file.readAll(), signal[...]) == nil)
        #expect(file.frameCount == 20_000)
        #expect(try PlaybackSource.media(path).open().frameCount == 20_000)
        #expect(PlaybackSource.media(path).path == path)
    }

    @Test("a file in memory equals the file, and one that was deleted plays on")
    func memory() throws {
        let path = try encode("a.m4a", ["-c:a", "aac"])
        let inMemory = try MediaFile(data: [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))), name: "x")
        let file = try MediaFile(path: path)
        try FileManager.default.removeItem(atPath: path)
        let frames = file.readAll()
        #expect(frames.count == 40_000)
        #expect(inequality(inMemory.readAll(), frames[...]) == nil)
        #expect(file.seek(toFrame: 0) == 0)
        #expect(inequality(file.readAll(), frames[...]) == nil)
    }

    @Test(
        "libsndfile decodes what it can; a track is FFmpeg's",
        arguments: [
            ("a.wav", true), ("a.flac", true), ("a.ogg", true), ("a.mp3", true), ("a.m4a", false), ("a.aac", false),
            ("a.wma", false),
            ("a.mka", false), ("a.ac3", false), ("a.wv", false),
        ])
    func library(_ name: String, _ isSndFile: Bool) throws {
        let path = try encode(name, [])
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        for source in [PlaybackSource.media(path), .media(data: bytes, name: name)] {
            let reader = try source.open()
            #expect((reader is AudioFile) == isSndFile)
            #expect((reader is MediaFile) == !isSndFile)
            #expect(reader.readAll().count >= 36_000)
            #expect(reader.defect == nil)
        }
        #expect(try PlaybackSource.media(path, track: 0).open() is MediaFile)
        #expect(throws: AudioFileError.self) { try PlaybackSource.media(path, track: 1).open() }
    }

    @Test("a source that cannot be opened reports why")
    func sourceErrors() {
        let missing = lab.path("missing.m4a")
        #expect(throws: AudioFileError.notFound(path: missing)) { try PlaybackSource.media(missing).open() }
        #expect(throws: AudioFileError.empty(path: "m")) { try PlaybackSource.media(data: [], name: "m").open() }
        #expect {
            try PlaybackSource.media(data: Array("no sound".utf8), name: "m").open()
        } throws: { "\($0)".hasPrefix("'m' cannot be decoded (it is not a media file of a known format") }
    }

    @Test("FFmpeg writes nothing about media files to the standard error stream")
    func log() throws {
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: try encode("a.mp3", []))))
        for index in stride(from: 2_000, to: bytes.count, by: 97) { bytes[index] = 0xFF }
        let output = lab.path("stderr")
        let kept = dup(STDERR_FILENO)
        let file = open(output, O_WRONLY | O_CREAT, 0o600)
        try #require(kept >= 0 && file >= 0)
        dup2(file, STDERR_FILENO)
        defer { for descriptor in [kept, file] { close(descriptor) } }
        let media = try? MediaFile(data: bytes, name: "a.mp3")
        _ = media?.readAll()
        media?.seek(toFrame: 0)
        _ = try? MediaFile(data: Array(bytes[3_000...]), name: "a.m4a")
        dup2(kept, STDERR_FILENO)
        #expect(media?.defect != nil)
        #expect(try String(contentsOfFile: output, encoding: .utf8).isEmpty)
    }

    @Test("programs that do not ask for FFmpeg do not link it")
    func linking() throws {
        func libraries(_ program: String) throws -> String {
            let output = lab.path("libraries")
            try lab.run(program: "sh", ["-c", "ldd '\(try BuiltProgram.path(program))' >'\(output)'"])
            return try String(contentsOfFile: output, encoding: .utf8)
        }
        for program in ["player", "recorder", "audiosession", "audiosessiond", "FirstSound"] {
            let text = try libraries(program)
            #expect(text.contains("libc.so"))
            for library in ["libavformat", "libavcodec", "libavutil", "libswresample"] {
                #expect(!text.contains(library), "\(program)")
            }
        }
        #expect(try libraries("MediaFile").contains("libavformat"))
    }

    @Test("a file that is overwritten by one with other channels ends at the next seek, with a defect")
    func overwritten() throws {
        let path = try encode("a.wma", ["-c:a", "wmav2"])
        let mono = try lab.encode(
            Array(signal.prefix(20_000)), channels: 1, sampleRate: 48_000, options: ["-c:a", "wmav2"], to: "b.wma")
        let file = try MediaFile(path: path)
        #expect(file.readAll(15_000).count == 30_000)
        try Data(contentsOf: URL(fileURLWithPath: mono)).write(to: URL(fileURLWithPath: path), options: [])
        #expect(file.seek(toFrame: 0) == 0)
        #expect(file.readAll(1_000).isEmpty && file.defect != nil)
    }

    @Test("real files, those of Debian's sound theme: libsndfile's length, and ffmpeg's samples")
    func installed() throws {
        let folder = "/usr/share/sounds/freedesktop/stereo"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".oga") }
        #expect(names.count >= 30, "the package sound-theme-freedesktop")
        for name in names.sorted() {
            let copy = lab.path(name)
            let original = URL(fileURLWithPath: folder + "/" + name).resolvingSymlinksInPath()
            try FileManager.default.copyItem(at: original, to: URL(fileURLWithPath: copy))
            let file = try MediaFile(path: copy)
            let (frames, reference) = (file.readAll(), try lab.decode(copy))
            let other = try AudioFile(path: copy)
            #expect(
                frames.count / file.channels == Int(other.frameCount) && file.frameCount == other.frameCount, "\(name)")
            #expect(file.channels == other.channels && file.sampleRate == other.sampleRate && file.defect == nil)
            #expect(difference(frames[...], reference[...]) == nil, "\(name)")
            // The two decoders round differently.
            #expect(difference(frames[...], other.readAll()[...], tolerance: 1e-4) == nil, "\(name)")
        }
    }
}
