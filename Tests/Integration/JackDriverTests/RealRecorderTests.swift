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
        /// neither silence nor a fade, without the gaps, which are expected to be silent.
        private func samples(_ file: AudioRecorder.File, _ gaps: [AudioRecorder.Gap]) throws -> ArraySlice<Float> {
            var samples = try SoundFile.read(file.path.description).planes[0]
            #expect(samples.count == file.frames)
            for gap in gaps.reversed() where gap.path == file.path {
                let frames = gap.firstFrame..<(gap.firstFrame + gap.frames)
                #expect(samples[frames].allSatisfy { $0 == 0 })
                samples.removeSubrange(frames)
            }
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
            // On a busy machine, the server itself may have xruns.
            #expect(recording.files.count == 1 && recording.gaps.allSatisfy { $0.cause == .xrun })
            let later = recording.gaps.filter { $0.firstFrame >= recorded }
            // It may pause within a cycle: the engine's time advances with each block of one.
            let all = try samples(try #require(recording.files.first), recording.gaps)
            let second = all.suffix(recording.files[0].frames - recorded - later.reduce(0) { $0 + $1.frames })
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
            #expect(scene.gaps.wait { $0.contains { $0.cause == .server } })
            let gap = try #require(scene.gaps.noted.first { $0.cause == .server })
            let end = gap.firstFrame + gap.frames
            #expect(eventually { scene.recorder.currentFrames > end + 10_000 })
            let recording = try #require(scene.recorder.stop())
            scene.host.close()
            // A busy machine may have xruns as well.
            #expect(recording.gaps.filter { $0.cause != .xrun } == [gap], "\(recording.gaps)")
            #expect(gap.firstFrame >= before && gap.frames > 0, "\(gap), \(before)")
            #expect(recording.files.map(\.path) == [scene.recorder.path])
            #expect(recording.files[0].frames > end + 10_000)
        }

        @Test("PLAY-2: a server that stands still leaves a gap in the file, in its place; the file keeps the time")
        func xrun() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let microphone = try VirtualDevice(
                "Mic", kind: .builtInMic, on: server.environment, outputs: 0, inputs: 1, sound: .ramp)
            defer { microphone.kill() }
            let scene = try Scene(name, inputChange: .stop)
            let recorder = scene.recorder
            try recorder.record()
            #expect(eventually { recorder.currentFrames > 40_000 })
            let (start, first) = (ContinuousClock.now, recorder.currentFrames)
            server.freeze()
            let end = ContinuousClock.now + .milliseconds(700)
            #expect(eventually { ContinuousClock.now >= end })
            server.thaw()
            #expect(eventually { recorder.currentFrames > first + 100_000 })
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            let frames = recorder.currentFrames - first
            let recording = try #require(recorder.stop())
            scene.host.close()
            // What is recorded is behind by two rounds of the writer and several cycles at most.
            #expect(abs(Double(frames) / 48_000 - seconds) < 0.25, "\(frames) frames in \(seconds) s")
            #expect(recording.files.count == 1 && recording.gaps.allSatisfy { $0.cause == .xrun })
            #expect(scene.gaps.wait { $0 == recording.gaps })
            let missing = recording.gaps.reduce(0) { $0 + $1.frames }
            if TestServer.current.isJackd {
                #expect(recording.gaps.contains { $0.frames > 30_000 }, "\(recording.gaps)")
            } else {
                // PipeWire catches up, and skips clients that are late meanwhile.
                #expect(missing.isMultiple(of: Self.cycle), "\(recording.gaps)")
            }
            let found = firstBreak(try samples(recording.files[0], recording.gaps).dropLast(Self.cycle))
            #expect(found == nil, "\(found ?? ""), \(recording.gaps)")
        }

        @Test(
            "SRV-2: a microphone that returns after its server is awaited: the same file goes on, after one outage")
        func microphone() throws {
            let name = try ServerName()
            var server = try self.server(name)
            defer { server.stop() }
            let microphone = try VirtualDevice(
                "Mic", kind: .builtInMic, on: server.environment, outputs: 0, inputs: 1, sound: .ramp, comesBack: true)
            defer { microphone.kill() }
            let scene = try Scene(name, inputChange: .stop)
            try scene.lose(server)
            let start = (ContinuousClock.now, scene.recorder.currentFrames)
            // The device reconnects only when it runs: it is later than the server.
            kill(microphone.identifier, SIGSTOP)
            server = try self.server(name)
            #expect(scene.gaps.wait { $0.contains { $0.cause == .server } })
            #expect(eventually { scene.session.currentRoute.inputs.isEmpty })
            #expect(scene.recorder.isRecording)
            kill(microphone.identifier, SIGCONT)
            #expect(scene.events.wait { $0.contains(.mediaServicesWereReset) })
            #expect(eventually { scene.session.currentRoute.inputs.map(\.portName) == ["Mic"] })
            #expect(scene.gaps.wait { $0.count { $0.cause == .server } == 2 })
            let outage = try #require(scene.gaps.noted.last { $0.cause == .server })
            #expect(eventually { scene.recorder.currentFrames > outage.firstFrame + outage.frames + 48_000 })
            let seconds = (ContinuousClock.now - start.0) / .seconds(1)
            let frames = scene.recorder.currentFrames - start.1
            let recording = try #require(scene.recorder.stop())
            scene.host.close()
            #expect(recording.ending == .stopped && recording.files.map(\.path) == [scene.recorder.path])
            #expect(abs(Double(frames) / 48_000 - seconds) < 1, "\(frames) frames in \(seconds) s")
            let last = try samples(recording.files[0], recording.gaps).suffix(10 * Self.cycle)
            #expect(last.count == 10 * Self.cycle && firstBreak(last) == nil)
        }

        @Test("SRV-2, ROUTE-4: a microphone that does not return ends the recording once it is not awaited any longer")
        func missingMicrophone() throws {
            let name = try ServerName()
            var server = try self.server(name)
            defer { server.stop() }
            let microphone = try VirtualDevice(
                "Mic", kind: .builtInMic, on: server.environment, outputs: 0, inputs: 1, sound: .ramp)
            defer { microphone.kill() }
            let scene = try Scene(name, inputChange: .stop)
            try scene.lose(server)
            server = try self.server(name)
            #expect(scene.gaps.wait { $0.contains { $0.cause == .server } })
            #expect(eventually { scene.recorder.recording != nil })
            let recording = try #require(scene.recorder.recording)
            scene.host.close()
            #expect(recording.ending == .inputChanged && recording.files.count == 1)
            // The wait of ten seconds is in the file, and reported.
            #expect(recording.gaps.filter { $0.cause == .server }.contains { $0.frames > 9 * 48_000 })
        }
    }
}
