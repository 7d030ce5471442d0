import Foundation
import TestSupport
import Testing

/// Whether streams are audible, as the stream controller hears them.
@Suite("foreign programs: detection", .serialized)
struct ForeignDetectionTests {
    /// Waits for an event, after the first `before` ones.
    private func waits(_ controller: StreamController, for event: String, after before: Int) -> Bool {
        controller.events.wait { $0.dropFirst(before).contains(event) }
    }

    /// Whether nothing of a tap is left in PipeWire.
    private func hasNoTap(_ desktop: ForeignDesktop) throws -> Bool {
        try eventually {
            try !desktop.run("pw-link", ["-iol"]).output.contains("audiosession-hand")
                && !desktop.run("pw-cli", ["ls", "Node"]).output.contains("audiosession-hand")
        }
    }

    @Test("A stream is audible while it sounds, and not while it only runs")
    func announcements() throws {
        let desktop = try ForeignDesktop()
        let program = try desktop.speak()
        defer { program.send(SIGKILL) }
        let controller = try StreamController.serving(on: desktop)
        let stream = try controller.stream("state=running", "node=pw-play")
        controller.send("detect \(stream) 50 300")
        let expected = (0..<3).flatMap { _ in ["audible \(stream)", "inaudible \(stream)"] }
        #expect(
            controller.events.wait { lines in
                let states = lines.filter { $0.contains("audible") }
                return states.suffix(6) == expected && states.count <= 8
            })
        controller.send("detect \(stream) off")
        #expect(try hasNoTap(desktop))
        controller.endInput()
        #expect(controller.reap() == 0)
    }

    @Test("A stream that is lowered, faded down by its user, or paused and released is heard; a silenced one is not")
    func lowered() throws {
        let desktop = try ForeignDesktop()
        let program = try desktop.play()
        defer { program.send(SIGKILL) }
        let controller = try StreamController.serving(on: desktop)
        let stream = try controller.stream("state=running", "node=pw-play")
        var before = controller.events.noted.count
        controller.send("detect \(stream) 50 200")
        try #require(waits(controller, for: "audible \(stream)", after: before))
        before = controller.events.noted.count
        try #require(controller.reaches("level \(stream) 60 100"))
        let recording = try desktop.record()
        try #require(recording.waits { abs($0.gain - 0.001) < 1e-5 })
        // For longer than the hold.
        try #require(recording.waits(frames: 24_000))
        #expect(!controller.events.noted.dropFirst(before).contains("inaudible \(stream)"))
        for command in ["level \(stream) silence 50", "hold \(stream) 50"] {
            before = controller.events.noted.count
            try #require(controller.reaches(command))
            #expect(waits(controller, for: "inaudible \(stream)", after: before))
            before = controller.events.noted.count
            try #require(controller.reaches("level \(stream) 20 50"))
            #expect(waits(controller, for: "audible \(stream)", after: before))
        }
        // The user's own fader counts: 14 dB below the threshold, and 6 above it.
        before = controller.events.noted.count
        try desktop.setFader(0.001, serial: stream)
        #expect(waits(controller, for: "inaudible \(stream)", after: before))
        try desktop.setFader(0.02, serial: stream)
        #expect(waits(controller, for: "audible \(stream)", after: before))
    }

    @Test("A tap neither records for mixers nor is a stream of its own, and keeps no stream running")
    func invisible() throws {
        let desktop = try ForeignDesktop(pulse: true)
        let program = try desktop.mpv()
        defer { program.send(SIGKILL) }
        let controller = try StreamController.serving(on: desktop)
        let stream = try controller.stream("state=running", "node=mpv")
        controller.send("detect \(stream) 50 200")
        try #require(controller.events.wait { $0.contains("audible \(stream)") })
        #expect(try desktop.run("pactl", ["list", "short", "source-outputs"]).output == "")
        let other = try StreamController.serving(on: desktop, ["--journal", desktop.folder.file("other.journal")])
        for events in [controller.events.noted, other.events.noted] {
            #expect(!events.contains { $0.contains("node=audiosession-hand") })
        }
        try desktop.run("playerctl", ["pause"])
        #expect(controller.events.wait { $0.last { $0.hasPrefix("stream ") }?.contains("state=idle") == true })
        // Other events of the stream, such as its state, may follow.
        func hears(_ last: String) -> Bool {
            controller.events.wait { $0.last { $0.hasSuffix("audible \(stream)") } == "\(last) \(stream)" }
        }
        #expect(hears("inaudible"))
        try desktop.run("playerctl", ["play"])
        #expect(hears("audible"))
    }

    @Test("Links of the tap that others remove are made again")
    func unlinked() throws {
        let desktop = try ForeignDesktop()
        let program = try desktop.speak()
        defer { program.send(SIGKILL) }
        let controller = try StreamController.serving(on: desktop)
        let stream = try controller.stream("state=running", "node=pw-play")
        controller.send("detect \(stream) 50 200")
        for _ in 0..<3 {
            var before = controller.events.noted.count
            try #require(waits(controller, for: "audible \(stream)", after: before))
            before = controller.events.noted.count
            for (output, input) in [("FL", 1), ("FL", 2), ("FR", 1), ("FR", 2)] {
                try desktop.run("pw-link", ["-d", "pw-play:output_\(output)", "audiosession-hand:input_\(input)"])
            }
            #expect(waits(controller, for: "inaudible \(stream)", after: before))
        }
        #expect(!controller.events.noted.contains { $0.hasPrefix("undetected") })
    }

    @Test("What cannot be detected is reported, and a stream that ends takes its tap with it")
    func ends() throws {
        let desktop = try ForeignDesktop()
        let controller = try StreamController.serving(on: desktop)
        controller.send("detect 99999 50 800")
        #expect(controller.events.wait { $0.contains("undetected 99999 reason=no%20such%20stream") })
        controller.send("detect 99999 off")
        let recorder = try desktop.record()
        let input = try controller.stream("direction=input")
        controller.send("detect \(input) 50 800")
        #expect(controller.events.wait { $0.contains("undetected \(input) reason=the%20stream%20records") })
        withExtendedLifetime(recorder) {}
        for _ in 0..<5 {
            let program = try desktop.play()
            let stream = try controller.stream("pid=\(program.identifier)")
            controller.send("detect \(stream) 50 200")
            program.send(SIGKILL)
            #expect(controller.events.wait { $0.contains("gone \(stream)") })
            #expect(try hasNoTap(desktop))
        }
    }

    @Test("A kill of the controller leaves no tap, and disturbs nobody; nor does one that hangs")
    func killed() throws {
        let desktop = try ForeignDesktop()
        let program = try desktop.play()
        defer { program.send(SIGKILL) }
        let recording = try desktop.record()
        try #require(recording.waitsForUnity())
        for round in 0..<TestLength.times(4, long: 100) {
            let controller = try StreamController.serving(on: desktop)
            let stream = try controller.stream("state=running", "node=pw-play")
            controller.send("detect \(stream) 50 200")
            try #require(controller.events.wait { $0.contains("audible \(stream)") })
            if round % 2 == 1 {
                controller.signal(SIGSTOP)
                let begin = recording.count
                try #require(recording.waits(frames: 24_000))
                let positions = recording.frames(from: begin).filter { $0.gain == 1 }.map(\.position)
                #expect(Set(positions).count > 12_000, "The program plays on.")
            }
            controller.signal(SIGKILL)
            _ = controller.reap()
            #expect(try hasNoTap(desktop))
            #expect(recording.waitsForUnity())
        }
    }

    @Test("When PipeWire is killed, the controller exits, and closes its taps")
    func pipeWireKilled() throws {
        let desktop = try ForeignDesktop()
        let program = try desktop.play()
        defer { program.send(SIGKILL) }
        let controller = try StreamController.serving(on: desktop)
        let stream = try controller.stream("state=running", "node=pw-play")
        controller.send("detect \(stream) 50 200")
        try #require(controller.events.wait { $0.contains("audible \(stream)") })
        desktop.killPipeWire()
        #expect(controller.reap() == 69)
    }
}
