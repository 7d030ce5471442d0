import AudioRendering
import JackDriver
import TestSupport

extension Scenario {
    /// Plugs and unplugs devices during playback.
    func runDevices() throws {
        let player = try JackPlayer(self)
        let engine = player.engine
        defer { checkEvents(of: player) }
        log.attempt("open", within: limit) { try engine.open() }
        log.attempt("play") { _ = try player.play() }
        let started = log.attempt("start", within: limit) { try engine.start() } != nil
        for round in 1...2 where !log.isStuck {
            jack.act("plug headphones 2 1 virtual-device:headphones:Cans:%d")
            recordDevices(of: player)
            for port in (player.driver.devices ?? []).flatMap(\.ports) where !log.isStuck {
                log.attempt("connect \(port.uid)", within: limit) { try player.driver.connect(port.uid) }
            }
            if started { listen(to: player, "round \(round)") }
            jack.act("unplug headphones")
            log.attempt("connect what is gone", within: limit) { try player.driver.connect("headphones") }
            for port in (player.driver.devices ?? []).flatMap(\.ports) where !log.isStuck {
                log.attempt("disconnect \(port.uid)", within: limit) { player.driver.disconnect(port.uid) }
            }
        }
        log.attempt("close", within: limit) { engine.close() }
    }

    /// Waits until the driver reports the devices, if it can.
    private func recordDevices(of player: JackPlayer) {
        guard player.driver.devices != nil else { return }
        let notified = player.events.wait(limit: patience) { _ in
            (player.driver.devices ?? []).contains { $0.ports.contains { $0.type == .headphones } }
        }
        log.note("plugged: \(notified ? "known" : "unknown")")
    }
}
