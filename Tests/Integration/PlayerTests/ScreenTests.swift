import Foundation
import TestSupport
import Testing

/// The full-screen interface in a real terminal (tmux). The tests check what it shows.
@Suite("player: the screen", .serialized)
struct ScreenTests {
    let directory: TemporaryDirectory
    let name: ServerName
    let server: JackServer
    private let terminal: Terminal

    init() throws {
        directory = try TemporaryDirectory()
        name = try ServerName()
        server = try JackServer(name)
        terminal = Terminal(socket: directory.file("tmux"))
        let sine = Signal.sine(frequency: 440, sampleRate: 48_000, frames: 48_000 * 60)
        try SoundFile.write([sine, sine], sampleRate: 48_000, to: directory.file("tone.wav"))
        try SoundFile.write([Array(sine.prefix(192_000))], sampleRate: 48_000, to: directory.file("prompt.wav"))
    }

    /// Starts the player in the terminal.
    private func start(columns: Int, rows: Int, _ options: String = "") throws {
        try terminal.start(
            "'\(try PlayerRun.program)' --server \(server.name) \(options) '\(directory.file("tone.wav"))'",
            columns: columns, rows: rows)
    }

    private var prompt: String { "--prompt '\(directory.file("prompt.wav"))'" }

    /// Whether the music has passed its first second.
    private func hasMoved(_ screen: String) -> Bool { screen.contains(/\b0:(0[1-9]|[1-5][0-9])\./) }

    @Test("Everything is shown, every key works, and q restores the terminal")
    func keys() throws {
        defer { terminal.end() }
        try start(columns: 80, rows: 24, prompt)
        try terminal.see("the player") {
            $0.contains("tone.wav") && $0.contains("playback / default") && $0.contains("music     running")
                && $0.contains("48000 Hz") && $0.contains("-6.0 dB") && $0.contains("q quit")
        }
        try terminal.see("a moving position") { hasMoved($0) }
        // A sine at half of full scale, equal on two channels. Loudness weights 440 Hz by 0.7 dB
        // less than 1 kHz.
        try terminal.see("the loudness") {
            $0.contains("M -6.7  S -6.7  I -6.7 LUFS   max -6.0 dBTP   range 0.0 LU")
        }
        try terminal.press("i")
        try terminal.see("the interruption, its silence, and the loudness before it") {
            $0.contains("interrupted") && $0.contains("interruption began") && $0.contains("M -inf")
                && $0.contains(" LUFS   max -6.0 dBTP")
        }
        try terminal.press("i")
        try terminal.see("the resumption") { $0.contains("music     running") && $0.contains("interruption ended") }
        try terminal.press("p")
        try terminal.see("the duck") { $0.contains("ducked (DUCK-1 by prompt)") }
        try terminal.see("its end") { $0.contains("music     running\n") }
        try terminal.press("s")
        try terminal.see("the silent switch") { $0.contains("silent switch ON") }
        try terminal.press("Down")
        try terminal.see("the volume") { $0.contains("-1.0 dB") }
        try terminal.press("Right")
        try terminal.press("Right")
        try terminal.see("the seek") { $0.contains("0:1") || $0.contains("0:2") }
        try terminal.press("Space")
        try terminal.see("the pause") { $0.contains("tone.wav   paused") }
        try terminal.press("q")
        try terminal.seeTheEnd(0)
    }

    @Test("Small and large terminals show all essentials", arguments: [(60, 16), (120, 40)])
    func sizes(columns: Int, rows: Int) throws {
        defer { terminal.end() }
        try start(columns: columns, rows: rows, prompt)
        try terminal.see("the essentials") {
            $0.contains("tone.wav   playing") && $0.contains("music     running") && $0.contains("L [")
                && $0.contains("I -6.7 LUFS   max -6.0 dBTP") && hasMoved($0)
                && $0.contains("prompt    inactive") && $0.contains("xruns")
                && $0.contains("q quit")
        }
        try terminal.press("i")
        try terminal.see("the interruption") { $0.contains("tone.wav   interrupted") }
        try terminal.press("i")
        try terminal.see("the resumption") { $0.contains("tone.wav   playing") }
        try terminal.press("q")
        try terminal.seeTheEnd(0)
    }

    @Test("The screen is redrawn when the terminal changes its size, even to a single character")
    func resized() throws {
        defer { terminal.end() }
        try start(columns: 80, rows: 24)
        try terminal.see("the player") { $0.contains("q quit") }
        for (columns, rows) in [(30, 8), (3, 2), (1, 1), (100, 30)] {
            try terminal.tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
            guard columns > 20 else { continue }
            try terminal.see("the keys in the last line") {
                $0.split(separator: "\n", omittingEmptySubsequences: false).dropLast().last?.hasSuffix("q quit") == true
                    && $0.contains("tone.wav")
            }
        }
        try terminal.press("q")
        try terminal.seeTheEnd(0)
    }

    @Test("HW-2: --io-buffer auto is shown with the buffer size found so far")
    func tuning() throws {
        defer { terminal.end() }
        // A buffer so long that this machine has no xruns with it.
        server.stop()
        let server = try JackServer(name, periodFrames: 4_096)
        defer { server.stop() }
        try start(columns: 80, rows: 24, "--io-buffer auto")
        try terminal.see("the tuning") { $0.contains("4096 frames (85.3 ms, auto)") }
        try terminal.see("a shorter buffer", within: 60) { $0.contains("2048 frames (42.7 ms, auto)") }
        try terminal.press("q")
        try terminal.seeTheEnd(0)
    }

    @Test("p without a prompt shows an error on the screen, which stays intact")
    func noPrompt() throws {
        defer { terminal.end() }
        try start(columns: 100, rows: 24)
        try terminal.see("the player") { $0.contains("q quit") }
        try terminal.press("p")
        try terminal.see("the error") {
            $0.contains("error: No prompt was given") && $0.contains("q quit") && !$0.contains("player: No prompt")
        }
        try terminal.press("q")
        try terminal.seeTheEnd(0)
    }

    @Test("SRV-1: the loss of the server is shown; the error message is printed after the terminal is restored")
    func lost() throws {
        defer { terminal.end() }
        try start(columns: 100, rows: 24, "--wait 10")
        try terminal.see("the player") { hasMoved($0) }
        server.kill()
        try terminal.see("the loss") { $0.contains("SERVER LOST") && $0.contains("server lost") }
        try terminal.seeTheEnd(69)
        try terminal.see("the error message") { $0.contains("player: The JACK server died and did not return") }
        try JackServer(name).stop()
    }

    @Test("The error message about a damaged file is printed after the terminal is restored; a signal restores it, too")
    func damaged() throws {
        defer { terminal.end() }
        let cut = directory.file("cut.wav")
        try WAV.header(channels: 2, sampleRate: 48_000, dataBytes: 48_000, promised: 480_000)
            .write(to: URL(fileURLWithPath: cut))
        // Wide enough for a long path of temporary files.
        try start(columns: 240, rows: 24, "'\(cut)'")
        try terminal.see("the damage, and the next file") {
            $0.contains("is truncated") && $0.contains("tone.wav   playing")
        }
        let players = OtherProcess.find(program: "player", arguments: [server.name])
        #expect(players.count == 1)
        for player in players { kill(player, SIGTERM) }
        try terminal.seeTheEnd(65)
        try terminal.see("the error message") { $0.contains("player: '") && $0.contains("is truncated") }
    }
}
