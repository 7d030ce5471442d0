import AudioRendering
import JackDriver
import Platform
import TestSupport

extension Scenario {
    /// Runs two drivers in one process, on separate threads: faults of one do not affect the other.
    func runHosts() throws {
        let players = try ["first", "second"].map { try JackPlayer(self, name: $0) }
        let done = EventLog<String>()
        for player in players {
            let name = player.driver.configuration.clientName
            _ = WorkerThread().start(name: "runner-\(name)") {
                log.attempt("\(name) open", within: limit) { try player.engine.open() }
                log.attempt("\(name) play") { _ = try player.play() }
                let started = log.attempt("\(name) start", within: limit) { try player.engine.start() } != nil
                if started { listen(to: player, "\(name) started") }
                done.note(name)
            }
        }
        guard done.wait(limit: 30, until: { $0.count == 2 }) else {
            return log.note("FAULT: the hosts have not finished")
        }
        jack.act("die \(shutdown)")
        for player in players where player.driver.format != nil || player.events.noted.contains(.serverLost) {
            _ = player.waitForLosses(1, limit: patience)
        }
        jack.act("return 44100 512")
        for player in players where player.events.noted.contains(.serverLost) {
            _ = player.waitForReturns(1, limit: patience)
        }
        for player in players {
            log.attempt("\(player.driver.configuration.clientName) close", within: limit) { player.engine.close() }
            checkEvents(of: player)
        }
    }
}
