import AudioRendering
import Foundation
import JackDriver
import TestSupport
import Testing

extension RealServers {
    /// Tests of monitoring: an input is played in the same cycle in which it arrives.
    @Suite("Monitoring")
    struct MonitorTests {
        let name: ServerName

        init() throws { name = try ServerName() }

        /// Plays the first input on the first output.
        private func monitor(on server: JackServer) throws -> JackPlayer {
            let player = try JackPlayer(
                JackDriver.Configuration(
                    server: .named(server.name), clientName: "monitor-test", outputs: 1, inputs: 1, recovery: .never,
                    connections: .none))
            try player.engine.open()
            let bus = try player.makeBus(inputGranted: true)
            try player.engine.play(.input(player.engine.makeInput(for: bus)), on: bus)
            try player.engine.start()
            return player
        }

        @Test(
            "jack_iodelay: the app adds 0 frames of delay, compared within the same run",
            .jackdOnly("PipeWire has no loopback driver."))
        func delay() throws {
            let server = try JackServer(name, periodFrames: 64, arguments: ["-L", "2"])
            defer { server.stop() }
            let player = try monitor(on: server)
            defer { player.engine.close() }
            let delay = try JackDelay(on: server)
            let without = try delay.measure(to: "loopback:playback_1", from: "loopback:capture_1")
            try delay.forget()
            let linked = try ChildProcess.run(
                "jack_connect", ["monitor-test:out_1", "loopback:playback_1"], environment: server.environment)
            #expect(linked.status == 0, "\(linked.output)")
            let through = try delay.measure(to: "monitor-test:in_1", from: "loopback:capture_1")
            // A delay is a whole number of frames. The tool prints thousandths, and its filters may
            // leave one behind: it has printed 64.001 three times in a row.
            #expect(abs(without - 64) < 0.01)
            #expect(abs(through - without) < 0.01)
        }

        @Test("A ramp through the app and a direct one are equal, frame for frame")
        func ramp() throws {
            let period = 1024
            let server = try JackServer(name, periodFrames: period, arguments: JackServer.synchronous)
            defer { server.stop() }
            let player = try monitor(on: server)
            defer { player.engine.close() }
            let microphone = try VirtualDevice(
                "Mic", kind: .builtInMic, on: server.environment, outputs: 0, inputs: 1, sound: .ramp)
            let phones = try VirtualDevice("Phones", kind: .headphones, on: server.environment, captures: true)
            for (source, destination) in [
                ("Mic:capture_1", "Phones:playback_1"), ("Mic:capture_1", "monitor-test:in_1"),
                ("monitor-test:out_1", "Phones:playback_2"),
            ] {
                let linked = try ChildProcess.run(
                    "jack_connect", [source, destination], environment: server.environment)
                #expect(linked.status == 0, "\(linked.output)")
            }
            #expect(try player.waitForFrames(40_000))
            #expect(phones.stop() == 0)
            microphone.stop()
            let heard = try phones.captured()
            let first = try #require(heard[1].firstIndex { $0 != 0 })
            #expect(heard[1].count - first > 30_000)
            // A late server cycle is silent on both channels. PipeWire continues without a late
            // client: the next cycle contains the client's earlier data.
            let pairs = zip(heard[0][first...], heard[1][first...]).filter { beside, through in
                let lag = Int((beside - through) * 1_048_576)
                let isOlder = lag != 0 && lag.isMultiple(of: period) && !TestServer.current.isJackd
                return beside != 0 && through != 0 && !isOlder
            }
            #expect(pairs.count > 30_000)
            #expect(Signal.firstDifference(pairs.map(\.1), pairs.map(\.0)) == nil)
        }
    }
}
