import Foundation
import TestSupport
import Testing

/// The full-screen interface, in a real terminal (tmux), by what it shows.
@Suite("player: the screen", .serialized)
struct ScreenTests {
    let directory: TemporaryDirectory
    let server: JackServer
    let socket: String

    init() throws {
        directory = try TemporaryDirectory()
        server = try JackServer(try ServerName())
        socket = directory.file("tmux")
        let sine = Signal.sine(frequency: 440, sampleRate: 48_000, frames: 48_000 * 60)
        try SoundFile.write([sine, sine], sampleRate: 48_000, to: directory.file("tone.wav"))
        try SoundFile.write([Array(sine.prefix(48_000))], sampleRate: 48_000, to: directory.file("prompt.wav"))
    }

    private func tmux(_ arguments: [String]) throws -> String {
        // Through a shell that closes what tells of the end: tmux's own server would keep it.
        let words = (["tmux", "-S", socket, "-f", "/dev/null"] + arguments).map {
            "'\($0.replacing("'", with: "'\\''"))'"
        }
        let command = "\(words.joined(separator: " ")) 100>&-"
        return try ChildProcess.run("bash", ["-c", command], environment: ["LC_ALL": "C.UTF-8"]).output
    }

    private func start(columns: Int, rows: Int) throws {
        let command = """
            '\(try PlayerRun.program)' --server \(server.name) --prompt '\(directory.file("prompt.wav"))' \
            '\(directory.file("tone.wav"))'; echo "status $?"; exec sh
            """
        _ = try tmux(["new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", command])
    }

    /// Looks at the screen until it is as it should be; each look is a program that runs, so there is nothing to wait for in between.
    private func see(_ what: String, within seconds: Double = 15, _ isThere: (String) -> Bool) throws {
        let limit = ContinuousClock.now + .seconds(seconds)
        var picture = ""
        while ContinuousClock.now < limit {
            picture = try tmux(["capture-pane", "-p"])
            if isThere(picture) { return }
        }
        throw TestFailure("\(what) was not seen; the screen was:\n\(picture)")
    }

    private func press(_ key: String) throws { _ = try tmux(["send-keys", key]) }

    @Test("Everything is shown, every key works, and q gives the terminal back")
    func keys() throws {
        defer { _ = try? tmux(["kill-server"]) }
        try start(columns: 80, rows: 24)
        try see("the player") {
            $0.contains("tone.wav") && $0.contains("playback / default") && $0.contains("music     running")
                && $0.contains("48000 Hz") && $0.contains("-6.0 dB") && $0.contains("q quit")
        }
        try see("a moving position") { $0.contains("0:01.") }
        try press("i")
        try see("the interruption") { $0.contains("interrupted") && $0.contains("interruption began") }
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
        try see("the pause") { $0.contains("= tone.wav") }
        try press("q")
        try see("the end") { $0.contains("status 0") && !$0.contains("q quit") }
    }

    @Test("Small and large terminals cut nothing that matters", arguments: [(60, 16), (120, 40)])
    func sizes(columns: Int, rows: Int) throws {
        defer { _ = try? tmux(["kill-server"]) }
        try start(columns: columns, rows: rows)
        try see("the essentials") {
            $0.contains("tone.wav") && $0.contains("running") && $0.contains("L [") && $0.contains("0:01.")
        }
        try press("q")
        try see("the end") { $0.contains("status 0") }
    }
}
