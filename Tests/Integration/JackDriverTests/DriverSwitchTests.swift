import AudioRendering
import Testing

@testable import JackDriver

/// Tests of the device list while jackd reopens its driver.
@Suite("A driver that is reopened")
struct DriverSwitchTests {
    private func ports(_ client: String, playback: Int, capture: Int, alias: String? = nil) -> [PortFacts] {
        func ports(_ direction: DevicePort.Direction, _ name: String, _ count: Int) -> [PortFacts] {
            (1..<(count + 1)).map { channel in
                PortFacts(
                    "\(client):\(name)_\(channel)", aliases: alias.map { ["\($0)\(channel)"] } ?? [],
                    direction: direction, isPhysical: true, isTerminal: true)
            }
        }
        return ports(.input, "capture", capture) + ports(.output, "playback", playback)
    }

    private func devices(_ ports: [PortFacts]) -> [FoundDevice] {
        FoundDevice.find(in: ports, cards: SoundCards { _ in nil }, server: "jackd2")
    }

    /// One driver, observed over several checks.
    private final class Driver {
        private var value: DriverSwitch

        init(patience: Double) { value = DriverSwitch(patience: patience) }

        var isWaiting: Bool { value.end != nil }
        func takeEnd() -> Bool { value.takeEnd() }
        func complete(_ found: [FoundDevice], from ports: [PortFacts], known: [FoundDevice]) -> [FoundDevice] {
            value.complete(found, from: Set(ports.map(\.name)), known: known)
        }
    }

    private func look(_ driver: Driver, _ listed: [PortFacts], known: [FoundDevice]) -> [FoundDevice] {
        driver.complete(devices(listed), from: listed, known: known)
    }

    @Test(
        "ROUTE-4: the server's own device stays listed while its ports, or one direction of them, are absent; other devices do not"
    )
    func away() {
        let driver = Driver(patience: 100)
        let system = ports("system", playback: 2, capture: 2)
        let phones = ports("zita-j2a", playback: 2, capture: 0)
        let known = devices(system + phones)
        #expect(look(driver, system + phones, known: known) == known && !driver.isWaiting)
        for rest in [[], ports("system", playback: 2, capture: 0), ports("system", playback: 0, capture: 2)] {
            #expect(look(driver, rest + phones, known: known) == known)
            #expect(look(driver, rest, known: known) == devices(system), "the unplugged device is gone")
            #expect(driver.isWaiting)
        }
        #expect(look(driver, system, known: known) == devices(system))
        #expect(!driver.isWaiting)
        // A reduced number of channels is reported at once.
        let mono = ports("system", playback: 1, capture: 1)
        #expect(look(driver, mono, known: known) == devices(mono))
    }

    @Test("A lasting absence is reported after the timeout; the next absence gets the full timeout again")
    func believed() {
        let driver = Driver(patience: 0)
        let known = devices(ports("system", playback: 2, capture: 2))
        #expect(!driver.takeEnd())
        #expect(look(driver, [], known: known) == known)
        #expect(driver.takeEnd() && !driver.takeEnd())
        for _ in 1...2 { #expect(look(driver, [], known: known).isEmpty) }
        #expect(look(driver, [], known: []).isEmpty)
        #expect(look(driver, [], known: known) == known, "the device had returned")
    }

    @Test("A driver of another sound card is another device, at once")
    func another() {
        let driver = Driver(patience: 100)
        let known = devices(ports("system", playback: 2, capture: 2))
        let card = ports("system", playback: 2, capture: 0, alias: "alsa_pcm:hw:1:playback_")
        #expect(devices(card).map(\.device.uid) != known.map(\.device.uid))
        #expect(look(driver, card, known: known) == devices(card))
    }
}
