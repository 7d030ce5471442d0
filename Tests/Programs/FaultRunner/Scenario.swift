import TestSupport

/// A body: what an app does in a run, and the limits of the run.
struct Scenario: Sendable {
    let jack: FakeJack
    let log: RunLog
    /// The timeout of a driver's calls, in seconds.
    var timeout = 2.0
    /// The seconds for which a driver tries to reconnect.
    var recovery = 5.0
    /// The seconds to wait for an event that a fault may prevent.
    var patience = 10.0
    /// How the server's end is reported, as arguments of the fake's `die`.
    var shutdown = "info"
    /// The file of a capture, or the format of a file to play.
    var path = "wav"
    /// The fault that applies to the file.
    var fault = ""
    /// The number of file descriptors that stay free during a shortage.
    var left = 0
    /// The seconds beyond its deadline that a call may take on a busy machine.
    let slack = 5.0
    /// The seconds that a call of the driver may take.
    var limit: Double { timeout + slack }

    typealias Body = @Sendable (Scenario) throws -> Void

    static let all: [String: Body] = [
        "life": { try $0.runLife() },
        "devices": { try $0.runDevices() },
        "descriptors": { try $0.runDescriptors() },
        "programs": { try $0.runPrograms() },
        "switch": { try $0.runSwitch() },
        "hosts": { try $0.runHosts() },
        "session": { try $0.runSession() },
        "activation": { try $0.runActivation() },
        "capture": { try $0.runCapture() },
        "streaming": { try $0.runStreaming() },
        "recording": { try $0.runRecording() },
    ]

    /// The server's state before the script.
    static let stage = ["plug system 2 2"]

    /// Logs whether there is sound now.
    func listen(to player: JackPlayer, _ when: String) {
        let before = jack.counts["sounding"] ?? 0
        // A cycle is counted after it has ended. The last of these frames play in a later cycle
        // than the first ones, which a single long cycle may have played.
        let runs =
            (try? player.waitForFrames(512, limit: patience) && player.waitForFrames(1, limit: patience)) ?? false
        let sounds = runs && (jack.counts["sounding"] ?? 0) > before
        log.note("\(when): \(sounds ? "sound" : runs ? "silence" : "no cycles")")
    }

    func checkEvents(of player: JackPlayer) {
        if let fault = RunLog.findFault(in: player.events.noted) { log.note("FAULT: \(fault)") }
    }
}
