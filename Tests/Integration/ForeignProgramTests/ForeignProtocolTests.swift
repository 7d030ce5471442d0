import Foundation
import TestRandom
import TestSupport
import Testing

/// The protocol of audiosession-hand, its exit statuses, and what its parent may do wrong.
@Suite("foreign programs: protocol", .serialized)
struct ForeignProtocolTests {
    private static var program: String { get throws { try BuiltProgram.path("audiosession-hand") } }

    @Test("Streams are reported with what is known of their programs, until they are gone")
    func streams() throws {
        let desktop = try ForeignDesktop(pulse: true)
        let controller = try StreamController.serving(on: desktop)
        #expect(controller.events.noted.first?.hasPrefix("ready version=1 pipewire=") == true)
        #expect(controller.events.noted.first?.contains(" cookie=") == true)
        let native = try desktop.play()
        let pulse = try desktop.play(.pulse)
        let first = try controller.stream(
            "node=pw-play direction=output",
            "state=running api=native pid=\(native.identifier) claimed-pid=\(native.identifier)",
            "role=Music", "channels=2 controls=level+hold")
        let second = try controller.stream("api=pulse claimed-pid=\(pulse.identifier)", "binary=pacat", "app=paplay")
        #expect(!controller.events.noted.contains { $0.contains("api=pulse") && $0.contains(" pid=") })
        for (child, stream) in [(native, first), (pulse, second)] {
            child.send(SIGKILL)
            #expect(controller.events.wait { $0.contains("gone \(stream)") })
        }
        controller.send("hold \(first) 0")
        #expect(controller.events.wait { $0.contains("refused \(first) reason=no%20such%20stream") })
        controller.endInput()
        #expect(controller.reap() == 0)
    }

    @Test("Malformed input is reported and does no harm")
    func malformedInput() throws {
        let desktop = try ForeignDesktop()
        let program = try desktop.play()
        defer { program.send(SIGKILL) }
        let controller = try StreamController.serving(on: desktop)
        let stream = try controller.stream("state=running", "node=pw-play")
        for line in [
            "", " ", "level", "level \(stream)", "level \(stream) 121 0", "level \(stream) -1 0",
            "level \(stream) nan 0",
            "level \(stream) 1e1 0", "level \(stream) 1. 0", "level \(stream) 14 60001", "level \(stream) 14 0 0",
            "hold \(stream)", "hold \(stream) -1", "hold 18446744073709551616 0", "hold  \(stream) 0",
            "Hold \(stream) 0", "detect \(stream)", "detect \(stream) 50", "detect \(stream) silence 0",
            "detect \(stream) off 0", "detect x off", "detect \(stream) 121 0",
            String(repeating: "x", count: 8_192), String(repeating: "x", count: 100_000), "hold\0 \(stream) 0",
            "\u{FFFF}",
        ] {
            let before = controller.events.noted.count
            controller.send(line)
            #expect(
                controller.events.wait { $0.dropFirst(before).contains { $0.hasPrefix("malformed reason=") } },
                "'\(line.prefix(80))'")
        }
        var random = SeededGenerator(seed: TestSeed.current)
        let words = [
            "level", "hold", "detect", "off", "\(stream)", "0", "14", "silence", "999999", "1e9", "-1", "\0", "%", "",
        ]
        for _ in 0..<TestLength.times(3_000, long: 100_000) {
            let count = Int.random(in: 0..<6, using: &random)
            let line = (0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ")
            var bytes = Array(line.utf8)
            if Bool.random(using: &random) {
                for _ in 0..<Int.random(in: 0..<9, using: &random) {
                    bytes.append(UInt8.random(in: 0...255, using: &random))
                }
            }
            controller.write(bytes + [UInt8(ascii: "\n")])
        }
        let recording = try desktop.record()
        #expect(controller.reaches("level \(stream) 0 0"), "seed \(TestSeed.current)")
        #expect(recording.waitsForUnity())
        controller.endInput()
        #expect(controller.reap() == 0)
    }

