// Calls a function that the compiler cannot inspect: the compiler must refuse it.
import Glibc

@_noLocks
func render(
    context: UnsafeMutableRawPointer?, planes: UnsafePointer<UnsafeMutablePointer<Float>?>?, channels: UInt32,
    frames: UInt32
) -> UInt32 {
    planes?[0]?[0] = Float(sin(Double(frames)))
    return frames
}
