import Foundation
import TestSupport
import Testing

/// Without a server the player starts its own, which exits after its last client.
@Suite("player: managed server", .serialized)
struct ManagedServerTests {
    // The server, and the process that waits to reap it.
    private func servers() -> [pid_t] {
        OtherProcess.find(program: "audiosession-server", arguments: ["--name", "audiosession"])
    }

    @Test("The player starts the managed server and plays, and the server exits on its own")
    func managed() throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("short.wav")
        let source = Signal.sine(frequency: 440, sampleRate: 48_000, frames: 48_000)
        try SoundFile.write([source, source], sampleRate: 48_000, to: file)
        // A server of another run that is about to exit would be reused.
        for server in servers() { try OtherProcess.waitForEnd(of: server) }
        let environment = [
            "XDG_RUNTIME_DIR": directory.path, "JACK_NO_AUDIO_RESERVATION": "1", "JACK_NO_START_SERVER": "1",
        ]
        let result = try PlayerRun.run(
            ["--server", "managed", "--events", "json", "--capture", directory.file("heard.wav"), file],
            environment: environment)
        #expect(result.status == 0, "\(result.errors)")
        let hardware = try #require(result.out.compactMap(parsed).first { $0["event"] as? String == "hardware" })
        #expect((hardware["server"] as? String)?.contains("jackd2") == true)
        let heard = try SoundFile.read(directory.file("heard.wav")).planes[0]
        let begin = try #require(heard.firstIndex { $0 != 0 }) - 1
        #expect(!servers().isEmpty, "it runs for some seconds more, for the next app")
        for server in servers() { try OtherProcess.waitForEnd(of: server) }
        #expect(servers().isEmpty)
        #expect(Signal.firstDifference(heard[begin...].prefix(source.count), source) == nil)
    }
}
