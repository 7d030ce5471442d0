// Arithmetic on existing memory: the compiler must accept it.
@_noLocks
func render(
    context: UnsafeMutableRawPointer?, planes: UnsafePointer<UnsafeMutablePointer<Float>?>?, channels: UInt32,
    frames: UInt32
) -> UInt32 {
    guard let plane = planes?[0] else { return 0 }
    for frame in 0..<Int(frames) { plane[frame] = 0 }
    return frames
}
