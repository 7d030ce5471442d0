import AudioRendering
import AudioSessions
import CEcho

/// Owns the C echo. The insert owns this object, so the echo exists as long as the engine renders
/// it.
///
/// Unchecked `Sendable`: only the render thread uses the echo.
final class Echo: @unchecked Sendable {
    let handle: OpaquePointer

    init(channels: Int, delayFrames: Int, feedback: Float) throws {
        guard let handle = echo_create(UInt32(channels), UInt32(delayFrames), feedback) else {
            throw Failure(1, "Not enough memory for an echo of \(delayFrames) frames; close other programs.")
        }
        self.handle = handle
    }

    deinit { echo_destroy(handle) }
}

/// Returns the mixer graph, which is a value. Drums and bass form a group; the echo is a return
/// bus, which only sends feed.
func mixerGraph(for stems: [Stem], rate: Int) throws -> BusGraph {
    // The delay is three quarters of a beat.
    let echo = try Echo(channels: 2, delayFrames: rate * 3 / 8, feedback: 0.55)
    let insert = try AudioInsert(context: UnsafeMutableRawPointer(echo.handle), owner: echo, function: echo_render)
    let channels = stems.map(\.source.channels)
    return BusGraph(
        buses: [
            .init("rhythm"),
            // A mono bus is panned and any other bus is balanced, by its own pan law. The bass has
            // no pan law and stays in the center.
            .init("drums", to: "rhythm", channels: channels[0], panLaw: .equalPower, gain: 0.9, pan: 0.1),
            .init("bass", to: "rhythm", channels: channels[1], panLaw: nil, gain: 0.6),
            .init("pad", channels: channels[2], panLaw: .linear, gain: 0),
            .init("voice", channels: channels[3], panLaw: .equalPower, gain: 0.9),
            // Solo-safe: the echo stays audible whichever bus is soloed. It has two channels, as
            // its insert requires.
            .init("echo", channels: 2, insert: insert, isSoloSafe: true, gain: 0.8),
        ],
        sends: [
            // Post-fader: a bus that is turned down sends less.
            .init(from: "voice", to: "echo", level: 0.2), .init(from: "drums", to: "echo", level: 0.05),
        ])
}

/// Automates the faders. `frame` returns the engine's frame for a time in the music, in seconds.
func automate(_ bus: SessionBus, _ words: Words?, frame: (Double) -> UInt64) throws {
    let pad = try bus.bus("pad")
    // Fades in linearly in decibels, as loudness is perceived, and moves from left to right.
    try pad.automateGain([.init(frame: frame(0), value: 0), .init(frame: frame(4), value: 0.6, curve: .exponential)])
    try pad.automatePan([.init(frame: frame(0), value: -0.8), .init(frame: frame(10), value: 0.8)])

    guard let words else { return }  // no vocals to duck for
    // Ducks the rhythm while the voice sings. S curves start and end gently.
    let duck = max(words.begin - 0.4, 0)
    try bus.bus("rhythm").automateGain([
        .init(frame: frame(duck), value: 1), .init(frame: frame(duck + 0.4), value: 0.5, curve: .s),
        .init(frame: frame(max(words.end, duck + 0.4)), value: 0.5),
        .init(frame: frame(max(words.end, duck + 0.4) + 1), value: 1, curve: .s),
    ])
    // Sends the last word to the echo at full level; the echo continues after the voice has ended.
    try bus.bus("voice").send(to: "echo").automateLevel([
        .init(frame: frame(words.last), value: 0.2), .init(frame: frame(words.last + 0.02), value: 1),
    ])
}