    @Test("A parent that reads no events, or closes their pipe, gets its streams freed")
    func unreadEvents() throws {
        let desktop = try ForeignDesktop()
        let program = try desktop.play()
        defer { program.send(SIGKILL) }
        let finder = try StreamController.serving(on: desktop)
        let stream = try finder.stream("state=running", "node=pw-play")
        finder.endInput()
        #expect(finder.reap() == 0)
        let recording = try desktop.record()

        let unread = try StreamController(on: desktop, readsEvents: false)
        unread.send("hold \(stream) 0")
        try #require(recording.waitsForSilence())
        // Less than what makes both pipes full, at a time: the controller goes on reading.
        for _ in 0..<40_000 { unread.send("?") }
        #expect(unread.reap() == 75)
        #expect(recording.waitsForUnity())

        let closed = try StreamController(on: desktop, readsEvents: false)
        closed.send("hold \(stream) 0")
        try #require(recording.waitsForSilence())
        closed.closeOutput()
        #expect(closed.reap() == 74)
        #expect(recording.waitsForUnity())
        #expect(try desktop.volumes("softVolumes", serial: stream) == [1, 1])
    }

    @Test("One process serves with a journal; exit statuses say what was wrong")
    func exitStatuses() throws {
        let desktop = try ForeignDesktop()
        let journal = desktop.folder.file("a.journal")
        func run(_ arguments: String...) throws -> (status: Int32, output: String) {
            try desktop.run(Self.program, arguments)
        }
        let controller = try StreamController.serving(on: desktop, ["--journal", journal])
        #expect(try run("--journal", journal).status == 75)
        let repair = try run("--repair", "--journal", journal)
        #expect(repair.status == 0 && repair.output.contains("nothing to repair"))
        #expect(try run("--repair").status == 0)
        #expect(try run("--nonsense").status == 64)
        #expect(try run("--help").output.contains("exit status:"))
        controller.endInput()
        #expect(controller.reap() == 0)
        #expect(try run("--journal", "/dev/null/journal").status == 73)

        try "audiosession-hand 1\ncore 1\n77 hold\n".write(toFile: journal, atomically: true, encoding: .utf8)
        let lost = try run("--repair", "--journal", journal, "--remote", "nobody")
        #expect(lost.status == 69 && FileManager.default.fileExists(atPath: journal))
        #expect(try run("--repair", "--journal", journal).status == 0, "Another PipeWire wrote it.")
        #expect(!FileManager.default.fileExists(atPath: journal))
        try "malformed\n".write(toFile: journal, atomically: true, encoding: .utf8)
        #expect(try run("--repair", "--journal", journal).status == 0)
        // Standard input is /dev/null, which has ended.
        #expect(try run("--journal", journal).status == 0)
    }

    @Test("While nothing is altered, the process sleeps")
    func wakeUps() throws {
        let desktop = try ForeignDesktop()
        let program = try desktop.play()
        defer { program.send(SIGKILL) }
        let controller = try StreamController.serving(on: desktop)
        let stream = try controller.stream("state=running", "node=pw-play")
        try #require(controller.reaches("hold \(stream) 0"))
        try #require(controller.reaches("level \(stream) 0 10"))
        let recording = try desktop.record()
        try #require(recording.waitsForUnity())
        func wakeUps() -> Int {
            let lines = readText("/proc/\(controller.identifier)/status").split(separator: "\n")
            return lines.first { $0.hasPrefix("voluntary_ctxt_switches") }
                .flatMap { Int($0.split(separator: "\t").last ?? "") } ?? -1
        }
        // An event of PipeWire wakes it too: one quiet second of five is enough.
        let isAsleep = (0..<5).contains { _ in
            let before = wakeUps()
            return recording.waits(frames: 48_000) && before >= 0 && wakeUps() == before
        }
        #expect(isAsleep)
    }

    @Test("Without PipeWire and a reader, the controller exits with 74")
    func nobodyThere() throws {
        let folder = try TemporaryDirectory()
        var descriptors: [Int32] = [-1, -1]
        try #require(pipe(&descriptors) == 0)
        let (output, errors) = (descriptors[1], open("/dev/null", O_WRONLY | O_CLOEXEC))
        defer { for descriptor in [output, errors] { close(descriptor) } }
        close(descriptors[0])
        let child = try ChildProcess(
            BuiltProgram.path("audiosession-hand"), [],
            environment: ["XDG_RUNTIME_DIR": folder.path, "PIPEWIRE_RUNTIME_DIR": folder.path],
            printingTo: (output, errors))
        #expect(child.waitForEnd(seconds: 30))
        #expect(child.reap() == 74)
    }
}
