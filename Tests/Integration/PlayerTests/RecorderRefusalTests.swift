import Foundation
import TestSupport
import Testing

/// A recording that is not possible ends with one clear sentence and the right exit status
/// (sysexits); one that fails on the way leaves a complete file.
@Suite("recorder: refusals", .serialized)
struct RecorderRefusalTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func expect(
        _ status: Int32, _ text: String, _ arguments: [String], environment: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let run = try PlayerRun(["--ui", "none"] + arguments, environment: environment, program: RecorderStage.program)
        #expect(run.exit() == status, "\(run.errorLines)", sourceLocation: sourceLocation)
        let sentence = run.errorLines.first ?? ""
        #expect(
            run.errorLines.count == 1 && sentence.hasPrefix("recorder: ") && sentence.contains(text)
                && sentence.hasSuffix("."), "\(run.errorLines)", sourceLocation: sourceLocation)
    }

    @Test("Files that cannot be recorded to are refused before a server is contacted")
    func files() throws {
        let taken = directory.file("taken.wav")
        try Data("x".utf8).write(to: URL(fileURLWithPath: taken))
        let link = directory.file("link.wav")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory.file("nowhere.wav"))
        let server = ["--server", "audio-test-missing"]
        try expect(73, "'\(taken)' already exists", server + [taken])
        try expect(73, "'\(link)' already exists", server + [link])
        try expect(73, "There is no folder", server + [directory.file("missing/take.wav")])
        try expect(64, "no known file extension", server + [directory.file("take.mp3")])
        try expect(69, "No audio server named 'audio-test-missing'", server + [directory.file("take.wav")])
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        #expect(left == ["link.wav", "taken.wav"])
    }

    @Test("Values out of range are usage errors")
    func usage() throws {
        for arguments in [
            ["--channels", "0"], ["--first-channel", "0"], ["--start-level", "3"], ["--pre-roll", "61"],
            ["--max-size", "many"], ["--start-at", "25:00"], ["--start-in", "1", "--start-at", "12:00"],
            ["--duration", "0"], ["--levels", "0"], ["--resume", "maybe"], ["--events", "json", "--ui", "full"],
        ] {
            let run = try PlayerRun(arguments + [directory.file("take.wav")], program: RecorderStage.program)
            #expect(run.exit() == 64, "\(arguments): \(run.errorLines)")
        }
        let help = try PlayerRun(["--help"], program: RecorderStage.program)
        #expect(help.exit() == 0 && help.errorLines.isEmpty)
        let text = help.outLines.joined(separator: "\n")
        for option in ["--duration <seconds>", "--max-size <bytes>", "--start-level <db>", "--input <port>", "--wait"] {
            #expect(text.contains(option))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }

    @Test("PERM-1, ROUTE-6: no permission, no such input, too few channels, no input at all")
    func session() throws {
        let stage = try RecorderStage()
        let server = ["--server", stage.server.name]
        let path = stage.file("take.wav")
        let environment = stage.service.environment
        try expect(
            64, "There is no input 'kazoo'. Inputs: Mic:input", server + ["--input", "kazoo", path],
            environment: environment)
        try expect(64, "but 'Mic' has 2", server + ["--channels", "3", path], environment: environment)
        try expect(64, "has no input", server + ["--category", "playback", path], environment: environment)
        let program = try RecorderStage.program
        #expect(try stage.service.audiosession("permission", "deny", program).status == 0)
        try expect(77, "denied permission to record", server + [path], environment: environment)
        #expect(try stage.service.audiosession("permission", "grant", program).status == 0)
        let deaf = try JackServer(ServerName(), driver: ["dummy", "-C", "0"])
        defer { deaf.stop() }
        try expect(69, "has no input", ["--server", deaf.name, path], environment: environment)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// Runs a recorder in a shell. "$0" is the recorder with its options, "$1" a folder.
    private func shell(_ stage: RecorderStage, _ line: String) throws -> (status: Int32, output: String) {
        try ChildProcess.run(
            "sh", ["-c", line, try RecorderStage.program, stage.directory.path, stage.server.name],
            environment: stage.service.environment)
    }

    @Test("A full disk ends a recording with 73; what was recorded until then is complete")
    func fullDisk() throws {
        let stage = try RecorderStage()
        // The disk is gone with its namespace: copies the file before.
        let (status, output) = try shell(
            stage,
            #"""
            mkdir "$1/small" && exec unshare -m sh -c 'mount -t tmpfs -o size=512k tmpfs "$1/small" &&
                "$0" --server "$2" --ui none "$1/small/take.wav"; status=$?; cp "$1/small/take.wav" "$1/" &&
                exit $status' "$0" "$1" "$2"
            """#)
        #expect(
            status == 73
                && output.contains("small/take.wav' cannot be written: No space left on device, 0 bytes are free; ")
                && output.contains("free some space, or use another disk. The "), "\(output)")
        #expect(output.contains("frames before that are complete"), "\(output)")
        let found = try stage.signal.runs(in: stage.file("take.wav"))
        #expect(found.frames > 40_000 && output.contains("The \(found.frames) frames"), "\(output) \(found.frames)")
    }

    @Test("Files are recorded under names that are not UTF-8; events show them with escape sequences")
    func latin1Names() throws {
        let stage = try RecorderStage()
        let (status, output) = try shell(
            stage,
            #"""
            cd "$1" && "$0" --server "$2" --events json --duration 0.5 "$(printf 'caf\351.wav')" &&
                test -s "$(printf 'caf\351.wav')"
            """#)
        #expect(status == 0 && output.contains(#"caf\\xe9.wav"#), "\(output)")
    }

    @Test("Events that cannot be written end the run with 74, and the file is complete")
    func output() throws {
        let stage = try RecorderStage()
        let (status, output) = try shell(
            stage, #"exec "$0" --server "$2" --events json "$1/take.wav" > /dev/full"#)
        #expect(status == 74 && output == "recorder: Standard output cannot be written: No space left on device.\n")
    }
}
