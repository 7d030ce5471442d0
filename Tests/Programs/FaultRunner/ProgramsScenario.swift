import AudioRendering
import JackDriver
import TestSupport

extension Scenario {
    /// Makes ports for other programs, connects them, finds nodes, and opens a second client, all
    /// before and after the loss of the server.
    func runPrograms() throws {
        let player = try JackPlayer(self)
        let engine = player.engine
        defer { checkEvents(of: player) }
        jack.act("plug synth 2 2")
        log.attempt("open", within: limit) { try engine.open() }
        let opened = log.attempt("start", within: limit) { try engine.start() } != nil
        log.attempt("watch", within: limit) { player.driver.watchNodes() }
        let companion = player.driver.makeCompanion(named: "-return", connects: true)
        let second = try companion.map { try AudioEngine(driver: $0) }
        let input = log.attempt("inputs", within: limit) { try connect(player, .input, "in-ports", "synth:capture") }
        let output = log.attempt("outputs", within: limit) {
            try connect(player, .output, "out-ports", "synth:playback")
        }
        log.attempt("second client", within: limit) { try second?.start() }
        if opened, !player.events.noted.contains(.serverLost) {
            jack.act("die \(shutdown)")
            _ = log.attempt("loss") { player.waitForLosses(1, limit: patience) }
            jack.act("return")
            log.note("return: \(player.waitForReturns(1, limit: patience))")
        }
        for ports in [input, output] { log.attempt("disconnect", within: limit) { ports??.disconnect() } }
        log.attempt("close second", within: limit) { second?.close() }
        log.attempt("close", within: limit) { engine.close() }
        withExtendedLifetime((input, output)) {}
    }

    private func connect(
        _ player: JackPlayer, _ direction: DevicePort.Direction, _ name: String, _ far: String
    ) throws -> AudioPorts? {
        let ports = try player.engine.makePorts(name: name, direction: direction, channels: 2)
        player.driver.setIcon([1, 2, 3], ofPort: "\(name)_1")
        player.driver.setIcon([], ofPort: "\(name)_2")
        try ports.connect(to: ["\(far)_1", "\(far)_3"])
        return ports
    }
}
