import Foundation
import TestSupport
import Testing

/// Disks that are full, and files that others spoil while they are read: music goes on where it can, what was written before is kept, and the
/// error is told once.
@Suite("Files that fail")
struct FileFaultTests {
    /// KiB that the disk takes. A limit of the system's stands in for a full disk: the program sees the same short write.
    @Test(
        "A capture to a disk that becomes full: told once, and the file is completed as far as it went",
        arguments: [("wav", 300), ("w64", 300), ("caf", 300), ("aiff", 300), ("flac", 8)])
    func full(format: String, limit: Int) throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("capture.\(format)")
        let outcome = try Runner.run(
            "capture", arguments: ["--file", file],
            through: ["bash", "-c", "trap '' XFSZ; ulimit -f \(limit); exec \"$0\" \"$@\""])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(
            outcome.tells([
                "capture: done", "output: whole", "failures: [\"", "summary: '\(file)' cannot be written",
                "file: as far as it went, ",
            ]), "\(outcome.output)")
        let failures = outcome.lines.first { $0.hasPrefix("failures: ") } ?? ""
        #expect(failures.components(separatedBy: "cannot be written").count == 2, "once: \(failures)")
        let frames =
            outcome.lines.last { $0.hasPrefix("file: ") }?.split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0
        #expect((20_000..<239_000).contains(frames), "\(outcome.output)")
    }

    @Test("A capture to a disk that is full cannot begin, and says so")
    func fullFromTheStart() throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("capture.wav")
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "/dev/full")
        let outcome = try Runner.run("capture", arguments: ["--file", file])
        #expect(outcome.tells(["capture: error CaptureError: '\(file)' cannot be written"]), "\(outcome.output)")
        #expect(outcome.status == 0, "\(outcome.output)")
    }

    /// What is written later goes to where it belongs, and closing writes the header anew.
    @Test(
        "A file that is spoilt while it is recorded: what comes later is kept, and what was cut is silence",
        arguments: [
            ("truncate", "file: 240000 frames, what was cut is silence, the rest is there"),
            ("empty", "file: 240000 frames, what was cut is silence, the rest is there"),
            ("delete", "file: none"),
            ("nothing", "file: 240000 frames, nothing was cut, the rest is there"),
        ])
    func recordedSpoilt(fault: String, file: String) throws {
        let outcome = try Runner.run("recording", arguments: ["--fault", fault])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(
            outcome.tells(["output: whole", "summary: whole, 240000 frames", file]), "\(outcome.output)")
    }

    /// A player reads a second ahead, and in blocks: of the five seconds, 2.35 are read when the file is spoilt after one.
    @Test(
        "A file that is spoilt while it plays: what can be read is heard, then silence, and the ending says so once",
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
    func spoilt(fault: String, tells: [String]) throws {
        let outcome = try Runner.run("streaming", arguments: ["--file", "wav", "--fault", fault])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(outcome.tells(tells), "\(outcome.output)")
        #expect(outcome.lines.count { $0.hasPrefix("ending: ") } == 1, "\(outcome.output)")
    }

    @Test("A compressed file that is emptied while it plays")
    func spoiltCompressed() throws {
        let outcome = try Runner.run("streaming", arguments: ["--file", "flac", "--fault", "empty"])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(
            outcome.tells(["heard: 1", "after: silence", "ending: damaged", "again: silence"]), "\(outcome.output)")
    }
}
