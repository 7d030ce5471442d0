import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import JackDriver
import TestSupport
import Testing

extension RealServers {
    /// Sessions on servers whose sample rates differ from those of their files.
    @Suite(
        "Sample rates of servers and of files",
        .jackdOnly("The managed server is a jackd; PipeWire has tests of its own."))
    struct SessionRateTests {
        let name: ServerName
        let directory: TemporaryDirectory

        init() throws {
            name = try ServerName()
            directory = try TemporaryDirectory()
        }

        /// Writes 10 s: a sine of 440 Hz on the left channel, and frames that encode their index on
        /// the right.
        private func write(sampleRate: Int) throws -> String {
            let frames = sampleRate * 10
            let sine = Signal.sine(frequency: 440, sampleRate: sampleRate, frames: frames)
            try SoundFile.write(
                [sine, Signal.counting(frames: frames)], sampleRate: sampleRate, to: directory.file("a.wav"))
            return directory.file("a.wav")
        }

        /// Captures the next `frames` of the session's engine.
        private func capture(_ session: AudioSession, frames: Int) throws -> [[Float]] {
            let path = directory.file("capture.wav")
            try session.engine.startCapture(path: path)
            let ends = EventLog<Bool>()
            let silence = try AudioBuffer([[Float](repeating: 0, count: frames)])
            try session.engine.play(.buffer(silence), on: session.bus) { _ in ends.note(true) }
            #expect(ends.wait(limit: 20) { !$0.isEmpty })
            let summary = try #require(session.engine.stopCapture())
            #expect(summary.failure == nil)
            return try SoundFile.read(path).planes
        }

        @Test(
            "HW-2, HW-3, HW-5: a request changes the managed server's sample rate during playback; pitch and playhead stay"
        )
        func managed() throws {
            let server = ManagedServer(
                name: name.text, sampleRate: 48_000, periodFrames: 256, device: .none, idleExit: 1)
            let host = AudioSessionHost(
                driver: JackDriver(
                    configuration: .init(server: .managed, clientName: "rate-test", managedServer: server)))
            let session = try AudioSession(host: host)
            try session.setCategory(.playback)
            let player = try AudioPlayer(path: try write(sampleRate: 48_000), session: session)
            try player.play()
            #expect(session.sampleRate == 48_000)
            _ = try capture(session, frames: 24_000)
            for rate in [44_100, 96_000] {
                let before = player.currentTime * 48_000
                try session.setPreferredSampleRate(Double(rate))
                #expect(session.sampleRate == Double(rate))
                let planes = try capture(session, frames: rate / 2)
                let after = player.currentTime * 48_000
                let pitch = Signal.frequency(of: Array(planes[0].prefix(rate / 2)), near: 440, sampleRate: rate)
                #expect(Signal.cents(pitch, 440) < 1)
                // Every frame is as far ahead as the ratio of the rates requires: nothing is
                // omitted, repeated or inserted.
                let places = planes[1].map { Double($0) * 1_048_576 - 1 }
                let step = 48_000 / Double(rate)
                let begin = try #require(places.first)
                #expect(before <= begin && begin < after)
                for (frame, place) in places.enumerated().prefix(rate / 2) {
                    guard abs(place - begin - Double(frame) * step) > 0.5 else { continue }
                    Issue.record("At \(rate) Hz, frame \(frame) is \(place) and not \(begin + Double(frame) * step).")
                    break
                }
            }
            #expect(player.underrunFrames == 0)
            try session.setActive(false)
            #expect(session.sampleRate == 48_000, "restored")
            let control = try #require(ControlPeer.path(of: name.text))
            let process = try #require(try ControlPeer(control).process)
            host.close()
            kill(process, SIGTERM)
            try ChildProcess.run("tail", ["--pid=\(process)", "-s", "0.02", "-f", "/dev/null"])
        }

        @Test(
            "HW-1, HW-3: with a server that keeps its rate, the preferred value is not reported as actual, and the file keeps its pitch"
        )
        func outside() throws {
            let jackd = try JackServer(name)
            defer { jackd.stop() }
            let host = AudioSessionHost(
                driver: JackDriver(configuration: .init(server: .named(name.text), clientName: "rate-test")))
            let session = try AudioSession(host: host)
            try session.setCategory(.playback)
            try session.setPreferredSampleRate(44_100)
            let player = try AudioPlayer(path: try write(sampleRate: 44_100), session: session)
            try player.play()
            #expect(session.sampleRate == 48_000 && session.preferredSampleRate == 44_100)
            _ = try capture(session, frames: 4800)
            let planes = try capture(session, frames: 24_000)
            let pitch = Signal.frequency(of: Array(planes[0].prefix(24_000)), near: 440, sampleRate: 48_000)
            #expect(Signal.cents(pitch, 440) < 1)
            host.close()
        }
    }
}
