import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import JackDriver
import SessionArbiter
import TestSupport
import Testing

extension RealServers {
    /// System sounds on a real server (PLAY-4).
    @Suite("System sounds on real ports", .serialized)
    struct RealSystemSoundTests {
        private static let samples = Signal.counting(frames: 20_000)
        private let directory: TemporaryDirectory

        init() throws {
            directory = try TemporaryDirectory()
            try SoundFile.write([Self.samples], sampleRate: 48_000, to: directory.file("sound.wav"))
        }

        private func host(_ name: ServerName) -> AudioSessionHost {
            AudioSessionHost(
                driver: JackDriver(
                    configuration: .init(server: .named(name.text), clientName: "sounds", inputs: nil)),
                settings: ArbiterSettings())
        }

        /// A server whose cycles wait for all clients, so that none is missed on a busy machine.
        private func server(_ name: ServerName) throws -> JackServer {
            try JackServer(name, sampleRate: 48_000, periodFrames: 1_024, arguments: JackServer.synchronous)
        }

        /// Plays a sound to its end; returns the error.
        private func play(_ sound: SystemSound) -> String? {
            let endings = EventLog<String?>()
            sound.play { endings.note($0.map { "\($0)" }) }
            return endings.wait { !$0.isEmpty } ? endings.noted[0] : "no end"
        }

        /// Returns the samples that a device received, without the silence around them.
        private func heard(by device: VirtualDevice) throws -> [Float] {
            let all = try device.captured()[0]
            guard let first = all.firstIndex(where: { $0 != 0 }), let last = all.lastIndex(where: { $0 != 0 }) else {
                return []
            }
            return Array(all[first...last])
        }

        /// Whether a device has received a sound, and silence after it.
        private func hasHeard(_ device: VirtualDevice) throws -> Bool {
            let all = try device.captured()[0]
            return all.lastIndex { $0 != 0 }.map { all.count - $0 > 8_192 } ?? false
        }

        @Test("PLAY-4: the first sound of an app connects to the server and is heard, without a session, bit for bit")
        func first() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let speaker = try VirtualDevice(
                "Speaker", kind: .builtInSpeaker, on: server.environment, captures: true)
            let host = host(name)
            defer { host.close() }
            let sound = try SystemSound(path: directory.file("sound.wav"), host: host)
            #expect(play(sound) == nil)
            #expect(try eventually { try hasHeard(speaker) })
            let samples = try heard(by: speaker)
            if TestServer.current.isJackd {
                #expect(Signal.firstDifference(samples, Self.samples) == nil)
            } else {
                // PipeWire skips late clients: the app, or the device, whose recording is then
                // shorter.
                #expect(samples.count > Self.samples.count / 2)
                #expect(
                    Signal.firstBreak(inCounting: samples, cycle: 1_024, mayMissCycles: true) == nil)
            }
        }

        @Test("PLAY-4, SRV-1, SRV-2: a sound ends with its server; one without a server says so; the next one is heard")
        func lostServer() throws {
            let name = try ServerName()
            let server = try server(name)
            let host = host(name)
            defer { host.close() }
            try SoundFile.write(
                [[Float](repeating: 0.25, count: 480_000)], sampleRate: 48_000, to: directory.file("long.wav"))
            let long = try SystemSound(path: directory.file("long.wav"), host: host)
            let endings = EventLog<String?>()
            long.play { endings.note($0.map { "\($0)" }) }
            #expect(eventually { (try? host.engineCycles > 10) == true })
            server.kill()
            #expect(endings.wait { !$0.isEmpty })
            #expect(endings.noted.first??.contains("cut off") == true)
            let sound = try SystemSound(path: directory.file("sound.wav"), host: host)
            let error = play(sound)
            #expect(error?.contains("server") == true, "\(error ?? "none")")
            let next = try self.server(name)
            defer { next.stop() }
            let speaker = try VirtualDevice("Speaker", kind: .builtInSpeaker, on: next.environment, captures: true)
            #expect(eventually { play(sound) == nil })
            #expect(try eventually { try heard(by: speaker).contains(Self.samples[10_000]) })
            #expect(try !heard(by: speaker).contains(0.25), "the rest of the lost sound is not heard")
        }

        /// Plays the sound until a device has received it, as often as a busy machine needs;
        /// returns whether it has.
        private func isHeard(_ sound: SystemSound, by device: VirtualDevice) throws -> Bool {
            func count() throws -> Int { try device.captured()[0].count { $0 == Self.samples[10_000] } }
            let before = try count()
            return try eventually { try play(sound) == nil && count() > before }
        }

        @Test("PLAY-4: the system sounds of an app follow the route to a device that is plugged in")
        func route() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let host = host(name)
            defer { host.close() }
            let sound = try SystemSound(path: directory.file("sound.wav"), host: host)
            #expect(play(sound) == nil)
            let ears = try VirtualDevice("Ears", kind: .headphones, on: server.environment, captures: true)
            #expect(try isHeard(sound, by: ears))
        }

        @Test("PLAY-4: they are heard where a session plays already, and after it has connected to the server again")
        func besideSession() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let host = host(name)
            defer { host.close() }
            let ears = try VirtualDevice("Ears", kind: .headphones, on: server.environment, captures: true)
            let session = try AudioSession(host: host)
            try session.setCategory(.playback)
            try session.setActive(true)
            let sound = try SystemSound(path: directory.file("sound.wav"), host: host)
            #expect(play(sound) == nil)
            #expect(try eventually { try ears.captured()[0].contains(Self.samples[10_000]) }, "the first one")
            // The newest device now has other channels of the client than it will have later.
            let headset = try VirtualDevice("Headset", kind: .headphones, on: server.environment, captures: true)
            #expect(try isHeard(sound, by: headset))
            host.close()
            try session.setActive(true)
            #expect(try isHeard(sound, by: headset))
        }
    }
}

extension AudioSessionHost {
    /// The number of cycles of the engine.
    fileprivate var engineCycles: UInt64 { get throws { try engine.get().currentFrame / 1_024 } }
}
