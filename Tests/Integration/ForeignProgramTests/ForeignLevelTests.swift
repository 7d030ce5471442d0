import Foundation
import TestSupport
import Testing

/// Lowered streams, by the samples that a sink plays.
@Suite("foreign programs: level", .serialized)
struct ForeignLevelTests {
    private static let ducked: Float = 0.199_526_23  // −14 dB

    @Test(
        "A stream is lowered by 14 dB in steps that only fall, and comes back to every bit",
        arguments: ForeignDesktop.Interface.allCases)
    func duck(_ interface: ForeignDesktop.Interface) throws {
        let desktop = try ForeignDesktop(pulse: interface == .pulse)
        let program = try desktop.play(interface)
        defer { program.send(SIGKILL) }
        let controller = try StreamController.serving(on: desktop)
        let stream = try controller.stream("direction=output", "api=\(interface)", "state=running")
        let recording = try desktop.record()
        try #require(recording.waitsForUnity())
        let begin = recording.count
        try #require(controller.reaches("level \(stream) 14 150"))
        try #require(recording.waits { abs($0.gain - Self.ducked) < 1e-5 })
        #expect(try desktop.volumes("channelVolumes", serial: stream) == [1, 1])
        let low = recording.count
        try #require(controller.reaches("level \(stream) 0 150"))
        try #require(recording.waitsForUnity())
        let frames = recording.frames(from: begin)
        let falling = frames[..<(low - begin)].filter { !$0.isSilent }.map(\.gain)
        let rising = frames[(low - begin)...].filter { !$0.isSilent }.map(\.gain)
        #expect(zip(falling, falling.dropFirst()).allSatisfy { $1 <= $0 + 1e-5 })
        #expect(zip(rising, rising.dropFirst()).allSatisfy { $1 >= $0 - 1e-5 })
        #expect(Set(falling.map { ($0 * 1_000).rounded() }).count >= 3, "It has no ramp.")
        #expect(frames.map(\.gain).filter { $0 > 0 }.min().map { abs($0 - Self.ducked) < 1e-5 } == true)
        #expect(try desktop.volumes("softVolumes", serial: stream) == [1, 1])
        #expect(!FileManager.default.fileExists(atPath: desktop.folder.file("audiosession/streams.journal")))
    }

    @Test("A fader that the user moves keeps the stream lowered, and keeps its new place")
    func fader() throws {
        let desktop = try ForeignDesktop()
        let program = try desktop.play()
        defer { program.send(SIGKILL) }
        let controller = try StreamController.serving(on: desktop)
        let stream = try controller.stream("direction=output", "state=running")
        let recording = try desktop.record()
        try #require(recording.waitsForUnity())
        try #require(controller.reaches("level \(stream) 14 50"))
        try desktop.setFader(0.5, serial: stream)
        #expect(recording.waits { abs($0.gain - Self.ducked / 2) < 1e-5 })
        try desktop.setFader(1, serial: stream)
        #expect(recording.waits { abs($0.gain - Self.ducked) < 1e-5 })
        try desktop.setFader(0.25, serial: stream)
        try #require(controller.reaches("level \(stream) 0 50"))
        #expect(recording.waits { $0.gain == 0.25 })
        #expect(try desktop.volumes("channelVolumes", serial: stream) == [0.25, 0.25])
    }

    @Test("A program that was stopped delays no other stream, and is freed once it continues")
    func stoppedProgram() throws {
        let desktop = try ForeignDesktop()
        let stopped = try desktop.play()
        defer { stopped.send(SIGKILL) }
        let controller = try StreamController.serving(on: desktop)
        let first = try controller.stream("state=running", "pid=\(stopped.identifier)")
        let other = try desktop.play()
        defer { other.send(SIGKILL) }
        let second = try controller.stream("state=running", "pid=\(other.identifier)")
        for stream in [first, second] { try #require(controller.reaches("level \(stream) 20 0")) }
        stopped.send(SIGSTOP)
        controller.send("level \(first) 30 0")
        #expect(controller.reaches("level \(second) 30 50"))
        controller.endInput()
        #expect(controller.reap() == 75)
        #expect(try desktop.volumes("softVolumes", serial: second) == [1, 1])
        let journal = try String(contentsOfFile: desktop.folder.file("audiosession/streams.journal"), encoding: .utf8)
        #expect(journal.contains("\(first) level") && !journal.contains("\(second) "))
        other.send(SIGKILL)
        other.reap()
        stopped.send(SIGCONT)
        let recording = try desktop.record()
        #expect(recording.waitsForUnity())
    }

    @Test("WirePlumber stores nothing of what is lowered and held")
    func storedVolumes() throws {
        let desktop = try ForeignDesktop(pulse: true)
        let program = try desktop.play(.pulse)
        defer { program.send(SIGKILL) }
        let controller = try StreamController.serving(on: desktop)
        let stream = try controller.stream("api=pulse", "state=running")
        // WirePlumber writes some time after a change: the change of a fader marks the moment.
        func stored(_ mark: Float) throws -> String {
            try desktop.setFader(mark, serial: stream)
            let text = "\(mark)"
            guard eventually({ desktop.storedStreams.contains("\(text.prefix(6))") }) else {
                throw TestFailure("WirePlumber did not store \(mark): \(desktop.storedStreams)")
            }
            return desktop.storedStreams
        }
        let before = try stored(0.5)
        #expect(!desktop.storedVolumes.isEmpty)
        try #require(controller.reaches("level \(stream) 14 20"))
        try #require(controller.reaches("hold \(stream) 20"))
        try #require(controller.reaches("level \(stream) 0 20"))
        _ = try stored(0.625)
        #expect(try entries(stored(0.5)) == entries(before))
    }

    /// The lines of WirePlumber's file. 0.5 stores JSON objects, whose keys it writes in any order:
    /// they are sorted here.
    private func entries(_ text: String) throws -> [String] {
        try text.split(separator: "\n").map { line in
            guard let brace = line.firstIndex(of: "{") else { return String(line) }
            let object = try JSONSerialization.jsonObject(with: Data(line[brace...].utf8))
            let sorted = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
            return line[..<brace] + String(decoding: sorted, as: UTF8.self)
        }
    }
}
