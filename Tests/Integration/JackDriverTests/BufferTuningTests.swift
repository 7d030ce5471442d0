import AudioRendering
import AudioSessions
import Foundation
import JackDriver
import TestSupport
import Testing

extension RealServers {
    /// The tuner of I/O buffers at a real server, whose xruns are real.
    @Suite("Tuning an I/O buffer", .timeLimit(.minutes(3)))
    struct BufferTuningTests {
        let name: ServerName
        let server: JackServer

        init() throws {
            name = try ServerName()
            server = try JackServer(name, periodFrames: 1_024)
        }

        private func session() throws -> AudioSession {
            let driver = JackDriver(
                configuration: .init(server: .named(server.name), clientName: "tuning-test", recovery: .never))
            let session = try AudioSession(host: AudioSessionHost(driver: driver))
            try session.setCategory(.playback)
            try session.setActive(true)
            return session
        }

        /// What JACK's own tool says.
        private func period(_ session: AudioSession) throws -> Int? {
            // PipeWire tells a client that has just come something else.
            guard TestServer.current.isJackd else { return try session.engine.format?.periodFrames }
            return try ChildProcess.run("jack_bufsize", [], environment: server.environment).output
                .split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.last
        }

        @Test("HW-1, HW-2: the server's period gets shorter while all is clean, and is given back")
        func shortens() async throws {
            let session = try session()
            #expect(try period(session) == 1_024)
            let tuned = try await session.tuneIOBufferDuration(.init(periods: 512...4_096, hold: .milliseconds(500)))
            // This machine may be so busy that even long periods have xruns; what is told is what is so, all the same.
            #expect(tuned == session.ioBufferDuration && tuned == session.preferredIOBufferDuration)
            #expect(try period(session) == Int((tuned * session.sampleRate).rounded()))
            try session.setActive(false)
            #expect(try period(session) == 1_024)
            session.host.close()
        }

        @Test(
            "HW-2: a client that takes 3.5 ms of every cycle: settles at a period that leaves it the time")
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
            let isSettled = Signpost<IOBufferTuner.Step>()
            let listening = Task { [steps = tuner.steps] in
                for await step in steps { if case .settled = step.kind { isSettled.note(step) } }
            }
            tuner.start()
            let settled = isSettled.wait(limit: 90) { !$0.isEmpty }
            tuner.stop()
            listening.cancel()
            let story = tuner.trace.map { "\($0.seconds) s, \($0.periodFrames), \($0.xruns) xruns: \($0.kind)" }
            #expect(settled, "\(story)")
            // 128 frames are 2.7 ms: there it cannot be done. 256 are 5.3; a busy machine may need more.
            let step = try #require(isSettled.noted.first)
            #expect(step.periodFrames >= 256, "\(story)")
            #expect(try period(session) == session.engine.format?.periodFrames, "\(story)")
            if step.periodFrames == 256 {
                #expect(
                    tuner.trace.filter { [.xrun, .late].contains($0.kind) && $0.periodFrames == 128 }.count == 2,
                    "\(story)")
            }
            try voice.stop()
            try session.setActive(false)
            #expect(try period(session) == 1_024)
            session.host.close()
        }
    }
}
