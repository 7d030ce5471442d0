import Foundation
import TestSupport
import Testing

/// Streams are free again although PipeWire, the journal or the parent does the unexpected.
@Suite("foreign programs: failures", .serialized)
struct ForeignFailureTests {
    /// The clients of a process, oldest first.
    private func clients(of process: pid_t, on desktop: ForeignDesktop) throws -> [Int] {
        var (clients, identifier): ([Int], Int?) = ([], nil)
        for line in try desktop.run("pw-cli", ["ls", "Client"]).output.split(separator: "\n") {
            if let match = line.firstMatch(of: /id (\d+), type/) { identifier = Int(match.1) }
            if line.contains("pipewire.sec.pid = \"\(process)\""), let identifier { clients.append(identifier) }
        }
        return clients
    }

    @Test("A connection that PipeWire closes leaves the journal, and the stream is freed by it")
    func closedConnection() throws {
        let desktop = try ForeignDesktop()
        let program = try desktop.play()
        defer { program.send(SIGKILL) }
        let controller = try StreamController.serving(on: desktop)
        let stream = try controller.stream("state=running", "node=pw-play")
        try #require(controller.reaches("level \(stream) 20 0"))
        let client = try #require(try clients(of: controller.identifier, on: desktop).first)
        try desktop.run("pw-cli", ["destroy", "\(client)"])
        #expect(controller.reap() == 69)
        #expect(try desktop.run(BuiltProgram.path("audiosession-hand"), ["--repair"]).status == 0)
        #expect(try desktop.volumes("softVolumes", serial: stream) == [1, 1])
    }

    @Test("A hold that the journal cannot note is refused, and the stream plays on")
    func unwritableJournal() throws {
        let desktop = try ForeignDesktop()
        let program = try desktop.play()
        defer { program.send(SIGKILL) }
        let controller = try StreamController.serving(on: desktop)
        let stream = try controller.stream("state=running", "node=pw-play")
        try #require(controller.reaches("level \(stream) 14 0"))
        let (folder, away) = (desktop.folder.file("audiosession"), desktop.folder.file("away"))
        try FileManager.default.moveItem(atPath: folder, toPath: away)
        controller.send("hold \(stream) 0")
        #expect(controller.events.wait { $0.contains { $0.hasPrefix("refused \(stream) reason=the%20journal") } })
        try FileManager.default.moveItem(atPath: away, toPath: folder)
        #expect(try desktop.record().waitsForUnity())
    }

    @Test("A stream that is linked again as it is released plays, and repeated commands do no harm")
    func releasedAtNewLink() throws {
        let desktop = try ForeignDesktop()
        let program = try desktop.play()
        defer { program.send(SIGKILL) }
        let controller = try StreamController.serving(on: desktop)
        let stream = try controller.stream("state=running", "node=pw-play")
        let ports = ("pw-play:output_FL", "sink:playback_FL")
        try desktop.run("pw-link", ["-d", "pw-play:output_FR", "sink:playback_FR"])
        let recording = try desktop.record()
        for round in 0..<TestLength.times(10, long: 200) {
            try #require(controller.reaches("hold \(stream) 0"), "round \(round)")
            try desktop.run("pw-link", ["-d", ports.0, ports.1])
            controller.send("level \(stream) 0 0\nlevel \(stream) 0 0\nhold \(stream) 0")
            try #require(controller.reaches("hold \(stream) 0"), "round \(round)")
            try #require(try desktop.links(ports.0, ports.1))
            poll(nil, 0, Int32(round % 10))
            try #require(controller.reaches("level \(stream) 0 0"), "round \(round)")
            try #require(
                eventually { recording.left(last: 4_096).contains { $0 > 0 } }, "It stays paused, round \(round)")
        }
    }
}
