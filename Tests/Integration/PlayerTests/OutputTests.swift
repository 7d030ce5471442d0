import Foundation
import TestSupport
import Testing

/// The player's output: what cannot be written, files whose size is limited, and names from
/// outside.
@Suite("player: output", .serialized)
struct OutputTests {
    let directory: TemporaryDirectory
    let good: String

    init() throws {
        directory = try TemporaryDirectory()
        good = directory.file("good.wav")
        try SoundFile.write(
            [Signal.sine(frequency: 440, sampleRate: 48_000, frames: 96_000)], sampleRate: 48_000, to: good)
    }

    /// Runs the player in a shell, which executes `prefix` first. "$0" is the player, "$1" the
    /// folder and "$2" a sound file.
    private func shell(_ line: String) throws -> (status: Int32, output: String) {
        try ChildProcess.run("sh", ["-c", line, try PlayerRun.program, directory.path, good])
    }

    @Test("Events and lines that cannot be written end the run with 74", arguments: ["--events json", "--ui lines"])
    func full(style: String) throws {
        for (redirection, reason) in [("> /dev/full", "No space left on device"), (">&-", "Bad file descriptor")] {
            let (status, errors) = try shell(#"exec "$0" \#(style) --render "$1/o.wav" "$2" \#(redirection)"#)
            #expect(status == 74, "\(errors)")
            #expect(errors == "player: Standard output cannot be written: \(reason).\n")
        }
    }

    @Test("A reader of the events that is gone ends the run without a message", arguments: ["", "trap '' PIPE; "])
    func noReader(preparation: String) throws {
        let writing = try ClosedPipe.makeWritingEnd()
        let errors = open(directory.file("errors"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer {
            close(writing)
            close(errors)
        }
        let line = preparation + #"exec "$0" --events json --render "$1/o.wav" "$2""#
        let child = try ChildProcess(
            "sh", ["-c", line, try PlayerRun.program, directory.path, good], printingTo: (writing, errors))
        #expect(child.waitForEnd(seconds: 60))
        #expect(child.reap() == 128 + SIGPIPE)
        #expect(readText(directory.file("errors")) == "")
    }

    @Test("A file beyond the size limit ends the run like a full disk", arguments: ["wav", "flac", "ogg"])
    func sizeLimit(type: String) throws {
        let (status, output) = try shell(#"ulimit -f 8; exec "$0" --ui none --render "$1/o.\#(type)" "$2""#)
        #expect(status == 73, "\(output)")
        #expect(output.contains("cannot be written"), "\(output)")
    }

    @Test("Control characters in file names are shown as escape sequences")
    func escapes() throws {
        let name = "a\u{1b}[2J\u{7}\nb\u{9b}.wav"
        let shown = #"a\x1b[2J\x07\x0ab\x9b.wav"#
        try FileManager.default.copyItem(atPath: good, toPath: directory.file(name))
        let played = try PlayerRun.run(["--ui", "lines", "--render", directory.file("o.wav"), directory.file(name)])
        #expect(played.status == 0)
        #expect(played.out.contains { $0.contains("finished: " + shown) }, "\(played.out)")
        let refused = try PlayerRun.run([
            "--ui", "none", "--render", directory.file("o.wav"), directory.file(name + "x"),
        ])
        #expect(refused.status == 66)
        #expect(refused.errors.count == 1 && refused.errors[0].contains(shown), "\(refused.errors)")
        let unknown = try PlayerRun.run(["-\u{1b}[2J", good])
        #expect(unknown.status == 64 && unknown.errors.contains { $0.contains(#"\x1b[2J"#) }, "\(unknown.errors)")
        let lines = played.out + refused.errors + unknown.errors
        #expect(!lines.contains { $0.unicodeScalars.contains { $0.properties.generalCategory == .control } })
    }

    @Test("Control characters in the names of programs are shown as escape sequences")
    func programNames() throws {
        let stage = try ServiceEnvironment()
        let server = try JackServer(ServerName(), sampleRate: 48_000, periodFrames: 256)
        let program = directory.file("a\u{1b}[2J\u{202e}b")
        try FileManager.default.copyItem(atPath: try PlayerRun.program, toPath: program)
        let run = try PlayerRun(
            ["--server", server.name, "--events", "json", good, good, good],
            environment: stage.environment.merging(["AUDIOSESSIOND": try BuiltProgram.path("audiosessiond")]) { $1 },
            program: program)
        #expect(run.waitForLine("\"event\":\"position\""), "\(run.errorLines)")
        for command in [["status"], ["why", "1"], ["log"], ["doctor"]] {
            let (_, output) = try ChildProcess.run(
                try BuiltProgram.path("audiosession"), command, environment: stage.environment)
            if ["status", "why"].contains(command[0]) {
                #expect(output.contains(#"a\x1b[2J\u{202e}b"#), "\(command): \(output.debugDescription)")
            }
            let controls = output.unicodeScalars.filter {
                $0.properties.generalCategory == .control && $0 != "\n" || $0 == "\u{202e}"
            }
            #expect(controls.isEmpty, "\(command): \(output.debugDescription)")
        }
        run.send(SIGINT)
        #expect(run.exit() == 0)
    }

    // The bytes of these names are Latin-1: "\351" is an é, which UTF-8 writes as two bytes.
    @Test("Files are played, rendered and captured under names that are not UTF-8")
    func latin1Names() throws {
        let (status, output) = try shell(
            #"""
            cd "$1" && cp "$2" "$(printf 'caf\351.wav')" && mkdir "$(printf 'd\351')" &&
            cp "$2" "$(printf 'd\351/x.wav')" &&
            "$0" --ui none --render "$(printf 'o\351.wav')" "$(printf 'caf\351.wav')" &&
            test -s "$(printf 'o\351.wav')" &&
            cp "$2" "$(printf 'p\364\217\276\200\351.wav')" &&
            "$0" --ui none --render b.wav "$(printf 'p\364\217\276\200\351.wav')" &&
            "$0" --ui none --render a.flac "$(printf 'd\351/x.wav')" &&
            cd "$(printf 'd\351')" && "$0" --ui none --render y.ogg x.wav && test -s y.ogg &&
            ! "$0" --ui none --render "$(printf 'caf\350.wav')" "$(printf 'caf\350.wav')" &&
            "$0" --ui none --render ../p.wav --prompt "$(printf '../caf\351.wav')" --prompt-at 0.1 x.wav
            """#)
        #expect(status == 0, "\(output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count >= 5)
        let server = try JackServer(ServerName(), sampleRate: 48_000, periodFrames: 256)
        let (live, heard) = try shell(
            #"""
            cd "$1" && "$0" --server \#(server.name) --ui none --capture "$(printf 'k\351.wav')" \
                "$(printf 'caf\351.wav')" && test -s "$(printf 'k\351.wav')"
            """#)
        #expect(live == 0, "\(heard)")
        let (own, refusal) = try shell(
            #"cd "$1" && exec "$0" --ui none --render "$(printf 'caf\351.wav')" "$(printf 'caf\351.wav')""#)
        #expect(own == 64 && refusal.contains(#"'caf\xe9.wav' is also an input file"#), "\(refusal)")
    }
}
