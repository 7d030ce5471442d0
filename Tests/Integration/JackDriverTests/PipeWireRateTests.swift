import AudioRendering
import Foundation
import JackDriver
import TestSupport
import Testing

extension RealServers {
    /// What only PipeWire does: rates by its settings, periods that are powers of two.
    @Suite(
        "Rates and periods on PipeWire",
        .enabled(if: TestServer.current == .pipewire, "It is PipeWire's settings that are changed."))
    struct PipeWireRateTests {
        @Test("HW-1, HW-2, HW-5: a rate is changed while somebody plays, and given back; a period is rounded down")
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
            #expect(try player.engine.requestPeriod(frames: 500) == 256, "a longer one is not what was asked")
            #expect(try player.engine.requestPeriod(frames: 128) == 128)
            #expect(player.engine.format?.periodFrames == 128)
            player.engine.close()
        }
    }
}
