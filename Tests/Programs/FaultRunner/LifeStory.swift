import AudioRendering
import JackDriver
import TestSupport

extension Story {
    /// A driver's whole life: it opens, plays, changes its period, loses its server, comes back, and is opened a second time.
    func tellLife() throws {
        let player = try JackPlayer(self)
        let engine = player.engine
        defer { checkEvents(of: player) }
        live(player)
        diary.attempt("stop") { engine.stop() }
        diary.attempt("close", within: limit) { engine.close() }
        // Whatever went wrong: it can be begun anew.
        diary.attempt("open again", within: limit) { try engine.open() }
        diary.attempt("close again", within: limit) { engine.close() }
    }

    private func live(_ player: JackPlayer) {
        let engine = player.engine
        let opened = diary.attempt("open", within: limit) { try engine.open() } != nil
        diary.attempt("play") { _ = try player.play() }
        let started = diary.attempt("start", within: limit) { try engine.start() } != nil
        if started { listen(to: player, "started") }
        // The loss is told on a thread of its own.
        if diary.noted.contains(where: { $0.hasPrefix("start: error serverLost") }) {
            _ = player.waitForLosses(1, limit: patience)
        }
        diary.attempt("period", within: limit) { try engine.requestPeriod(frames: 128) }
        if started { listen(to: player, "another period") }
        guard opened, !player.events.noted.contains(.serverLost) else { return }
        jack.act("die \(farewell)")
        guard diary.attempt("loss", { player.waitForLosses(1, limit: patience) }) == true else { return }
        diary.attempt("a call meanwhile", within: limit) { try engine.requestPeriod(frames: 256) }
        jack.act("return")
        let returned = player.waitForReturns(1, limit: patience)
        diary.note("return: \(returned)")
        if returned, started { listen(to: player, "returned") }
    }
}
