import AudioRendering
import JackDriver
import TestSupport

extension Story {
    /// The server opens its own driver anew, as jackd does for another rate: its ports go and come. Then they go and stay away.
    func tellSwitch() throws {
        try tell(patience: nil) { player in
            let links = jack.counts["links"] ?? 0
            jack.act("unplug system")
            // News that something else is there comes after a look at what is not.
            jack.act("plug headphones 2 1 stand-in:headphones:Cans:%d")
            noteDevices(of: player, "away") { $0.contains { $0.uid == "Cans" } }
            jack.act("rate 44100")
            jack.act("plug system 2 2")
            jack.act("unplug headphones")
            noteDevices(of: player, "back") { !$0.contains { $0.uid == "Cans" } }
            // The look that finds the ports connects them after it has told them.
            _ = eventually(seconds: patience) { jack.counts["links"] == links }
            diary.note("links: \(jack.counts["links"] ?? 0) of \(links)")
            listen(to: player, "afterwards")
        }
        try tell(patience: 0.1) { player in
            jack.act("unplug system")
            noteDevices(of: player, "gone") { $0.isEmpty }
        }
    }

    private func tell(patience: Double?, _ middle: (JackPlayer) -> Void) throws {
        let player = try JackPlayer(self, switchPatience: patience)
        defer { checkEvents(of: player) }
        diary.attempt("open", within: limit) { try player.engine.open() }
        diary.attempt("play") { _ = try player.play() }
        diary.attempt("start", within: limit) { try player.engine.start() }
        listen(to: player, "started")
        middle(player)
        diary.attempt("close", within: limit) { player.engine.close() }
    }

    private func noteDevices(
        of player: JackPlayer, _ when: String, until isReached: @escaping ([HardwareDevice]) -> Bool
    ) {
        var devices: [HardwareDevice]?
        let isTold = player.events.wait(limit: patience) { events in
            for case .devicesChanged(let told) in events { devices = told }
            return devices.map(isReached) ?? false
        }
        let uids = (devices ?? []).map(\.uid)
        diary.note("\(when)\(isTold ? "" : ", not told"): \(uids.joined(separator: ", "))")
    }
}
