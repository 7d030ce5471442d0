// Counts references on the render thread: the compiler must refuse it.
final class Tone { var phase: Float = 0 }

nonisolated(unsafe) var tone: Tone? = Tone()

@_noLocks
func render(
    context: UnsafeMutableRawPointer?, planes: UnsafePointer<UnsafeMutablePointer<Float>?>?, channels: UInt32,
    frames: UInt32
) -> UInt32 {
    let used = tone
    return used == nil ? 0 : frames
}
