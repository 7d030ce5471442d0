import Foundation
import TestSupport
import Testing

/// Full disks, and files that others damage while they are read: playback continues where it can,
/// what was written before is kept, and the error is reported once.
@Suite("Files that fail")
struct FileFaultTests {
    /// KiB that the disk accepts. A resource limit replaces a full disk: the program sees the same
    /// short write.
    @Test(
        "A capture to a disk that becomes full: reported once, and the file is completed up to that point",
        arguments: [("wav", 300), ("w64", 300), ("caf", 300), ("aiff", 300), ("flac", 8)])
    func full(format: String, limit: Int) throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("capture.\(format)")
        let outcome = try Runner.run(
            "capture", arguments: ["--file", file],
            through: ["bash", "-c", "trap '' XFSZ; ulimit -f \(limit); exec \"$0\" \"$@\""])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(
            outcome.prints([
                "capture: done", "output: whole", "failures: [\"", "summary: '\(file)' cannot be written",
                "file: as far as it went, ",
            ]), "\(outcome.output)")
        let failures = outcome.lines.first { $0.hasPrefix("failures: ") } ?? ""
        #expect(failures.components(separatedBy: "cannot be written").count == 2, "once: \(failures)")
        let frames =
            outcome.lines.last { $0.hasPrefix("file: ") }?.split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0
        #expect((20_000..<239_000).contains(frames), "\(outcome.output)")
    }

    @Test("A capture to a full disk cannot begin, and reports an error")
    func fullFromTheStart() throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("capture.wav")
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "/dev/full")
        let outcome = try Runner.run("capture", arguments: ["--file", file])
        #expect(outcome.prints(["capture: error CaptureError: '\(file)' cannot be written"]), "\(outcome.output)")
        #expect(outcome.status == 0, "\(outcome.output)")
    }

    /// Later writes go to their correct positions, and closing the file rewrites the header.
    @Test(
        "A file damaged during recording: later sound is kept, and the truncated part is silence",
        arguments: [
            ("truncate", "file: 240000 frames, what was cut is silence, the rest is there"),
            ("empty", "file: 240000 frames, what was cut is silence, the rest is there"),
            ("delete", "file: none"),
            ("nothing", "file: 240000 frames, nothing was cut, the rest is there"),
        ])
    func recordedDamaged(fault: String, file: String) throws {
        let outcome = try Runner.run("recording", arguments: ["--fault", fault])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(
            outcome.prints(["output: whole", "summary: whole, 240000 frames", file]), "\(outcome.output)")
    }

    /// A player reads a second ahead, in blocks: of the five seconds, 2.35 have been read when the
    /// file is damaged after one.
    @Test(
        "A file damaged during playback: the readable part is heard, then silence, and the damage is reported once",
        arguments: [
            ("truncate", ["heard: 112640", "after: silence", "ending: damaged", "again: sound"]),
            (
                "empty",
                [
                    "heard: 112640", "after: silence", "ending: damaged", "play again: error AudioFileError",
                    "again: silence",
                ]
            ),
            (
                "delete",
                [
                    "heard: 240000", "after: silence", "ending: finished", "play again: error AudioFileError",
                    "again: silence",
                ]
            ),
            ("replace", ["heard: 240000", "after: silence", "ending: finished", "play again: done", "again: sound"]),
            ("overwrite", ["heard: 112640", "after: silence", "ending: finished", "play again: done"]),
            ("nothing", ["heard: 240000", "after: silence", "ending: finished", "play again: done", "again: sound"]),
        ])
    func streamedDamaged(fault: String, prints: [String]) throws {
        let outcome = try Runner.run("streaming", arguments: ["--file", "wav", "--fault", fault])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(outcome.prints(prints), "\(outcome.output)")
        #expect(outcome.lines.count { $0.hasPrefix("ending: ") } == 1, "\(outcome.output)")
    }

    @Test("A compressed file emptied during playback")
    func compressedDamaged() throws {
        let outcome = try Runner.run("streaming", arguments: ["--file", "flac", "--fault", "empty"])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(
            outcome.prints(["heard: 1", "after: silence", "ending: damaged", "again: silence"]), "\(outcome.output)")
    }
}
