import AudioRendering
import Foundation
import TestSupport
import Testing

extension RealServers {
    /// libjack frees the data of its own thread if that thread starts more than a second late; the
    /// program then crashes. The threads are that of its messages, that of the server's
    /// notifications, and that of the cycle.
    @Suite(
        "libjack's threads start late",
        .jackdOnly("PipeWire's libjack starts its threads differently."), .isolatedOnly)
    struct LateThreadTests {
        let server: JackServer
        private let folder: TemporaryDirectory
        private let library: String

        init() throws {
            server = try JackServer(try ServerName())
            folder = try TemporaryDirectory()
            library = folder.file("late_thread.so")
            let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appendingPathComponent("Support/LateThread/late_thread.c").path
            let built = try ChildProcess.run(
                "cc", ["-std=gnu17", "-O1", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror", source, "-o", library])
            guard built.status == 0 else { throw TestFailure(built.output) }
        }

        private func environment(late thread: Int, seconds: Int = 2) -> [String: String] {
            server.environment.merging(
                ["LD_PRELOAD": library, "LATE_THREAD": "\(thread)", "LATE_SECONDS": "\(seconds)"]
            ) { $1 }
        }

        @Test("A plain client continues without the thread that starts late")
        func bareClient() throws {
            defer { server.stop() }
            // libjack waits for a thousand sleeps of 1 ms, which take longer on a busy machine. The
            // thread must be later than that; the program does not wait for it any longer.
            let environment = environment(late: 1, seconds: 60)
            let (_, output) = try ChildProcess.run("jack_lsp", [], environment: environment)
            #expect(output.contains("JackMessageBuffer::Create cannot start thread"), "\(output)")
        }

        @Test("A device waits for each thread of libjack that starts late", arguments: [1, 2, 3])
        func device(thread: Int) throws {
            defer { server.stop() }
            let device = try VirtualDevice("Phones", kind: .headphones, on: environment(late: thread))
            #expect(device.output == "A thread of libjack begins late.\n")
            #expect(device.stop() == 0)
        }

        @Test("An app waits for each thread of libjack that starts late", arguments: [1, 2, 3])
        func app(thread: Int) throws {
            defer { server.stop() }
            let file = folder.file("sine.wav")
            let sine = Signal.sine(frequency: 440, sampleRate: 48_000, frames: 9_600)
            try SoundFile.write([sine], sampleRate: 48_000, to: file)
            let environment = environment(late: thread).merging(["AUDIOSESSION_ARBITER": "in-process"]) { $1 }
            let (status, output) = try ChildProcess.run(
                try BuiltProgram.path("player"), ["--server", server.name, file], environment: environment)
            #expect(status == 0 && output.contains("A thread of libjack begins late.\n"), "\(output)")
        }
    }
}
