import AudioRendering
import JackDriver
import TestSupport

extension Scenario {
    /// The complete life of a driver: it opens, plays, changes its buffer size, is suspended, loses
    /// its server, reconnects, and is opened a second time.
    func runLife() throws {
        let player = try JackPlayer(self)
        let engine = player.engine
        defer { checkEvents(of: player) }
        live(player)
        log.attempt("stop") { engine.stop() }
        log.attempt("close", within: limit) { engine.close() }
        // After any error the driver can be opened again.
        log.attempt("open again", within: limit) { try engine.open() }
        log.attempt("close again", within: limit) { engine.close() }
    }

    private func live(_ player: JackPlayer) {
        let engine = player.engine
        let opened = log.attempt("open", within: limit) { try engine.open() } != nil
        log.attempt("play") { _ = try player.play() }
        var started = log.attempt("start", within: limit) { try engine.start() } != nil
        if started { listen(to: player, "started") }
        // A separate thread reports the loss.
        if log.noted.contains(where: { $0.hasPrefix("start: error serverLost") }) {
            _ = player.waitForLosses(1, limit: patience)
        }
        log.attempt("period", within: limit) { try engine.requestPeriod(frames: 128) }
        if started { listen(to: player, "another period") }
        log.attempt("transport", within: limit) {
            try engine.transport.setRole(.leader)
            try engine.transport.start()
            try engine.transport.locate(toBeat: 4)
            try engine.transport.stop()
        }
        if started {
            log.attempt("suspend") { engine.suspend() }
            // The first one is answered after the deactivation.
            log.attempt("period while suspended", within: limit) { try engine.requestPeriod(frames: 256) }
            log.attempt("period of before", within: limit) { try engine.requestPeriod(frames: 128) }
            started = log.attempt("start after the suspension", within: limit) { try engine.start() } != nil
        }
        if started { listen(to: player, "after the suspension") }
        guard opened, !player.events.noted.contains(.serverLost) else { return }
        jack.act("die \(shutdown)")
        guard log.attempt("loss", { player.waitForLosses(1, limit: patience) }) == true else { return }
        log.attempt("a call meanwhile", within: limit) { try engine.requestPeriod(frames: 256) }
        jack.act("return")
        let returned = player.waitForReturns(1, limit: patience)
        log.note("return: \(returned)")
        if returned, started { listen(to: player, "returned") }
    }
}
