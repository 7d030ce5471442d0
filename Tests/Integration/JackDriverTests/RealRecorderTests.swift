import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import JackDriver
import SessionArbiter
import TestSupport
import Testing

extension RealServers {
    /// Recordings of a real server's input.
    @Suite("Recorders on real ports", .serialized)
    struct RealRecorderTests {
        private static let cycle = 1024

        /// A server whose cycles wait for all clients, so that none is missed on a busy machine.
        private func server(_ name: ServerName) throws -> JackServer {
            try JackServer(
                name, sampleRate: 48_000, periodFrames: Self.cycle, arguments: JackServer.synchronous)
        }

        /// Returns the samples of a file that begins with a cycle, from the first cycle on that has
        /// neither silence nor a fade.
        private func samples(_ file: AudioRecorder.File) throws -> ArraySlice<Float> {
            let samples = try SoundFile.read(file.path.description).planes[0]
            #expect(samples.count == file.frames)
            let first = try #require(samples.firstIndex { $0 != 0 })
            return samples.dropFirst((first / Self.cycle + 2) * Self.cycle)
        }

        /// Describes the first break in the ramp of a microphone. PipeWire skips late clients.
        private func firstBreak(_ samples: ArraySlice<Float>) -> String? {
            Signal.firstBreak(
                inCounting: Array(samples), cycle: Self.cycle, mayMissCycles: !TestServer.current.isJackd)
        }

        @Test("PLAY-2: a signal at the input is recorded, every frame in order, across a pause")
        func ramp() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let microphone = try VirtualDevice(
                "Mic", kind: .builtInMic, on: server.environment, outputs: 0, inputs: 1, sound: .ramp)
            defer { microphone.kill() }
            let scene = try Scene(name, inputChange: .stop)
            let recorder = scene.recorder
            try recorder.record()
            #expect(scene.session.currentRoute.inputs.map(\.portName) == ["Mic"])
            #expect(eventually { recorder.currentFrames > 60_000 })
            recorder.pause()
            let engine = try scene.session.engine
            let paused = engine.currentFrame
            #expect(eventually { engine.currentFrame > paused + 10_000 })
            let recorded = recorder.currentFrames
            try recorder.record()
            #expect(eventually { recorder.currentFrames > recorded + 20_000 })
            let recording = try #require(recorder.stop())
            scene.host.close()
            #expect(recording.files.count == 1 && recording.gaps.isEmpty && recorded.isMultiple(of: Self.cycle))
            let all = try samples(try #require(recording.files.first))
            let second = all.suffix(recording.files[0].frames - recorded)
            #expect(firstBreak(all.dropLast(second.count)) == nil && firstBreak(second) == nil)
        }

        /// A host on a server of that name, a session and a recorder, and the session's events.
        private struct Scene {
            let host: AudioSessionHost
            let session: AudioSession
            let recorder: AudioRecorder
            let events = EventLog<AudioSessionEvent>()
            let gaps = EventLog<AudioRecorder.Gap>()
            private let listening: Task<Void, Never>
            private let directory: TemporaryDirectory

            init(_ name: ServerName, inputChange: AudioRecorder.Configuration.InputChange) throws {
                host = AudioSessionHost(
                    driver: JackDriver(
                        configuration: .init(server: .named(name.text), clientName: "recorder-test", inputs: nil)),
                    settings: ArbiterSettings())
                host.setRecordPermission(.granted)
                session = try AudioSession(host: host)
                try session.setCategory(.playAndRecord)
                listening = Task { [events, stream = session.events] in
                    for await event in stream { events.note(event) }
                }
                directory = try TemporaryDirectory()
                recorder = try AudioRecorder(
                    path: directory.file("take.wav"), session: session, configuration: .init(inputChange: inputChange))
                recorder.onEvent { [gaps] event in if case .gap(let gap) = event { gaps.note(gap) } }
            }

            /// Records, and kills the server. Returns when the app has been notified.
            func lose(_ server: JackServer) throws {
                try recorder.record()
                #expect(eventually { recorder.currentFrames > 10_000 })
                server.kill()
                #expect(events.wait { $0.contains(.mediaServicesWereLost) })
            }
        }

        // PipeWire's null sink has no input.
        @Test(
            "SRV-2: a recording continues when the server returns; silence takes the place of what is missing",
            .enabled(if: TestServer.current.isJackd))
        func loss() throws {
            let name = try ServerName()
            var server = try self.server(name)
            defer { server.stop() }
            let scene = try Scene(name, inputChange: .stop)
            try scene.lose(server)
            let before = scene.recorder.currentFrames
            server = try self.server(name)
            #expect(scene.events.wait { $0.contains(.mediaServicesWereReset) })
            #expect(scene.gaps.wait { !$0.isEmpty })
            let gap = try #require(scene.gaps.noted.first)
            let end = gap.firstFrame + gap.frames
            #expect(eventually { scene.recorder.currentFrames > end + 10_000 })
            let recording = try #require(scene.recorder.stop())
            scene.host.close()
            #expect(recording.gaps == [gap] && gap.cause == .server && gap.firstFrame >= before && gap.frames > 0)
            #expect(recording.files.map(\.path) == [scene.recorder.path])
            #expect(recording.files[0].frames > end + 10_000)
        }

        @Test(
            "ROUTE-4, SRV-2: a microphone that returns after its server is another input: the next file has its sound")
        func microphone() throws {
            let name = try ServerName()
            var server = try self.server(name)
            defer { server.stop() }
            let microphone = try VirtualDevice(
                "Mic", kind: .builtInMic, on: server.environment, outputs: 0, inputs: 1, sound: .ramp, comesBack: true)
            defer { microphone.kill() }
            let scene = try Scene(name, inputChange: .nextFile)
            try scene.lose(server)
            server = try self.server(name)
            #expect(scene.events.wait { $0.contains(.mediaServicesWereReset) })
            func waitForFrames(_ frames: Int) {
                let end = scene.recorder.currentFrames + frames
                #expect(eventually { scene.recorder.currentFrames > end })
            }
            waitForFrames(10_000)  // from then on, the level is that of the returned server
            #expect(eventually { scene.recorder.levels.contains { $0.peak > 0 } })
            #expect(scene.session.currentRoute.inputs.map(\.portName) == ["Mic"])
            waitForFrames(20_000)
            let recording = try #require(scene.recorder.stop())
            scene.host.close()
            #expect(recording.ending == .stopped)
            let last = try samples(try #require(recording.files.last))
            #expect(firstBreak(last.suffix(10 * Self.cycle)) == nil)  // it ends with a cycle
        }
    }
}
