import TestSupport

/// What an app does in a run, and what the run may take.
struct Story: Sendable {
    let jack: FakeJack
    let diary: Diary
    /// Seconds that a driver's call may take.
    var timeout = 2.0
    /// Seconds that a driver tries to come back.
    var recovery = 5.0
    /// Seconds to wait for what a fault may keep from coming.
    var patience = 10.0
    /// How the server's end is told, as the fake's `die` takes it.
    var farewell = "info"
    /// The file that a capture goes to, or the format of a file that is played.
    var path = "wav"
    /// What happens to that.
    var fault = ""
    /// How many file descriptors stay free during a shortage.
    var left = 0
    /// Seconds beyond its deadline that a call may take on a machine that is busy.
    let slack = 5.0
    /// Seconds that a call of the driver's may take.
    var limit: Double { timeout + slack }

    typealias Telling = @Sendable (Story) throws -> Void

    static let all: [String: Telling] = [
        "life": { try $0.tellLife() },
        "devices": { try $0.tellDevices() },
        "descriptors": { try $0.tellDescriptors() },
        "switch": { try $0.tellSwitch() },
        "hosts": { try $0.tellHosts() },
        "session": { try $0.tellSession() },
        "capture": { try $0.tellCapture() },
        "streaming": { try $0.tellStreaming() },
        "recording": { try $0.tellRecording() },
    ]

    /// What the server is like before a script says otherwise.
    static let stage = ["plug system 2 2"]

    /// Notes whether there is sound now.
    func listen(to player: JackPlayer, _ when: String) {
        let before = jack.counts["sounding"] ?? 0
        let runs = (try? player.waitForFrames(512, limit: patience)) ?? false
        let sounds = runs && (jack.counts["sounding"] ?? 0) > before
        diary.note("\(when): \(sounds ? "sound" : runs ? "silence" : "no cycles")")
    }

    func checkEvents(of player: JackPlayer) {
        if let fault = Diary.findFault(in: player.events.noted) { diary.note("FAULT: \(fault)") }
    }
}
