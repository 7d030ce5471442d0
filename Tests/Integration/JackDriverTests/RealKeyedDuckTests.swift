import AudioRendering
import AudioSessions
import Foundation
import JackDriver
import SessionArbiter
import TestSupport
import Testing

extension RealServers {
    /// Two apps at one arbiter: each has its own JACK client, and the service its own process.
    @Suite("A session that ducks only while it is audible", .serialized)
    struct RealKeyedDuckTests {
        private struct App {
            let host: AudioSessionHost
            let session: AudioSession

            init(
                _ name: String, _ server: JackServer, _ service: ServiceFolder, _ options: AudioSession.CategoryOptions
            ) throws {
                host = AudioSessionHost(
                    driver: JackDriver(
                        configuration: .init(server: .named(server.name), clientName: name, inputs: nil)),
                    arbiter: try RemoteArbiter(at: try ArbiterAddress(path: service.socket)))
                session = try AudioSession(host: host)
                try session.setCategory(.playback, options: options)
                if options.contains(.duckOthers) { try session.setDucksOnlyWhileAudible(true) }
                try session.setActive(true)
            }

            /// Plays samples on one channel.
            func play(_ samples: [Float], channel: Int) throws {
                let silence = [Float](repeating: 0, count: samples.count)
                let planes = channel == 0 ? [samples, silence] : [silence, samples]
                try session.engine.play(.buffer(AudioBuffer(planes)), on: session.bus)
            }

            var xruns: Int { get throws { try session.engine.statistics.xruns } }
        }

        /// The frames that a device has recorded so far.
        private func framesHeard(by device: VirtualDevice) throws -> Int {
            let size = try FileManager.default.attributesOfItem(atPath: device.capturePath)[.size] as? Int
            return try #require(size) / (2 * MemoryLayout<Float>.size)
        }

        @Test("DUCK-2, DUCK-5: another app's first lower frame is at most one period from the onset; then unity again")
        func onset() throws {
            let fixture = try RouteFixture()
            defer { fixture.server.stop() }
            let service = try ServiceFolder()
            let music = try App("music", fixture.server, service, .mixWithOthers)
            let guide = try App("guide", fixture.server, service, .duckOthers)
            defer {
                guide.host.close()
                music.host.close()
                fixture.host.close()
            }
            try music.play([Float](repeating: 0.5, count: 120 * 48_000), channel: 0)
            var distances: [Int] = []
            for _ in 0..<8 where distances.count < 4 {
                // What the apps have reported while the service was stopped has taken effect.
                guide.host.settle()
                music.host.settle()
                #expect(try eventually { try fixture.speaker.captured(last: 1_024)[0].allSatisfy { $0 == 0.5 } })
                let xruns = try music.xruns + guide.xruns
                let start = try framesHeard(by: fixture.speaker)
                // Without the service, no grant lowers the music.
                service.send(SIGSTOP)
                defer { service.send(SIGCONT) }
                try guide.play([Float](repeating: 0.1, count: 4_800), channel: 1)
                // The utterance, the hold and the release take 1.4 s.
                #expect(try eventually { try framesHeard(by: fixture.speaker) > start + 144_000 })
                let heard = try fixture.speaker.captured(last: try framesHeard(by: fixture.speaker) - start)
                // PipeWire does not report a cycle that it skips because a client is late.
                let hasSkipped = !TestServer.current.isJackd && heard[0].contains(0)
                guard try music.xruns + guide.xruns == xruns, !hasSkipped else { continue }
                let onset = try #require(heard[1].firstIndex { $0 > 0.003_2 })
                let lower = try #require(heard[0].firstIndex { $0 != 0.5 })
                distances.append(lower - onset)
                let depth = try #require(heard[0].min())
                #expect(abs(20 * log10(depth / 0.5) + 14) < 0.01)
                #expect(heard[0].suffix(1_024).allSatisfy { $0 == 0.5 })
            }
            // A lowered client that the server calls later is lowered in the same period.
            #expect(
                distances.count >= 2 && distances.allSatisfy { abs($0) <= RouteFixture.periodFrames }, "\(distances)")
        }
    }
}
