// OpenALGame [SECONDS]: a sound circles the listener, mixed by OpenAL and played through an audio
// session; until interrupted with ^C by default.
import AudioSessions
import COpenALLoopback
import Foundation
import OpenALRecipe

/// Moves the source once around the listener in four seconds. Fails during an interruption, when
/// the context is NULL: the game's world stands still then.
func circle(_ source: UInt32, in context: OpenALContext) {
    let angle = 2 * Double.pi * Double(context.framesRendered) / (4 * Double(context.sampleRate))
    _ = openal_source_move(context.loopback, source, Float(sin(angle)), 0, Float(-cos(angle)))
}

do {
    let session = AudioSession.shared
    // Connects to the audio server: only then is its sample rate known.
    try session.setCategory(.ambient)
    try session.setActive(true)
    let rate = Int(session.sampleRate)
    let context = try OpenALContext(sampleRate: rate, hrtf: true)
    let game = try OpenALGame(session: session, context: context)

    // A helicopter: a low tone in pulses. One second, which repeats without a click.
    let samples = (0..<rate).map { frame in
        let time = Double(frame) / Double(rate)
        return Float(0.2 * sin(2 * .pi * 110 * time) * pow(sin(.pi * 12 * time), 4))
    }
    var source: UInt32 = 0
    try OpenALError.check(
        openal_source_play(context.loopback, samples, 1, UInt32(rate), UInt32(rate), &source))
    try game.play()

    let seconds = CommandLine.arguments.dropFirst().first.flatMap(Double.init) ?? .infinity
    let end = Date(timeIntervalSinceNow: min(max(0, seconds), 1e9))
    let timer = DispatchSource.makeTimerSource()
    timer.setEventHandler { [source] in circle(source, in: context) }
    timer.schedule(deadline: .now(), repeating: 1.0 / 60)
    timer.resume()
    RunLoop.current.run(until: end)
    timer.cancel()
    try game.pause()
    try context.close()
} catch {
    FileHandle.standardError.write(Data("OpenALGame: \(error)\n".utf8))
    exit(1)
}
