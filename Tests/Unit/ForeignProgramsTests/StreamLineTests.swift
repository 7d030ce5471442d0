import ForeignPrograms
import TestRandom
import Testing

/// The lines of the stream controller.
@Suite struct StreamLineTests {
    @Test("Events are read, with the values as the controller encodes them")
    func events() {
        let line =
            "stream 47 node=pw-play direction=output state=running api=pulse claimed-pid=33 binary=pw-cat app=My%20Player%25 "
            + "role=Music app-id=org.x media=%C3%A4 channels=2 controls=hold passthrough=1 unknown=x"
        guard case .stream(let stream) = StreamEvent(line: line) else {
            Issue.record("\(line)")
            return
        }
        #expect(stream.id == StreamID(47))
        #expect(stream.isRunning && stream.isPassthrough && !stream.canBeLowered)
        #expect(stream.api == .pulse && stream.direction == .output)
        #expect(stream.process == nil && stream.claimedProcess == 33)
        #expect(stream.application == "My Player%" && stream.applicationID == "org.x" && stream.binary == "pw-cat")
        #expect(stream.role == "Music")
        #expect(
            StreamEvent(line: "ready version=1 pipewire=0.3.65 core=pipewire-0 cookie=4000000000")
                == .ready(version: 1, cookie: 4_000_000_000))
        #expect(StreamEvent(line: "ready version=1") == .ready(version: 1, cookie: nil))
        #expect(StreamEvent(line: "synced") == .synced)
        #expect(StreamEvent(line: "gone 3") == .gone(StreamID(3)))
        #expect(StreamEvent(line: "reached 18446744073709551615") == .reached(StreamID(.max)))
        #expect(StreamEvent(line: "refused 3 reason=no%20such") == .refused(StreamID(3), reason: "no such"))
        #expect(StreamEvent(line: "audible 3") == .audible(StreamID(3)))
        #expect(StreamEvent(line: "inaudible 3") == .inaudible(StreamID(3)))
        #expect(StreamEvent(line: "undetected 3 reason=x") == .undetected(StreamID(3), reason: "x"))
        #expect(StreamEvent(line: "ended reason=x") == .ended(reason: "x"))
    }

    @Test(
        "Other lines are no events",
        arguments: [
            "", " ", "gone", "gone x", "gone -1", "stream", "stream 18446744073709551616", "other 3", "reached=3",
        ])
    func malformed(line: String) {
        #expect(StreamEvent(line: line) == nil)
    }

    @Test("Incomplete escape sequences stay as they are", arguments: ["a%", "a%4", "a%zz", "a%+1b", "a%-1", "%"])
    func escapes(text: String) {
        #expect(StreamEvent(line: "refused 1 reason=\(text)") == .refused(StreamID(1), reason: text))
    }

    @Test("No line crashes the reader")
    func fuzz() {
        var generator = SeededGenerator(seed: TestSeed.current)
        let parts = ["stream", "gone", " ", "=", "%", "4", "7", "pid=", "state=running", "\u{0}", "ü", "-1", "reason"]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<12, using: &generator)
            let line = (0..<count).compactMap { _ in parts.randomElement(using: &generator) }.joined()
            _ = StreamEvent(line: line)
        }
    }

    @Test("Commands are lines")
    func commands() {
        #expect(StreamCommand.level(StreamID(4), attenuation: 14, milliseconds: 150).line == "level 4 14.0 150")
        #expect(StreamCommand.level(StreamID(4), attenuation: nil, milliseconds: 0).line == "level 4 silence 0")
        #expect(StreamCommand.hold(StreamID(4), milliseconds: 60).line == "hold 4 60")
        #expect(StreamCommand.detect(StreamID(4), threshold: 50, milliseconds: 800).line == "detect 4 50.0 800")
        #expect(StreamCommand.endDetection(StreamID(4)).line == "detect 4 off")
    }
}
