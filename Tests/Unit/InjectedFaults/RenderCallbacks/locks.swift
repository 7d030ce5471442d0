// Takes a lock on the render thread: the compiler must refuse it.
import Synchronization

let level = Mutex<Float>(1)

@_noLocks
func render(
    context: UnsafeMutableRawPointer?, planes: UnsafePointer<UnsafeMutablePointer<Float>?>?, channels: UInt32,
    frames: UInt32
) -> UInt32 {
    let gain = level.withLock { $0 }
    return gain > 0 ? frames : 0
}
