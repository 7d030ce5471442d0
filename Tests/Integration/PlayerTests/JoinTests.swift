import Foundation
import TestSupport
import Testing

/// Players that find no arbiter, or one that hangs, and join it later.
@Suite("player: joins the arbiter", .serialized)
struct PlayerJoinTests {
    private let stage: ServiceEnvironment
    private let server: JackServer

    init() throws {
        stage = try ServiceEnvironment()
        server = try JackServer(ServerName(), sampleRate: 48_000, periodFrames: 256)
    }

    private func start(_ changes: [String: String] = [:]) throws -> PlayerRun {
        let file = stage.directory.file("count.wav")
        try SoundFile.write([Signal.counting(frames: 120 * 48_000)], sampleRate: 48_000, to: file)
        return try PlayerRun(
            ["--server", server.name, "--events", "json", file],
            environment: stage.environment.merging(changes) { $1 })
    }

    /// Expects that the player plays and that it has warned once.
    private func expectAlone(_ run: PlayerRun) {
        #expect(run.waitForLine("\"event\":\"position\"", within: 40), "\(run.errorLines)")
        #expect(run.errorLines.count == 1 && run.errorLines.first?.contains("its own sessions only") == true)
    }

    /// Expects that the player joins, and that a call then interrupts it until it is declined.
    private func expectJoins(_ run: PlayerRun) throws {
        #expect(run.errors.lines.wait(limit: 30) { $0.contains { $0.contains("has joined the arbiter") } })
        let status = try stage.audiosession("status").output
        #expect(status.contains("player"), "\(status)")
        #expect(try stage.audiosession("call", "ring").status == 0)
        #expect(run.waitForLine("\"type\":\"began\""))
        #expect(try stage.audiosession("call", "decline").status == 0)
        #expect(run.waitForLine("\"shouldResume\":true"))
        run.send(SIGINT)
        #expect(run.exit() == 0)
        #expect(run.errorLines.count == 2, "\(run.errorLines)")
    }

    @Test("SRV-3, INT-6: a player that met a hung arbiter joins it when it continues; a call then interrupts it")
    func hung() throws {
        try stage.startService()
        let service = try #require(stage.services.first)
        kill(service, SIGSTOP)
        let run = try start()
        expectAlone(run)
        kill(service, SIGCONT)
        try expectJoins(run)
    }

    @Test("SRV-3: a player that could start no arbiter joins the one that another program starts")
    func noProgram() throws {
        let run = try start(["AUDIOSESSIOND": "/nonexistent/audiosessiond"])
        expectAlone(run)
        try stage.startService()
        try expectJoins(run)
    }

    @Test("SRV-3: a player whose arbiter refuses to serve with its few descriptors joins a later one")
    func refusingProgram() throws {
        let program = stage.directory.file("limited")
        try """
        #!/bin/sh
        ulimit -n 100
        exec '\(try BuiltProgram.path("audiosessiond"))' "$@"
        """.write(toFile: program, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
        let run = try start(["AUDIOSESSIOND": program])
        expectAlone(run)
        #expect(run.errorLines.first?.contains("limit of 100 open files") == true, "\(run.errorLines)")
        try stage.startService()
        try expectJoins(run)
    }

    @Test("SRV-3: a player whose socket has no folder joins when the folder exists")
    func noFolder() throws {
        let folder = (stage.socket as NSString).deletingLastPathComponent
        try FileManager.default.removeItem(atPath: folder)
        let run = try start()
        expectAlone(run)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try expectJoins(run)
    }

    @Test("With AUDIOSESSION_ARBITER=in-process, a player neither warns nor joins")
    func inProcess() throws {
        let run = try start(["AUDIOSESSION_ARBITER": "in-process"])
        #expect(run.waitForLine("\"event\":\"position\"", within: 40))
        try stage.startService()
        #expect(OtherProcess.threads(of: run.identifier).allSatisfy { $0.name != "audio-join" })
        run.send(SIGINT)
        #expect(run.exit() == 0)
        #expect(run.errorLines.isEmpty)
    }
}
