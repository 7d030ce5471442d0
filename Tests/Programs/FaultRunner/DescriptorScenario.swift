import AudioRendering
import TestSupport

extension Scenario {
    /// Opens a driver while few file descriptors are free, and again when all are free. Then the
    /// server dies and returns while few are free.
    func runDescriptors() throws {
        let player = try JackPlayer(self)
        let engine = player.engine
        defer { checkEvents(of: player) }
        let shortage = try DescriptorShortage(leaving: left)
        let isOpen = log.attempt("open", within: limit) { try engine.open() } != nil
        shortage.release()
        if !isOpen { log.attempt("open again", within: limit) { try engine.open() } }
        log.attempt("play") { try player.play() }
        log.attempt("start", within: limit) { try engine.start() }
        listen(to: player, "started")
        try loseServer(of: player)
        log.attempt("close", within: limit) { engine.close() }
    }

    private func loseServer(of player: JackPlayer) throws {
        let shortage = try DescriptorShortage(leaving: left)
        jack.act("die \(shutdown)")
        log.attempt("loss") { player.waitForLosses(1, limit: patience) }
        jack.act("return")
        // With enough descriptors the driver reconnects within milliseconds.
        log.note("return meanwhile: \(player.waitForReturns(1, limit: 1))")
        shortage.release()
        log.note("return: \(player.waitForReturns(1, limit: patience))")
        listen(to: player, "returned")
    }
}
