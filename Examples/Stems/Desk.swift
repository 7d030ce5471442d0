import AudioRendering
import AudioSessions
import CEcho

/// Keeps the C echo for as long as the engine renders it: the insert owns it.
///
/// Unchecked `Sendable`: only the render thread is in it.
final class Echo: @unchecked Sendable {
    let handle: OpaquePointer

    init(channels: Int, delayFrames: Int, feedback: Float) throws {
        guard let handle = echo_create(UInt32(channels), UInt32(delayFrames), feedback) else {
            throw Failure(1, "There is no memory for an echo of \(delayFrames) frames; close other programs.")
        }
        self.handle = handle
    }

    deinit { echo_destroy(handle) }
}

/// The desk: a value. Drums and bass are a group; the echo is a return, fed by sends alone.
func desk(for stems: [Stem], rate: Int) throws -> BusGraph {
    let echo = try Echo(channels: 2, delayFrames: rate * 3 / 8, feedback: 0.55)  // three quarters of a beat
    let insert = try AudioInsert(context: UnsafeMutableRawPointer(echo.handle), owner: echo, function: echo_render)
    let channels = stems.map(\.source.channels)
    return BusGraph(
        buses: [
            .init("rhythm"),
            // A mono bus is panned, any other balanced; by which law, it says itself. The bass has none: it stays in the middle.
            .init("drums", to: "rhythm", channels: channels[0], panLaw: .equalPower, gain: 0.9, pan: 0.1),
            .init("bass", to: "rhythm", channels: channels[1], panLaw: nil, gain: 0.6),
            .init("pad", channels: channels[2], panLaw: .linear, gain: 0),
            .init("voice", channels: channels[3], panLaw: .equalPower, gain: 0.9),
            // Solo-safe: whoever is soloed keeps the echo. Two channels: as many as its insert was made for.
            .init("echo", channels: 2, insert: insert, isSoloSafe: true, gain: 0.8),
        ],
        sends: [
            // Behind the fader: what is turned down sends less.
            .init(from: "voice", to: "echo", level: 0.2), .init(from: "drums", to: "echo", level: 0.05),
        ])
}

/// Moves the faders, each on its frame. `frame` tells that of a moment of the music, in seconds.
func automate(_ bus: SessionBus, _ words: Words?, frame: (Double) -> UInt64) throws {
    let pad = try bus.bus("pad")
    // Even in decibels, as ears hear: it rises out of nothing, and wanders from left to right meanwhile.
    try pad.automateGain([.init(frame: frame(0), value: 0), .init(frame: frame(4), value: 0.6, curve: .exponential)])
    try pad.automatePan([.init(frame: frame(0), value: -0.8), .init(frame: frame(10), value: 0.8)])

    guard let words else { return }  // nobody to make room for
    // The rhythm makes room for the voice, and returns when that has left. An S begins and ends gently.
    let duck = max(words.begin - 0.4, 0)
    try bus.bus("rhythm").automateGain([
        .init(frame: frame(duck), value: 1), .init(frame: frame(duck + 0.4), value: 0.5, curve: .s),
        .init(frame: frame(max(words.end, duck + 0.4)), value: 0.5),
        .init(frame: frame(max(words.end, duck + 0.4) + 1), value: 1, curve: .s),
    ])
    // The last word is thrown into the echo, which goes on alone.
    try bus.bus("voice").send(to: "echo").automateLevel([
        .init(frame: frame(words.last), value: 0.2), .init(frame: frame(words.last + 0.02), value: 1),
    ])
}
