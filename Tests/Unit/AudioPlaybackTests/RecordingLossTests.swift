import AudioPlayback
import AudioRendering
import Foundation
import TestRandom
import TestSupport
import Testing

/// Recordings whose program is killed or whose disk fails (PLAY-2).
@Suite(.serialized) struct RecordingLossTests {
    private let directory: TemporaryDirectory

    // In memory: other tests may keep the disk busy for longer than a second.
    init() throws { directory = try TemporaryDirectory(in: "/dev/shm") }

    /// A program that records in real time.
    private struct Recording {
        let process: ChildProcess
        let path: String
        private let counter: String

        init(_ name: String, in directory: TemporaryDirectory) throws {
            path = directory.file(name)
            counter = directory.file(name + ".counter")
            process = try ChildProcess(try BuiltProgram.path("recording-helper"), [path, counter, "1"])
        }

        /// How many frames the input has delivered.
        var delivered: Int {
            guard let data = FileManager.default.contents(atPath: counter), data.count == 8 else { return 0 }
            return Int(data.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
        }
    }

    @Test("A recorder that is killed at any moment leaves a file that can be opened and lacks at most one second")
    func killed() throws {
        for round in 0..<TestLength.times(2, long: 34) {
            var random = SeededGenerator(seed: TestSeed.ofCase(UInt64(round)))
            let names = AudioRecorder.knownExtensions.map { "\(round).\($0)" }
            let recordings = try names.map { try Recording($0, in: directory) }
            for recording in recordings { #expect(eventually { recording.delivered > 0 }) }
            for recording in recordings.shuffled(using: &random) {
                // From the first tenths of a second on: before, the file may be empty.
                let moment = max(recording.delivered, 12_000) + Int.random(in: 0..<48_000, using: &random)
                #expect(eventually { recording.delivered >= moment })
                recording.process.send(SIGKILL)
                recording.process.reap()
                let delivered = recording.delivered
                let file = try? SoundFile.read(recording.path)
                let samples = try #require(file?.planes.first, "\(recording.path) cannot be opened")
                #expect(samples.count > delivered - 48_000, "\(recording.path): \(samples.count) of \(delivered)")
                if recording.path.hasSuffix("opus") { continue }
                // The input starts with a fade; FLAC rounds to 24 bits.
                let wrong = samples.indices.dropFirst(240).first {
                    abs(samples[$0] - Float($0) / 16_777_216) > 1.0 / 8_388_608
                }
                #expect(wrong == nil, "\(recording.path)")
            }
        }
    }

    /// Records in a shell's conditions until the recording ends. Returns its frames and why.
    private func run(_ name: String, _ script: String) throws -> (path: String, output: String) {
        let path = directory.file("small/" + name)
        try FileManager.default.createDirectory(atPath: directory.file("small"), withIntermediateDirectories: true)
        let (status, output) = try ChildProcess.run(
            "sh", ["-c", script, try BuiltProgram.path("recording-helper"), path, directory.file("counter")])
        #expect(status == 0, "\(output)")
        return (path, output)
    }

    @Test("A limit of the file size ends a recording with an error; what was written can be opened")
    func fileSize() throws {
        for name in ["take.wav", "take.caf", "take.aiff", "take.w64"] {
            // In blocks of 512 bytes.
            let (path, output) = try run(name, #"ulimit -f 512 && exec "$0" "$1" "$2" 4"#)
            #expect(output.contains("File too large"), "\(output)")
            let samples = try SoundFile.read(path).planes[0]
            #expect((60_000...65_536).contains(samples.count) && output.hasPrefix("[\(samples.count)]"), "\(output)")
            #expect(samples.indices.dropFirst(240).allSatisfy { samples[$0] == Float($0) / 16_777_216 })
        }
    }

    @Test("A full disk ends a recording with an error; what was written can be opened")
    func fullDisk() throws {
        for name in AudioRecorder.knownExtensions.map({ "take.\($0)" }) {
            let size = name.hasSuffix("flac") ? "16k" : "256k"  // it compresses this signal well
            // The disk is gone with its namespace: copies the file before.
            let (_, output) = try run(
                name,
                #"""
                exec unshare $(test "$(id -u)" = 0 && echo -m || echo -rm) sh -c 'mount -t tmpfs -o size=\#(size) tmpfs "${1%/*}" && "$0" "$1" "$2" 10 &&
                    cp "$1" "${1%/*}.${1##*.}"' "$0" "$1" "$2"
                """#)
            #expect(output.contains("No space left on device") || output.contains("the disk took"), "\(output)")
            let samples = try SoundFile.read(directory.file("small.\((name as NSString).pathExtension)")).planes[0]
            #expect(samples.count > 40_000, "\(name): \(samples.count)")
        }
    }

    @Test("A file that is deleted while it is recorded ends the recording with an error")
    func deleted() throws {
        let stage = try RecorderFixture()
        try stage.recorder.record()
        try stage.render(10_000)
        #expect(stage.events.wait { $0.count == 1 })
        try FileManager.default.removeItem(atPath: stage.recorder.path.description)
        #expect(
            eventually {
                try? stage.render(1_000)
                return stage.recorder.recording != nil
            })
        let error = AudioFileError.notWritable(
            path: stage.recorder.path.description, reason: "the file was deleted while it was recorded")
        let recording = try #require(stage.recorder.recording)
        #expect(recording.ending == .failed(error) && recording.files.isEmpty && !stage.recorder.isRecording)
    }
}
