import AudioRendering
import TestSupport

extension Story {
    /// Opens a driver while few file descriptors are free, and again when all are free. Then the
    /// server dies and returns while few are free.
    func tellDescriptors() throws {
        let player = try JackPlayer(self)
        let engine = player.engine
        defer { checkEvents(of: player) }
        let shortage = try DescriptorShortage(leaving: left)
        let isOpen = diary.attempt("open", within: limit) { try engine.open() } != nil
        shortage.release()
        if !isOpen { diary.attempt("open again", within: limit) { try engine.open() } }
        diary.attempt("play") { try player.play() }
        diary.attempt("start", within: limit) { try engine.start() }
        listen(to: player, "started")
        try loseServer(of: player)
        diary.attempt("close", within: limit) { engine.close() }
    }

    private func loseServer(of player: JackPlayer) throws {
        let shortage = try DescriptorShortage(leaving: left)
        jack.act("die \(farewell)")
        diary.attempt("loss") { player.waitForLosses(1, limit: patience) }
        jack.act("return")
        // With enough descriptors the driver is back within milliseconds.
        diary.note("return meanwhile: \(player.waitForReturns(1, limit: 1))")
        shortage.release()
        diary.note("return: \(player.waitForReturns(1, limit: patience))")
        listen(to: player, "returned")
    }
}
