import Foundation
import TestSupport
import Testing

/// The full-screen interface in a real terminal (tmux). The tests check what it shows.
@Suite("player: the screen", .serialized)
struct ScreenTests {
    let directory: TemporaryDirectory
    let name: ServerName
    let server: JackServer
    let socket: String

    init() throws {
        directory = try TemporaryDirectory()
        name = try ServerName()
        server = try JackServer(name)
        socket = directory.file("tmux")
        let sine = Signal.sine(frequency: 440, sampleRate: 48_000, frames: 48_000 * 60)
        try SoundFile.write([sine, sine], sampleRate: 48_000, to: directory.file("tone.wav"))
        try SoundFile.write([Array(sine.prefix(192_000))], sampleRate: 48_000, to: directory.file("prompt.wav"))
    }

    private func tmux(_ arguments: [String]) throws -> String {
        // Runs tmux in a shell that closes descriptor 100, which signals the end: tmux's own server
        // would keep it open.
        let words = (["tmux", "-S", socket, "-f", "/dev/null"] + arguments).map {
            "'\($0.replacing("'", with: "'\\''"))'"
        }
        let command = "\(words.joined(separator: " ")) 100>&-"
        return try ChildProcess.run("bash", ["-c", command], environment: ["LC_ALL": "C.UTF-8"]).output
    }

    /// Starts the player in a terminal. After its end, the terminal shows its status and whether
    /// the terminal settings are restored.
    private func start(columns: Int, rows: Int, _ options: String = "") throws {
        let command = """
            before=$(stty -g); '\(try PlayerRun.program)' --server \(server.name) \(options) '\(directory.file("tone.wav"))'; \
            echo "status $?"; test "$before" = "$(stty -g)" && echo "terminal restored"; exec sh
            """
        _ = try tmux(["new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", command])
    }

    private var prompt: String { "--prompt '\(directory.file("prompt.wav"))'" }

    private func seeTheEnd(_ status: Int) throws {
        try see("the end") {
            $0.contains("status \(status)") && $0.contains("terminal restored") && !$0.contains("q quit")
        }
    }

    /// Captures the screen until it satisfies the predicate. Each capture runs a program, so no
    /// wait in between is needed.
    private func see(_ what: String, within seconds: Double = 30, _ isThere: (String) -> Bool) throws {
        let limit = ContinuousClock.now + .seconds(seconds)
        var picture = ""
        while ContinuousClock.now < limit {
            picture = try tmux(["capture-pane", "-p"])
            if isThere(picture) { return }
        }
        throw TestFailure("The screen did not show \(what). It showed:\n\(picture)")
    }

    /// Whether the music has passed its first second.
    private func hasMoved(_ screen: String) -> Bool { screen.contains(/\b0:(0[1-9]|[1-5][0-9])\./) }

    private func press(_ key: String) throws { _ = try tmux(["send-keys", key]) }

    @Test("Everything is shown, every key works, and q restores the terminal")
    func keys() throws {
        defer { _ = try? tmux(["kill-server"]) }
        try start(columns: 80, rows: 24, prompt)
        try see("the player") {
            $0.contains("tone.wav") && $0.contains("playback / default") && $0.contains("music     running")
                && $0.contains("48000 Hz") && $0.contains("-6.0 dB") && $0.contains("q quit")
        }
        try see("a moving position") { hasMoved($0) }
        // A sine at half of full scale, equal on two channels. Loudness weights 440 Hz by 0.7 dB
        // less than 1 kHz.
        try see("the loudness") {
            $0.contains("M -6.7  S -6.7  I -6.7 LUFS   max -6.0 dBTP   range 0.0 LU")
        }
        try press("i")
        try see("the interruption, its silence, and the loudness before it") {
            $0.contains("interrupted") && $0.contains("interruption began") && $0.contains("M -inf")
                && $0.contains(" LUFS   max -6.0 dBTP")
        }
        try press("i")
        try see("the resumption") { $0.contains("music     running") && $0.contains("interruption ended") }
        try press("p")
        try see("the duck") { $0.contains("ducked (DUCK-1 by prompt)") }
        try see("its end") { $0.contains("music     running\n") }
        try press("s")
        try see("the silent switch") { $0.contains("silent switch ON") }
        try press("Down")
        try see("the volume") { $0.contains("-1.0 dB") }
        try press("Right")
        try press("Right")
        try see("the seek") { $0.contains("0:1") || $0.contains("0:2") }
        try press("Space")
        try see("the pause") { $0.contains("tone.wav   paused") }
        try press("q")
        try seeTheEnd(0)
    }

