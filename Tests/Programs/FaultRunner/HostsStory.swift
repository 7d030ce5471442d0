import AudioRendering
import JackDriver
import Platform
import TestSupport

extension Story {
    /// Two drivers in one process, on threads of their own: one's troubles are not the other's.
    func tellHosts() throws {
        let players = try ["first", "second"].map { try JackPlayer(self, name: $0) }
        let done = Signpost<String>()
        for player in players {
            let name = player.driver.configuration.clientName
            _ = WorkerThread().start(name: "runner-\(name)") {
                diary.attempt("\(name) open", within: limit) { try player.engine.open() }
                diary.attempt("\(name) play") { _ = try player.play() }
                let started = diary.attempt("\(name) start", within: limit) { try player.engine.start() } != nil
                if started { listen(to: player, "\(name) started") }
                done.note(name)
            }
        }
        guard done.wait(limit: 30, until: { $0.count == 2 }) else {
            return diary.note("FAULT: the hosts did not end")
        }
        jack.act("die \(farewell)")
        for player in players where player.driver.format != nil || player.events.noted.contains(.serverLost) {
            _ = player.waitForLosses(1, limit: patience)
        }
        jack.act("return 44100 512")
        for player in players where player.events.noted.contains(.serverLost) {
            _ = player.waitForReturns(1, limit: patience)
        }
        for player in players {
            diary.attempt("\(player.driver.configuration.clientName) close", within: limit) { player.engine.close() }
            checkEvents(of: player)
        }
    }
}
