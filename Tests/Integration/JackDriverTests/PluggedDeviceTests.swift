import AudioRendering
import Foundation
import JackDriver
import TestSupport
import Testing

extension RealServers {
    @Suite("Devices on a running server")
    struct PluggedDeviceTests {
        let name: ServerName
        private let client = "device-test"

        init() throws { name = try ServerName() }

        private func configuration(_ recovery: JackDriver.Recovery = .never) -> JackDriver.Configuration {
            JackDriver.Configuration(server: .named(name.text), clientName: client, recovery: recovery)
        }

        /// Returns the reported lists of devices, by uid, without those that only report another
        /// latency.
        private func notified(_ events: [DriverEvent]) -> [[String]] {
            var lists: [[String]] = []
            for case .devicesChanged(let devices) in events where devices.map(\.uid) != lists.last {
                lists.append(devices.map(\.uid))
            }
            return lists
        }

        private func links(_ server: JackServer) throws -> Set<String> {
            try server.links(of: client)
        }

        /// Waits until the connections are the expected ones, checking once per cycle.
        private func waitForLinks(_ expected: Set<String>, _ server: JackServer) throws -> Bool {
            let limit = ContinuousClock.now + .seconds(20)
            while try links(server) != expected {
                guard ContinuousClock.now < limit else { return false }
            }
            return true
        }

        /// Waits until a device is listed with all of its channels: on a busy server they may
        /// appear one after the other.
        private func waitForChannels(_ channels: [Int], of uid: String, _ player: JackPlayer) -> Bool {
            player.events.wait { _ in
                player.driver.devices?.first { $0.uid == uid }?.ports.map(\.channels) == channels
            }
        }

        private func pair(_ own: String, _ far: String) -> Set<String> {
            ["\(client):\(own)_1 → \(far)_1", "\(client):\(own)_2 → \(far)_2"]
        }

        @Test(
            "The server's own ports are the first device, known on return of open; they are the channels from 0 on",
            .jackdOnly("PipeWire's null sink has no inputs, and its server is called pipewire."))
        func first() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let player = try JackPlayer(configuration())
            #expect(player.driver.devices == nil)
            #expect(throws: DriverError.notOpen) { try player.driver.connect("output") }
            let format = try player.engine.open()
            #expect(format.serverName == name.text)
            let devices = try #require(player.driver.devices)
            #expect(devices.map(\.uid) == [AudioDevice.serverUID])
            #expect(devices.first?.ports.map(\.uid) == ["output", "input"])
            #expect(devices.first?.ports.first?.name.contains("jackd2") == true)
            _ = try player.start()
            #expect(try player.driver.connect("output") == 0..<2)
            player.driver.disconnect("output")
            #expect(try player.driver.connect("output") == 0..<2)
            #expect(throws: DriverError.self) { try player.driver.connect("no such port") }
            #expect(try links(server) == pair("out", "system:playback"))
            player.engine.close()
            #expect(player.driver.devices == nil)
        }

