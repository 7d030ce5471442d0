import AudioRendering
import AudioSessions
import TestRandom
import Testing

@testable import InterAppAudio

/// Remote commands as MIDI Machine Control.
@Suite("MIDI Machine Control")
struct MachineControlTests {
    @Test(
        "Commands have the bytes of the standard",
        arguments: [
            (RemoteCommand.play, [0x7F, 0x7F, 0x06, 0x02]), (.pause, [0x7F, 0x7F, 0x06, 0x09]),
            (.stop, [0x7F, 0x7F, 0x06, 0x01]),
            // 01:02:03, frame 15 of 30.
            (.seek(to: 3_723.5), [0x7F, 0x7F, 0x06, 0x44, 0x06, 0x01, 0x61, 0x02, 0x03, 0x0F, 0x00]),
        ] as [(RemoteCommand, [UInt8])])
    func bytes(command: RemoteCommand, bytes: [UInt8]) {
        #expect(MachineControl.message(of: command) == .systemExclusive(bytes))
        #expect(MachineControl.command(of: .systemExclusive(bytes)) == command)
    }

    @Test("Commands without a message, and times out of range, have none")
    func none() {
        for command: RemoteCommand in [
            .nextTrack, .togglePlayPause, .seek(to: -0.1), .seek(to: 86_400), .seek(to: .nan), .seek(to: .infinity),
        ] {
            #expect(MachineControl.message(of: command) == nil)
        }
    }

    @Test("Any time returns within a hundredth of a frame, and never as a later one")
    func times() throws {
        var random = SeededGenerator(seed: TestSeed.current)
        for _ in 0..<10_000 {
            let seconds = Double(random.below(86_400_000)) / 1_000
            let message = try #require(MachineControl.message(of: .seek(to: seconds)))
            #expect(message.isValid)
            guard case .seek(let read)? = MachineControl.command(of: message) else {
                Issue.record("\(message) is no seek")
                return
            }
            #expect(read <= seconds + 1e-9 && read > seconds - 1 / 2_999)
        }
    }

    @Test("Other devices' ids and frame rates are read; other messages, and damaged ones, are no commands")
    func foreign() {
        func command(_ bytes: [UInt8]) -> RemoteCommand? { MachineControl.command(of: .systemExclusive(bytes)) }
        #expect(command([0x7F, 0x10, 0x06, 0x03]) == .play)
        #expect(command([0x7F, 0x7F, 0x06, 0x44, 6, 1, 0x21, 0, 0, 5, 0]) == .seek(to: 3_600.2))
        for bytes: [UInt8] in [
            [], [0x7F], [0x7F, 0x7F, 0x06], [0x7F, 0x7F, 0x07, 0x02], [0x7E, 0x7F, 0x06, 0x02],
            [0x7F, 0x7F, 0x06, 0x02, 0x00], [0x7F, 0x7F, 0x06, 0x44], [0x7F, 0x7F, 0x06, 0x44, 6, 1, 0, 0, 0, 0],
            [0x7F, 0x7F, 0x06, 0x44, 6, 1, 0x18, 0, 0, 0, 0], [0x7F, 0x7F, 0x06, 0x44, 6, 1, 0, 60, 0, 0, 0],
            [0x7F, 0x7F, 0x06, 0x44, 6, 1, 0, 0, 0, 0, 100], [0x7F, 0x7F, 0x06, 0x44, 5, 1, 0, 0, 0, 0, 0],
        ] {
            #expect(command(bytes) == nil, "\(bytes)")
        }
        #expect(MachineControl.command(of: .start) == nil)
        var random = SeededGenerator(seed: TestSeed.current)
        for _ in 0..<10_000 {
            let bytes = (0..<random.below(14)).map { _ in UInt8(random.below(128)) }
            _ = command([0x7F, 0x7F, 0x06, 0x44] + bytes)
            _ = command(bytes)
        }
    }
}
