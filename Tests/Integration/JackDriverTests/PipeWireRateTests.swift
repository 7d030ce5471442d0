import AudioRendering
import Foundation
import JackDriver
import TestSupport
import Testing

extension RealServers {
    /// Behaviour of PipeWire only: sample rates change through its settings, and buffer sizes are
    /// powers of two.
    @Suite(
        "Sample rates and buffer sizes on PipeWire",
        .enabled(if: TestServer.current == .pipewire, "The tests change PipeWire's settings."))
    struct PipeWireRateTests {
        @Test(
            "HW-1, HW-2, HW-5: the sample rate changes during playback and is restored; a buffer size is rounded down")
        func changes() throws {
            let name = try ServerName()
            let server = try JackServer(name, sampleRate: 48_000, periodFrames: 256)
            defer { server.stop() }
            let player = try JackPlayer(
                JackDriver.Configuration(server: .named(name.text), clientName: "rate-test", recovery: .never))
            let voice = try player.start()
            #expect(try player.waitForFrames(2_400))
            #expect(try player.driver.requestSampleRate(44_100) == 44_100)
            #expect(player.engine.format?.sampleRate == 44_100)
            let place = voice.framesRendered
            #expect(try player.waitForFrames(2_400))
            #expect(voice.framesRendered > place)
            #expect(try player.driver.requestSampleRate(48_000) == 48_000)
            #expect(
                try player.engine.requestPeriod(frames: 500) == 256, "not rounded up: a longer one was not requested")
            #expect(try player.engine.requestPeriod(frames: 128) == 128)
            #expect(player.engine.format?.periodFrames == 128)
            player.engine.close()
        }
    }
}
