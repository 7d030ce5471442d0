import AudioRendering
import Foundation

/// A silent source that hangs the cycle between SIGUSR1 and SIGUSR2.
enum Hang {
    /// Whether the cycle is to hang. Unsafe: signal handlers set it, and the render thread reads
    /// it.
    nonisolated(unsafe) private static let flag: UnsafeMutablePointer<Int32> = {
        let flag = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        flag.initialize(to: 0)
        return flag
    }()

    static var source: RenderSource {
        _ = flag
        signal(SIGUSR1) { _ in Hang.flag.pointee = 1 }
        signal(SIGUSR2) { _ in Hang.flag.pointee = 0 }
        return RenderSource(channels: 1, context: flag) { context, planes, _, frames in
            guard let flag = context?.assumingMemoryBound(to: Int32.self), let plane = planes?[0] else { return 0 }
            for frame in 0..<Int(frames) { plane[frame] = 0 }
            while flag.pointee != 0 { poll(nil, 0, 1) }
            return frames
        }
    }
}
