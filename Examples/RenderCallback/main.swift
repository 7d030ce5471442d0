// A tone that is made as it is heard: a Swift function on the render thread.
//
// `@_noLocks` has the compiler refuse whatever could take a lock or allocate memory in it: arrays, classes, closures, `print`, and every
// function that it cannot look into, those of C too. What is left is what a render thread may do: arithmetic on memory that was there before.
import AudioRendering
import AudioSessions
import Foundation

/// A pointer that turns round, once for each period of the tone. Turning takes four multiplications, and no sine.
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
    let voice = try session.engine.play(
        .render(RenderSource(channels: 1, context: oscillator, function: renderTone)), on: session.bus, gain: 0.1,
        pan: Pan(-1), fadeInFrames: rate / 100
    ) { _ in ended.signal() }
    try voice.setPan(1, rampFrames: 2 * rate)  // from left to right, in two seconds
    try voice.stop(fadeFrames: rate / 2, at: session.engine.currentFrame + UInt64(2 * rate))
    ended.wait()
    oscillator.deallocate()  // nobody renders it any more
    try session.setActive(false)
} catch {
    FileHandle.standardError.write(Data("RenderCallback: \(error)\n".utf8))
    exit(1)
}