        @Test(
            "ROUTE-2, ROUTE-4: plugging and unplugging a device are reported once each; its ports persist meanwhile, and are connected on its return"
        )
        func plug() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let player = try JackPlayer(configuration())
            _ = try player.start()
            var phones = try VirtualDevice("Phones", kind: .headphones, on: server.environment, inputs: 1, latency: 480)
            #expect(player.events.wait { notified($0).count == 1 })
            #expect(waitForChannels([2, 1], of: "Phones", player))
            let device = try #require(player.driver.devices?.last)
            #expect(device.ports.map(\.uid) == ["Phones:output", "Phones:input"])
            #expect(device.ports.map(\.type) == [.headphones, .headsetMic])
            #expect(
                player.events.wait { _ in
                    device.ports.allSatisfy { player.driver.latencyFrames(ofPort: $0.uid) == 480 }
                })
            #expect(try player.driver.connect("Phones:output") == 2..<4)
            #expect(try player.driver.connect("Phones:output") == 2..<4)
            let main = pair("out", "system:playback")
            let both = main.union(pair("phones", "Phones:playback"))
            #expect(try links(server) == both)
            for round in 1...3 {
                phones.kill()
                #expect(player.events.wait { notified($0).count == 2 * round })
                #expect(try waitForLinks(main, server))
                phones = try VirtualDevice("Phones", kind: .headphones, on: server.environment, inputs: 1, latency: 480)
                #expect(player.events.wait { notified($0).count == 2 * round + 1 })
                #expect(try waitForLinks(both, server))
            }
            let server1 = AudioDevice.serverUID
            let expected =
                [[server1, "Phones"]] + Array(repeating: [[server1], [server1, "Phones"]], count: 3).joined()
            #expect(notified(player.events.noted) == expected)
            player.driver.disconnect("Phones:output")
            player.driver.disconnect("Phones:output")
            let listing = try ChildProcess.run("jack_lsp", [client], environment: server.environment)
            #expect(!listing.output.contains("phones"))
            // A killed device leaves a semaphore, which the next device of its name removes.
            phones.stop()
            #expect(try player.waitForFrames(1000))
            player.engine.close()
        }

        @Test(
            "ROUTE-1: the first query after opening returns the latencies of devices, without a report of a change")
        func firstLatencies() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let phones = try VirtualDevice("Phones", kind: .headphones, on: server.environment, latency: 480)
            let player = try JackPlayer(configuration())
            _ = try player.engine.open()
            #expect(player.driver.latencyFrames(ofPort: "Phones:output") == 480)
            #expect(player.driver.latencyFrames(ofPort: "no such port") == nil)
            _ = try player.start()
            #expect(try player.waitForFrames(1000))
            let screen = try VirtualDevice("Screen", kind: .hdmi, on: server.environment, latency: 960)
            #expect(
                player.events.wait { _ in
                    player.driver.latencyFrames(ofPort: "Screen:output") == 960
                        && player.driver.latencyFrames(ofPort: "Phones:output") == 480
                })
            #expect(notified(player.events.noted).count == 1)
            player.engine.close()
            #expect(player.driver.latencyFrames(ofPort: "Phones:output") == nil)
            screen.stop()
            phones.stop()
        }

        @Test("SRV-2: a user-removed connection stays removed when its device is unplugged and returns")
        func takenApart() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let player = try JackPlayer(configuration())
            _ = try player.start()
            var phones = try VirtualDevice("Phones", kind: .headphones, on: server.environment)
            #expect(player.events.wait { notified($0).count == 1 } && waitForChannels([2], of: "Phones", player))
            #expect(try player.driver.connect("Phones:output") == 2..<4)
            let main = pair("out", "system:playback")
            #expect(try waitForLinks(main.union(pair("phones", "Phones:playback")), server))
            try ChildProcess.run(
                "jack_disconnect", ["\(client):phones_1", "Phones:playback_1"], environment: server.environment)
            #expect(
                eventually {
                    player.driver.areConnectionsDecided
                        && !player.driver.restorableLinks.contains("phones_1 Phones:playback_1")
                })
            phones.kill()
            #expect(player.events.wait { notified($0).count == 2 })
            phones = try VirtualDevice("Phones", kind: .headphones, on: server.environment)
            #expect(player.events.wait { notified($0).count == 3 })
            #expect(try waitForLinks(main.union(["\(client):phones_2 → Phones:playback_2"]), server))
            #expect(eventually { player.driver.areConnectionsDecided })
            #expect(!player.driver.restorableLinks.contains("phones_1 Phones:playback_1"))
            phones.stop()
            player.engine.close()
        }

        @Test(
            "SRV-2: after the server's return, blocks, names and connections are the same, including the user's own"
        )
        func serverReturns() throws {
            var server = try JackServer(name)
            defer { server.stop() }
            let player = try JackPlayer(configuration(.within(seconds: 30)))
            _ = try player.start()
            let phones = try VirtualDevice("Phones", kind: .headphones, on: server.environment, comesBack: true)
            defer { phones.stop() }
            #expect(player.events.wait { notified($0).count == 1 })
            #expect(try player.driver.connect("Phones:output") == 2..<4)
            try ChildProcess.run(
                "jack_disconnect", ["\(client):phones_2", "Phones:playback_2"], environment: server.environment)
            try ChildProcess.run(
                "jack_connect", ["\(client):phones_2", "Phones:playback_1"], environment: server.environment)
            let expected = pair("out", "system:playback").union([
                "\(client):phones_1 → Phones:playback_1", "\(client):phones_2 → Phones:playback_1",
            ])
            #expect(try waitForLinks(expected, server))
            #expect(try player.waitForFrames(1000))
            server.kill()
            #expect(player.waitForEvent { $0 == .serverLost })
            #expect(player.driver.devices == nil)
            server = try JackServer(name)
            #expect(
                player.events.wait { events in
                    let back = events.firstIndex { if case .serverReturned = $0 { true } else { false } }
                    return back.map { notified(Array(events[$0...])).last } == [AudioDevice.serverUID, "Phones"]
                }, "the device has ended: \(phones.hasEnded), and printed: \(phones.output)")
            // The driver may reconnect while the device still creates its ports. It then lists one
            // channel for a moment, and reports the others later.
            #expect(
                player.events.wait { events in
                    events.lazy.compactMap { if case .devicesChanged(let devices) = $0 { devices } else { nil } }
                        .last?.last?.ports.map(\.channels) == [2]
                })
            #expect(try waitForLinks(expected, server))
            #expect(try player.driver.connect("Phones:output") == 2..<4)
            #expect(try player.waitForFrames(1000))
            player.engine.close()
        }

        @Test(
            "The ports that a driver opens with belong to the first device, and are connected to it again when it returns"
        )
        func mainDevice() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            var hidden = configuration()
            hidden.deviceOverrides = [DeviceOverride(pattern: "system", isHidden: true)]
            let player = try JackPlayer(hidden)
            _ = try player.start()
            #expect(player.driver.devices == [])
            #expect(player.engine.format?.outputChannels == 2)
            #expect(try links(server).isEmpty)
            var speaker = try VirtualDevice("Speaker", kind: .builtInSpeaker, on: server.environment, outputs: 1)
            #expect(player.events.wait { notified($0) == [["Speaker"]] })
            #expect(try waitForLinks(["\(client):out_1 → Speaker:playback_1"], server))
            #expect(try player.driver.connect("Speaker:output") == 0..<1)
            #expect(speaker.stop() == 0)
            #expect(player.events.wait { notified($0) == [["Speaker"], []] })
            speaker = try VirtualDevice("Speaker", kind: .builtInSpeaker, on: server.environment, outputs: 1)
            #expect(try waitForLinks(["\(client):out_1 → Speaker:playback_1"], server))
            speaker.stop()
            player.engine.close()
        }

        @Test(
            "The user's device overrides take effect at once",
            .jackdOnly("PipeWire's null sink has no inputs, and its server is called pipewire."))
        func overrides() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let player = try JackPlayer(configuration())
            _ = try player.start()
            player.driver.setDeviceOverrides([DeviceOverride(pattern: "system", type: .carAudio, name: "Car")])
            #expect(player.events.wait { notified($0) == [["system"]] })
            #expect(player.driver.devices?.first?.ports.map(\.type) == [.carAudio, .carAudio])
            #expect(player.driver.devices?.first?.ports.map(\.name) == ["Car", "Car"])
            player.driver.setDeviceOverrides([DeviceOverride(pattern: "system:playback*", isHidden: true)])
            #expect(player.events.wait { notified($0).last == [AudioDevice.serverUID] })
            #expect(player.driver.devices?.first?.ports.map(\.uid) == ["input"])
            player.engine.close()
        }

        @Test(
            "64 channels in total: a device gets the remaining ones, and another one is refused until channels are released"
        )
        func bounds() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let player = try JackPlayer(configuration())
            _ = try player.start()
            let wall = try VirtualDevice("Wall", kind: .pci, on: server.environment, outputs: 64)
            defer { wall.stop() }
            let phones = try VirtualDevice("Phones", kind: .headphones, on: server.environment)
            defer { phones.stop() }
            #expect(player.events.wait { notified($0).last?.count == 3 })
            #expect(waitForChannels([64], of: "Wall", player) && waitForChannels([2], of: "Phones", player))
            #expect(try player.driver.connect("Wall:output") == 2..<64)
            #expect(throws: DriverError.self) { try player.driver.connect("Phones:output") }
            #expect(try player.waitForFrames(1000))
            player.driver.disconnect("Wall:output")
            #expect(try player.driver.connect("Phones:output") == 2..<4)
            #expect(try player.driver.connect("Wall:output") == 4..<64)
            for _ in 0..<20 {
                // PipeWire 0.3.65: a connection that is removed before both its clients have been
                // notified of it can end one of them, and no event shows when the other has been
                // notified.
                if !TestServer.current.isJackd { #expect(try player.waitForFrames(12_000)) }
                player.driver.disconnect("Phones:output")
                #expect(try player.driver.connect("Phones:output") == 2..<4)
            }
            #expect(try player.waitForFrames(1000))
            player.engine.close()
        }

        @Test("Mode none: ports without connections; connections by other clients are left alone")
        func noConnections() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            var configuration = configuration()
            configuration.connections = .none
            let player = try JackPlayer(configuration)
            _ = try player.start()
            let phones = try VirtualDevice("Phones", kind: .headphones, on: server.environment)
            defer { phones.stop() }
            #expect(player.events.wait { notified($0).count == 1 })
            #expect(try player.driver.connect("Phones:output") == 2..<4)
            #expect(try links(server).isEmpty)
            try ChildProcess.run(
                "jack_connect", ["\(client):phones_2", "Phones:playback_1"], environment: server.environment)
            #expect(try waitForLinks(["\(client):phones_2 → Phones:playback_1"], server))
            player.engine.close()
        }

        @Test("Mode remembered: the next start restores the previous connections, and no others")
        func remembered() throws {
            let server = try JackServer(name)
            defer { server.stop() }
            let folder = try TemporaryDirectory()
            var configuration = configuration()
            configuration.connections = .remembered
            configuration.connectionFolder = folder.file("connections")
            let file = folder.file("connections/device-test.json")
            let first = try JackPlayer(configuration)
            _ = try first.start()
            #expect(try links(server) == pair("out", "system:playback"))
            try ChildProcess.run(
                "jack_disconnect", ["\(client):out_2", "system:playback_2"], environment: server.environment)
            try ChildProcess.run(
                "jack_connect", ["\(client):out_2", "system:playback_1"], environment: server.environment)
            let expected: Set = ["\(client):out_1 → system:playback_1", "\(client):out_2 → system:playback_1"]
            // The driver writes the file when it is notified. A request to it is served after that.
            let kept = ["out_1": ["system:playback_1"], "out_2": ["system:playback_1"]]
            let limit = ContinuousClock.now + .seconds(20)
            var read: [String: [String]]?
            repeat {
                _ = try first.engine.requestPeriod(frames: 256)
                read = FileManager.default.contents(atPath: file).flatMap {
                    try? JSONDecoder().decode([String: [String]].self, from: $0)
                }
            } while read != kept && ContinuousClock.now < limit
            #expect(read == kept)
            first.engine.close()
            let second = try JackPlayer(configuration)
            _ = try second.start()
            #expect(try links(server) == expected)
            second.engine.close()
        }
    }
}
