import AudioRendering
import AudioSessions
import Foundation
import JackDriver
import TestSupport
import Testing

extension RealServers {
    /// The buffer size tuner on a real server, with real xruns.
    @Suite("Tuning an I/O buffer", .timeLimit(.minutes(3)))
    struct BufferTuningTests {
        let server: JackServer

        init() throws {
            server = try JackServer(ServerName(), periodFrames: 1_024)
        }

        private func session() throws -> AudioSession {
            let driver = JackDriver(
                configuration: .init(server: .named(server.name), clientName: "tuning-test", recovery: .never))
            let session = try AudioSession(host: AudioSessionHost(driver: driver))
            try session.setCategory(.playback)
            try session.setActive(true)
            return session
        }

        /// Returns the buffer size as JACK's own tool reports it.
        private func period(_ session: AudioSession) throws -> Int? {
            // PipeWire reports another value to a client that has just connected.
            guard TestServer.current.isJackd else { return try session.engine.format?.periodFrames }
            return try ChildProcess.run("jack_bufsize", [], environment: server.environment).output
                .split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.last
        }

        /// Returns whether the server's own buffer size is restored. A slow PipeWire may restore it
        /// after the driver has stopped waiting for it.
        private func isRestored(_ session: AudioSession) throws -> Bool {
            let periods = EventLog<Int>()
            let observation = try session.engine.observe { event in
                if case .driver(.formatChanged(let format)) = event { periods.note(format.periodFrames) }
            }
            defer { observation.cancel() }
            return try period(session) == 1_024 || periods.wait(limit: 30) { $0.last == 1_024 }
        }

        @Test("HW-1, HW-2: the server's buffer size decreases while there are no xruns, and is restored")
        func shortens() async throws {
            let session = try session()
            #expect(try period(session) == 1_024)
            let tuned = try await session.tuneIOBufferDuration(.init(periods: 512...4_096, hold: .milliseconds(500)))
            // On a busy machine even long buffers may have xruns. The reported value must be the
            // actual one in any case.
            #expect(tuned == session.ioBufferDuration && tuned == session.preferredIOBufferDuration)
            #expect(try period(session) == Int((tuned * session.sampleRate).rounded()))
            try session.setActive(false)
            #expect(try isRestored(session))
            session.host.close()
        }

        @Test(
            "HW-2: with a client that takes 3.5 ms of every cycle, the tuner settles at a sufficient buffer size")
        func load() throws {
            let session = try session()
            let source = RenderSource(channels: 1) { _, planes, _, frames in
                let end = DispatchTime.now().uptimeNanoseconds + 3_500_000
                while DispatchTime.now().uptimeNanoseconds < end { continue }
                planes?[0]?.update(repeating: 0, count: Int(frames))
                return frames
            }
            let voice = try session.engine.play(.render(source), on: session.bus)
            let tuner = try IOBufferTuner(session: session, configuration: .init(hold: .seconds(1)))
            let isSettled = EventLog<IOBufferTuner.Step>()
            let listening = Task { [steps = tuner.steps] in
                for await step in steps { if case .settled = step.kind { isSettled.note(step) } }
            }
            tuner.start()
            let settled = isSettled.wait(limit: 90) { !$0.isEmpty }
            tuner.stop()
            listening.cancel()
            let scenario = tuner.trace.map { "\($0.seconds) s, \($0.periodFrames), \($0.xruns) xruns: \($0.kind)" }
            #expect(settled, "\(scenario)")
            // 128 frames, 2.7 ms, are too short for the load. 256 frames are 5.3 ms; a busy machine
            // may need more.
            let step = try #require(isSettled.noted.first)
            #expect(step.periodFrames >= 256, "\(scenario)")
            #expect(try period(session) == session.engine.format?.periodFrames, "\(scenario)")
            // If the server has applied a request late, further xruns preceded it.
            let isPrompt = !tuner.trace.contains { step in
                switch step.kind {
                case .refused, .changedByOthers: true
                default: false
                }
            }
            if step.periodFrames == 256, isPrompt {
                #expect(
                    tuner.trace.filter { [.xrun, .late].contains($0.kind) && $0.periodFrames == 128 }.count == 2,
                    "\(scenario)")
            }
            try voice.stop()
            try session.setActive(false)
            #expect(try isRestored(session))
            session.host.close()
        }
    }
}