    @Test("Small and large terminals show all essentials", arguments: [(60, 16), (120, 40)])
    func sizes(columns: Int, rows: Int) throws {
        defer { _ = try? tmux(["kill-server"]) }
        try start(columns: columns, rows: rows, prompt)
        try see("the essentials") {
            $0.contains("tone.wav   playing") && $0.contains("music     running") && $0.contains("L [")
                && $0.contains("I -6.7 LUFS   max -6.0 dBTP") && hasMoved($0)
                && $0.contains("prompt    inactive") && $0.contains("xruns")
                && $0.contains("q quit")
        }
        try press("i")
        try see("the interruption") { $0.contains("tone.wav   interrupted") }
        try press("i")
        try see("the resumption") { $0.contains("tone.wav   playing") }
        try press("q")
        try seeTheEnd(0)
    }

    @Test("The screen is redrawn when the terminal changes its size, even to a single character")
    func resized() throws {
        defer { _ = try? tmux(["kill-server"]) }
        try start(columns: 80, rows: 24)
        try see("the player") { $0.contains("q quit") }
        for (columns, rows) in [(30, 8), (3, 2), (1, 1), (100, 30)] {
            _ = try tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
            guard columns > 20 else { continue }
            try see("the keys in the last line") {
                $0.split(separator: "\n", omittingEmptySubsequences: false).dropLast().last?.hasSuffix("q quit") == true
                    && $0.contains("tone.wav")
            }
        }
        try press("q")
        try seeTheEnd(0)
    }

    @Test("HW-2: --io-buffer auto is shown with the buffer size found so far")
    func tuning() throws {
        defer { _ = try? tmux(["kill-server"]) }
        // A buffer so long that this machine has no xruns with it.
        server.stop()
        let server = try JackServer(name, periodFrames: 4_096)
        defer { server.stop() }
        try start(columns: 80, rows: 24, "--io-buffer auto")
        try see("the tuning") { $0.contains("4096 frames (85.3 ms, auto)") }
        try see("a shorter buffer", within: 60) { $0.contains("2048 frames (42.7 ms, auto)") }
        try press("q")
        try seeTheEnd(0)
    }

    @Test("p without a prompt shows an error on the screen, which stays intact")
    func noPrompt() throws {
        defer { _ = try? tmux(["kill-server"]) }
        try start(columns: 100, rows: 24)
        try see("the player") { $0.contains("q quit") }
        try press("p")
        try see("the error") {
            $0.contains("error: No prompt was given") && $0.contains("q quit") && !$0.contains("player: No prompt")
        }
        try press("q")
        try seeTheEnd(0)
    }

    @Test("SRV-1: the loss of the server is shown; the error message is printed after the terminal is restored")
    func lost() throws {
        defer { _ = try? tmux(["kill-server"]) }
        try start(columns: 100, rows: 24, "--wait 10")
        try see("the player") { hasMoved($0) }
        server.kill()
        try see("the loss") { $0.contains("SERVER LOST") && $0.contains("server lost") }
        try seeTheEnd(69)
        try see("the error message") { $0.contains("player: The JACK server died and did not return") }
        try JackServer(name).stop()
    }

    @Test("The error message about a damaged file is printed after the terminal is restored; a signal restores it, too")
    func damaged() throws {
        defer { _ = try? tmux(["kill-server"]) }
        let cut = directory.file("cut.wav")
        try WAV.header(channels: 2, sampleRate: 48_000, dataBytes: 48_000, promised: 480_000)
            .write(to: URL(fileURLWithPath: cut))
        // Wide enough for a long path of temporary files.
        try start(columns: 240, rows: 24, "'\(cut)'")
        try see("the damage, and the next file") { $0.contains("is truncated") && $0.contains("tone.wav   playing") }
        let players = OtherProcess.find(program: "player", arguments: [server.name])
        #expect(players.count == 1)
        for player in players { kill(player, SIGTERM) }
        try seeTheEnd(65)
        try see("the error message") { $0.contains("player: '") && $0.contains("is truncated") }
    }
}
