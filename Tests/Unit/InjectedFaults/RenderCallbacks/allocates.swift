// Allocates on the render thread: the compiler must refuse it.
@_noLocks
func render(
    context: UnsafeMutableRawPointer?, planes: UnsafePointer<UnsafeMutablePointer<Float>?>?, channels: UInt32,
    frames: UInt32
) -> UInt32 {
    let silence = [Float](repeating: 0, count: Int(frames))
    return UInt32(silence.count)
}
