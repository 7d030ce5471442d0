import Foundation
import TestSupport

/// A real terminal (tmux), in which a program runs.
struct Terminal {
    let socket: String

    /// Sends a command to tmux. Returns its output.
    @discardableResult
    func tmux(_ arguments: [String]) throws -> String {
        // Runs tmux in a shell that closes descriptor 100, which signals the end: tmux's own server
        // would keep it open.
        let words = (["tmux", "-S", socket, "-f", "/dev/null"] + arguments).map {
            "'\($0.replacing("'", with: "'\\''"))'"
        }
        let command = "\(words.joined(separator: " ")) 100>&-"
        return try ChildProcess.run("bash", ["-c", command], environment: ["LC_ALL": "C.UTF-8"]).output
    }

    /// Starts a command of the shell. After its end, the terminal shows its status and whether the
    /// terminal settings are restored.
    func start(_ command: String, columns: Int, rows: Int) throws {
        let line = """
            before=$(stty -g); \(command); echo "status $?"; \
            test "$before" = "$(stty -g)" && echo "terminal restored"; exec sh
            """
        try tmux(["new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", line])
    }

    /// Ends everything that runs in the terminal.
    func end() { _ = try? tmux(["kill-server"]) }

    func seeTheEnd(_ status: Int) throws {
        try see("the end") {
            $0.contains("status \(status)") && $0.contains("terminal restored") && !$0.contains("q quit")
        }
    }

    /// Captures the screen until it satisfies the predicate. Each capture runs a program, so no
    /// wait in between is needed.
    func see(_ what: String, within seconds: Double = 30, _ isThere: (String) -> Bool) throws {
        let limit = ContinuousClock.now + .seconds(seconds)
        var picture = ""
        while ContinuousClock.now < limit {
            picture = try tmux(["capture-pane", "-p"])
            if isThere(picture) { return }
        }
        throw TestFailure("The screen did not show \(what). It showed:\n\(picture)")
    }

    func press(_ key: String) throws { try tmux(["send-keys", key]) }
}
