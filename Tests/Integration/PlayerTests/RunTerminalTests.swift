import Foundation
import TestSupport
import Testing

/// `audiosession run` in an interactive shell on a real terminal (tmux).
@Suite("audiosession: run on a terminal", .serialized)
struct RunTerminalTests {
    private let service: ServiceEnvironment
    private let terminal: Terminal

    /// Starts a shell in which `run NAME` runs one of the scripts.
    init() throws {
        service = try ServiceEnvironment()
        terminal = Terminal(socket: service.directory.file("tmux"))
        let program = try BuiltProgram.path("audiosession")
        let folder = service.directory.file("")
        try """
        PS1='ready$ '
        set -o pipefail
        run() { '\(program)' run -- bash "\(folder)/$1"; }
        """.write(toFile: service.directory.file("rc"), atomically: true, encoding: .utf8)
        let settings = service.environment.map { "-e\($0)=\($1)" }
        try terminal.tmux(
            ["new-session", "-d", "-x", "100", "-y", "30"] + settings
                + ["bash --noprofile --rcfile '\(service.directory.file("rc"))' -i"])
        try terminal.see("a prompt") { $0.contains("ready$") }
    }

    private func write(_ name: String, _ script: String) throws {
        try script.write(toFile: service.directory.file(name), atomically: true, encoding: .utf8)
    }

    private func type(_ line: String) throws { try terminal.tmux(["send-keys", "-l", line + "\n"]) }

    @Test(
        "Ctrl-Z stops the command and run as one job, also in a pipe; after fg, the command reads the terminal again",
        arguments: ["", " | cat"])
    func stop(pipe: String) throws {
        defer { terminal.end() }
        try write("lines", "echo begun; read a; echo \"a=<$a>\"; read b; echo \"b=<$b>\"; exit 7\n")
        try type("run lines\(pipe)")
        try terminal.see("the command") { $0.contains("begun") }
        try type("one")
        try terminal.see("the first line") { $0.contains("a=<one>") }
        try terminal.press("C-z")
        try terminal.see("a stopped job") { $0.contains("Stopped") }
        try type("fg")
        try type("two")
        try terminal.see("the second line") { $0.contains("b=<two>") }
        try type("echo \"status $?\"")
        try terminal.see("the status") { $0.contains("status 7") }
    }

    @Test("Ctrl-C reaches the command, and only once")
    func interrupt() throws {
        defer { terminal.end() }
        try write("count", "trap 'echo caught' INT; echo begun; while read line; do echo \"<$line>\"; done; exit 4\n")
        try type("run count")
        try terminal.see("the command") { $0.contains("begun") }
        try terminal.press("C-c")
        try terminal.see("the trap") { $0.contains("caught") }
        // A second signal would interrupt one of these reads.
        for line in ["one", "two"] {
            try type(line)
            try terminal.see("an echo") {
                $0.contains("<\(line)>") && $0.components(separatedBy: "caught").count == 2
            }
        }
        try terminal.press("C-d")
        try type("echo \"status $?\"")
        try terminal.see("the status") { $0.contains("status 4") }
    }
}
