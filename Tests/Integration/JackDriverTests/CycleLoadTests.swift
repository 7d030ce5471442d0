import AudioRendering
import Foundation
import JackDriver
import TestSupport
import Testing

extension RealServers {
    @Suite("Cycle load: the share of the period that a client's cycle takes")
    struct CycleLoadTests {
        @Test("The longest cycle of the last seconds is reported, as a share of its period, and expires")
        func longest() throws {
            let server = try JackServer(ServerName(), periodFrames: 1024)
            defer { server.stop() }
            let player = try JackPlayer(
                .init(server: .named(server.name), clientName: "driver-test", recovery: .never))
            #expect(player.driver.statistics.cycleLoad == 0)
            _ = try player.start()
            #expect(try player.waitForFrames(4800))
            #expect(player.driver.statistics.cycleLoad > 0)

            // The load takes 12 of the period's 21 ms.
            let source = RenderSource(channels: 2, function: spin)
            let slow = try player.engine.play(.render(source), on: player.makeBus())
            #expect(try player.waitForFrames(4800))
            #expect(player.driver.statistics.cycleLoad >= 12 / 21.4)

            // On a busy machine other processes may make a cycle long. The test passes after one
            // second without such a cycle.
            try slow.stop()
            let limit = Date() + 30
            while player.driver.statistics.cycleLoad > 0.3, Date() < limit {
                #expect(try player.waitForFrames(48_000))
            }
            #expect(player.driver.statistics.cycleLoad <= 0.3)
            player.engine.close()
            #expect(player.driver.statistics.cycleLoad == 0)
        }
    }
}

/// Takes 3 ms per 256 frames.
private func spin(
    context: UnsafeMutableRawPointer?, planes: UnsafePointer<UnsafeMutablePointer<Float>?>?, channels: UInt32,
    frames: UInt32
) -> UInt32 {
    let end = clock() + Double(frames) / 256 * 0.003
    while clock() < end { continue }
    for channel in 0..<Int(channels) { planes?[channel]?.update(repeating: 0, count: Int(frames)) }
    return frames
}

private func clock() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
