import Foundation
import TestSupport
import Testing

/// Held streams, by the samples that a sink plays.
@Suite("foreign programs: hold", .serialized)
struct ForeignHoldTests {
    /// The most frames that may pass in silence as a stream is held or moved, on a loaded machine.
    private static let passing = 16_384

    @Test(
        "A held stream stays at its frame and goes on from there", arguments: ForeignDesktop.Interface.allCases)
    func hold(_ interface: ForeignDesktop.Interface) throws {
        let desktop = try ForeignDesktop(pulse: interface == .pulse)
        let program = try desktop.play(interface)
        defer { program.send(SIGKILL) }
        let controller = try StreamController.serving(on: desktop)
        let stream = try controller.stream("direction=output", "state=running")
        let recording = try desktop.record()
        try #require(recording.waitsForUnity())
        let begin = recording.count
        try #require(controller.reaches("hold \(stream) 60"))
        try #require(recording.waitsForSilence())
        try #require(recording.waits(frames: 2 * 48_000))
        try #require(controller.reaches("level \(stream) 0 0"))
        try #require(recording.waitsForUnity())
        let frames = recording.frames(from: begin)
        let silence = frames.longestSilence
        let advance = try #require(frames.advance(across: silence))
        #expect(silence.count >= 2 * 48_000)
        #expect(advance < Self.passing, "The stream went on by \(advance) frames.")
        #expect(try desktop.volumes("softVolumes", serial: stream) == [1, 1])
    }

    @Test("A held stream leaves other streams alone, to every frame")
    func otherStream() throws {
        let desktop = try ForeignDesktop()
        let program = try desktop.play()
        defer { program.send(SIGKILL) }
        let controller = try StreamController.serving(on: desktop)
        let held = try controller.stream("state=running", "pid=\(program.identifier)")
        try #require(controller.reaches("hold \(held) 0"))
        let other = try desktop.play()
        defer { other.send(SIGKILL) }
        let recording = try desktop.record()
        #expect(recording.waitsForUnity())
        // PipeWire may skip a cycle on a loaded machine: one good second of ten is enough.
        let isWhole = (0..<10).contains { _ in
            let begin = recording.count
            guard recording.waits(frames: 48_000) else { return false }
            let frames = Array(recording.frames(from: begin).prefix(48_000))
            return frames.allSatisfy { $0.gain == 1 } && frames.breaks.isEmpty
        }
        #expect(isWhole)
    }

    @Test("A held stream that is moved to another sink stays silent and held")
    func relink() throws {
        let desktop = try ForeignDesktop()
        let program = try desktop.play()
        defer { program.send(SIGKILL) }
        let controller = try StreamController.serving(on: desktop)
        let stream = try controller.stream("state=running", "pid=\(program.identifier)")
        let recording = try desktop.record()
        try #require(recording.waitsForUnity())
        let begin = recording.count
        try #require(controller.reaches("hold \(stream) 20"))
        try #require(recording.waitsForSilence())
        let node = try desktop.nodeIdentifier(serial: stream)
        for (number, sink) in ["other", "sink", "other", "sink"].enumerated() {
            try desktop.run("pw-metadata", ["\(node)", "target.node", "\(nodeIdentifier(desktop, sink))"])
            try #require(
                try eventually {
                    try desktop.run("pw-link", ["--links"]).output.contains("\(sink):playback_FL\n  |<- pw-play")
                }, "move \(number)")
            try #require(recording.waits(frames: 24_000))
        }
        let frames = recording.frames(from: begin)
        let silence = frames.longestSilence
        #expect(silence.upperBound == frames.count, "It was heard.")
        try #require(controller.reaches("level \(stream) 0 0"))
        try #require(recording.waitsForUnity())
        let all = recording.frames(from: begin)
        let advance = try #require(all.advance(across: all.longestSilence))
        #expect(advance < 3 * Self.passing, "The stream went on by \(advance) frames.")
    }

    private func nodeIdentifier(_ desktop: ForeignDesktop, _ name: String) throws -> Int {
        var identifier: Int?
        for line in try desktop.run("pw-cli", ["ls", "Node"]).output.split(separator: "\n") {
            if let match = line.firstMatch(of: /id (\d+), type/) { identifier = Int(match.1) }
            if line.contains("node.name = \"\(name)\""), let identifier { return identifier }
        }
        throw TestFailure("There is no node '\(name)'.")
    }

    @Test("A JACK client, which has no volume, is held at its frame and goes on at the next one")
    func jack() throws {
        let desktop = try ForeignDesktop()
        let device = try ChildProcess(
            "pw-jack",
            [
                BuiltProgram.path("audiosession-device"), "--name", "counter", "--type", "headphones", "--inputs", "1",
                "--outputs", "0", "--ramp",
            ], environment: desktop.environment)
        defer { device.send(SIGKILL) }
        let controller = try StreamController.serving(on: desktop)
        let stream = try controller.stream("api=jack", "node=counter")
        #expect(controller.events.noted.contains { $0.hasPrefix("stream \(stream) ") && $0.hasSuffix("controls=hold") })
        let recording = try desktop.record()
        try #require(try desktop.links("counter:capture_1", "sink:playback_FL"))
        try #require(eventually { recording.left(last: 4_096).allSatisfy { $0 > 0 } && recording.count > 8_192 })
        controller.send("level \(stream) 14 0")
        #expect(
            controller.events.wait {
                $0.contains { $0.hasPrefix("refused \(stream) reason=the%20stream%20has%20no%20volume") }
            })
        // PipeWire may skip a cycle on a loaded machine: one exact return of five is enough.
        let isExact = (0..<5).contains { _ in
            let begin = recording.count
            guard controller.reaches("hold \(stream) 0"), recording.waits(frames: 48_000),
                controller.reaches("level \(stream) 0 0"),
                eventually({ recording.left(last: 4_096).allSatisfy { $0 > 0 } })
            else { return false }
            let frames = recording.left(from: begin)
            let numbers = frames.map { Int(($0 * 1_048_576).rounded()) }.filter { $0 > 0 }
            return frames.count - numbers.count > 40_000
                && zip(numbers, numbers.dropFirst()).allSatisfy { $0 + 1 == $1 }
        }
        #expect(isExact)
    }

    @Test("A player that its program stops while it is released is heard when the program goes on")
    func stoppedMeanwhile() throws {
        let desktop = try ForeignDesktop()
        let player = try desktop.mpv()
        defer { player.send(SIGKILL) }
        let recording = try desktop.record()
        try #require(recording.waitsForUnity())
        let controller = try StreamController.serving(on: desktop)
        let stream = try controller.stream("state=running", "node=mpv")
        for round in 0..<TestLength.times(5, long: 50) {
            try #require(controller.reaches("hold \(stream) 20"))
            // PipeWire receives the pause before the command, which does not know of it.
            desktop.pipeWire.send(SIGSTOP)
            defer { desktop.pipeWire.send(SIGCONT) }
            try desktop.run("playerctl", ["pause"])
            try #require(try eventually { try desktop.run("playerctl", ["status"]).output.contains("Paused") })
            controller.send("level \(stream) silence 0")
            // Longer than the player and the controller need to send their messages.
            poll(nil, 0, 100)
            desktop.pipeWire.send(SIGCONT)
            try #require(controller.reaches("level \(stream) silence 0"))
            try #require(controller.reaches("level \(stream) 0 20"))
            try desktop.run("playerctl", ["play"])
            try #require(recording.waitsForUnity(), "round \(round)")
        }
    }
}
