import AudioRendering
import JackDriver
import TestSupport

extension Story {
    /// Devices that come and go while it plays.
    func tellDevices() throws {
        let player = try JackPlayer(self)
        let engine = player.engine
        defer { checkEvents(of: player) }
        diary.attempt("open", within: limit) { try engine.open() }
        diary.attempt("play") { _ = try player.play() }
        let started = diary.attempt("start", within: limit) { try engine.start() } != nil
        for round in 1...2 where !diary.isStuck {
            jack.act("plug headphones 2 1 stand-in:headphones:Cans:%d")
            noteDevices(of: player)
            for port in (player.driver.devices ?? []).flatMap(\.ports) where !diary.isStuck {
                diary.attempt("connect \(port.uid)", within: limit) { try player.driver.connect(port.uid) }
            }
            if started { listen(to: player, "round \(round)") }
            jack.act("unplug headphones")
            diary.attempt("connect what is gone", within: limit) { try player.driver.connect("headphones") }
            for port in (player.driver.devices ?? []).flatMap(\.ports) where !diary.isStuck {
                diary.attempt("disconnect \(port.uid)", within: limit) { player.driver.disconnect(port.uid) }
            }
        }
        diary.attempt("close", within: limit) { engine.close() }
    }

    /// Waits for the news of them to be told, if the driver tells devices.
    private func noteDevices(of player: JackPlayer) {
        guard player.driver.devices != nil else { return }
        let told = player.events.wait(limit: patience) { _ in
            (player.driver.devices ?? []).contains { $0.ports.contains { $0.kind == .headphones } }
        }
        diary.note("plugged: \(told ? "known" : "unknown")")
    }
}
