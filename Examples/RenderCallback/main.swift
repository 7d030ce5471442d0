// RenderCallback [SECONDS]: generates a tone in a Swift function on the render thread, for two
// seconds by default.
//
// With `@_noLocks`, the compiler rejects everything in the function that could take a lock or
// allocate memory: arrays, classes, closures, `print`, and every function whose body it cannot see,
// including C functions. What remains is allowed on a render thread: arithmetic on memory that was
// allocated before.
import AudioRendering
import AudioSessions
import Foundation

/// A rotating phasor: one rotation for each period of the tone. A step takes four multiplications
/// and no sine.
struct Oscillator {
    var (x, y): (Float, Float) = (1, 0)
    var (cosine, sine): (Float, Float)

    init(hertz: Double, sampleRate: Double) {
        let angle = 2 * Double.pi * hertz / sampleRate
        (cosine, sine) = (Float(cos(angle)), Float(sin(angle)))
    }
}

@_noLocks
func renderTone(
    context: UnsafeMutableRawPointer?, planes: UnsafePointer<UnsafeMutablePointer<Float>?>?, channels: UInt32,
    frames: UInt32
) -> UInt32 {
    guard let oscillator = context?.assumingMemoryBound(to: Oscillator.self), let plane = planes?[0] else { return 0 }
    var tone = oscillator.pointee
    for frame in 0..<Int(frames) {
        plane[frame] = tone.y
        (tone.x, tone.y) = (tone.x * tone.cosine - tone.y * tone.sine, tone.x * tone.sine + tone.y * tone.cosine)
    }
    oscillator.pointee = tone
    return frames
}

do {
    let session = AudioSession.shared
    try session.setCategory(.playback)
    try session.setActive(true)

    let oscillator = UnsafeMutablePointer<Oscillator>.allocate(capacity: 1)
    oscillator.initialize(to: Oscillator(hertz: 440, sampleRate: session.sampleRate))
    let ended = DispatchSemaphore(value: 0)
    let rate = Int(session.sampleRate)
    let seconds = CommandLine.arguments.dropFirst().first.flatMap(Double.init) ?? 2
    let end = try session.engine.currentFrame + UInt64(max(0, min(seconds, 86_400)) * Double(rate))
    let voice = try session.engine.play(
        .render(RenderSource(channels: 1, context: oscillator, function: renderTone)), on: session.bus, gain: 0.1,
        pan: Pan(-1), fadeInFrames: rate / 100
    ) { _ in ended.signal() }
    try voice.setPan(1, rampFrames: 2 * rate)  // from left to right in two seconds
    try voice.stop(fadeFrames: rate / 2, at: end)
    ended.wait()
    oscillator.deallocate()  // the render thread no longer uses it
    try session.setActive(false)
} catch {
    FileHandle.standardError.write(Data("RenderCallback: \(error)\n".utf8))
    exit(1)
}
