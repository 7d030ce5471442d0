import Foundation
import TestSupport
import Testing

/// The recorder's full-screen interface in a real terminal. The tests check what it shows, and what
/// its keys record.
@Suite("recorder: the screen", .serialized)
struct RecorderScreenTests {
    private let stage: RecorderStage
    private let terminal: Terminal

    init() throws {
        stage = try RecorderStage()
        terminal = Terminal(socket: stage.file("tmux"))
    }

    private func start(_ options: String, columns: Int = 80, rows: Int = 24) throws {
        let environment = stage.service.environment.map { "\($0)='\($1)'" }.joined(separator: " ")
        try terminal.start(
            "\(environment) '\(try RecorderStage.program)' --server \(stage.server.name) \(options) '\(stage.file("take.wav"))'",
            columns: columns, rows: rows)
    }

    /// The recorded time that a screen shows, in seconds.
    private func time(_ screen: String) -> Double? {
        guard let match = screen.firstMatch(of: /Time +(\d+):(\d+\.\d)/) else { return nil }
        return Double(match.1).flatMap { minutes in Double(match.2).map { minutes * 60 + $0 } }
    }

    private func seeTime(after seconds: Double) throws {
        try terminal.see("a time after \(seconds) s") { (time($0) ?? 0) > seconds }
    }

    @Test("Everything is shown; space pauses and resumes, n continues in another file, q completes it")
    func keys() throws {
        defer { terminal.end() }
        try start("--duration 600")
        try terminal.see("the recorder") {
            $0.contains("take.wav   file 1   recording   48000 Hz, 2 ch") && $0.contains("record / default")
                && $0.contains("Lost      0 frames") && $0.contains("Input     ") && $0.contains("L [")
                && $0.contains("R [") && $0.contains("q stop and quit") && $0.contains("remaining 9:")
                && $0.contains("   disk ")
        }
        try seeTime(after: 0.5)
        try terminal.press("Space")
        var pausedAt = 0.0
        try terminal.see("the pause") { screen in
            pausedAt = time(screen) ?? 0
            return screen.contains("file 1   paused") && screen.contains("paused by the user")
        }
        try terminal.press("Space")
        try terminal.see("the resumption") { $0.contains("file 1   recording") && $0.contains("resumed") }
        try seeTime(after: pausedAt + 0.3)
        try terminal.press("n")
        try terminal.see("the next file") { $0.contains("take-2.wav   file 2   recording") }
        try terminal.press("m")
        try terminal.see("that there is no output") { $0.contains("Category record plays nothing") }
        try terminal.see("the end of the first file") { $0.contains("(nextFile)") }
        try terminal.press("q")
        try terminal.seeTheEnd(0)
        // The first file has two runs of the signal; the second one continues it on the next frame.
        let first = try stage.signal.runs(in: stage.file("take.wav"), minimum: 240)
        let second = try stage.signal.runs(in: stage.file("take-2.wav"), minimum: 240)
        #expect(second.runs == [.init(begin: 0, frames: second.frames)], "\(second)")
        #expect((1...2).contains(first.runs.count), "a pause of a period or more begins another run: \(first)")
        let samples = try [1, 2].map { number in
            try SoundFile.read(stage.file(number == 1 ? "take.wav" : "take-2.wav")).planes[0]
        }
        let step = try #require(samples[1].first) - (try #require(samples[0].last))
        #expect(step == 2.0 / 16_777_216 || step < 0, "\(step * 8_388_608) frames; \(first) \(second)")
    }

    @Test("An interruption, the monitor and what the recording waits for are shown")
    func states() throws {
        defer { terminal.end() }
        try start("--monitor -6 --start-level -100 --connections none", columns: 100, rows: 30)
        try terminal.see("what it waits for") {
            $0.contains("waiting for -100.0 dBFS") && $0.contains("Monitor   -6.0 dB")
                && $0.contains("playAndRecord / default")
        }
        try terminal.press("m")
        try terminal.see("the monitor off") { $0.contains("Monitor   off") }
        try terminal.press("Space")
        try terminal.see("the recording") { $0.contains("file 1   recording") }
        #expect(try stage.service.audiosession("call", "ring").status == 0)
        try terminal.see("the interruption") { $0.contains("file 1   interrupted") }
        #expect(try stage.service.audiosession("call", "decline").status == 0)
        try terminal.see("the resumption") { $0.contains("file 1   recording") }
        for recorder in OtherProcess.find(program: "recorder", arguments: [stage.server.name]) {
            kill(recorder, SIGTERM)
        }
        try terminal.seeTheEnd(0)
    }

    @Test("Small terminals show the essentials", arguments: [(60, 16), (40, 8)])
    func sizes(columns: Int, rows: Int) throws {
        defer { terminal.end() }
        try start("--max-size 1G", columns: columns, rows: rows)
        try terminal.see("the essentials") {
            $0.contains("take.wav   file 1") && $0.contains("Time      0:") && $0.contains("L [")
                && $0.contains("q quit") && (time($0) ?? 0) > 0.5
        }
        try terminal.press("q")
        try terminal.seeTheEnd(0)
    }
}
