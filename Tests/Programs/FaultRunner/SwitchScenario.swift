import AudioRendering
import JackDriver
import TestSupport

extension Scenario {
    /// The server reopens its own driver, as jackd does for another sample rate: the ports
    /// disappear and return. In a second run they disappear and do not return.
    func runSwitch() throws {
        try run(patience: nil) { player in
            let links = jack.counts["links"] ?? 0
            jack.act("unplug system")
            // A device that appears is reported after the check for devices that have disappeared.
            jack.act("plug headphones 2 1 virtual-device:headphones:Cans:%d")
            recordDevices(of: player, "away") { $0.contains { $0.uid == "Cans" } }
            jack.act("rate 44100")
            jack.act("plug system 2 2")
            jack.act("unplug headphones")
            recordDevices(of: player, "back") { !$0.contains { $0.uid == "Cans" } }
            // The check that finds the ports reports them before it connects them.
            _ = eventually(seconds: patience) { jack.counts["links"] == links }
            log.note("links: \(jack.counts["links"] ?? 0) of \(links)")
            listen(to: player, "afterwards")
        }
        try run(patience: 0.1) { player in
            jack.act("unplug system")
            recordDevices(of: player, "gone") { $0.isEmpty }
        }
    }

    private func run(patience: Double?, _ middle: (JackPlayer) -> Void) throws {
        let player = try JackPlayer(self, switchPatience: patience)
        defer { checkEvents(of: player) }
        log.attempt("open", within: limit) { try player.engine.open() }
        log.attempt("play") { _ = try player.play() }
        log.attempt("start", within: limit) { try player.engine.start() }
        listen(to: player, "started")
        middle(player)
        log.attempt("close", within: limit) { player.engine.close() }
    }

    private func recordDevices(
        of player: JackPlayer, _ when: String, until isReached: @escaping ([AudioDevice]) -> Bool
    ) {
        var devices: [AudioDevice]?
        let isNotified = player.events.wait(limit: patience) { events in
            for case .devicesChanged(let notified) in events { devices = notified }
            return devices.map(isReached) ?? false
        }
        let uids = (devices ?? []).map(\.uid)
        log.note("\(when)\(isNotified ? "" : ", not notified"): \(uids.joined(separator: ", "))")
    }
}
