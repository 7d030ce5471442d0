import CRenderCore
import Processes

/// Noise in loops, the same every time: as the bare loops read it, and in the core's buffers.
final class Samples {
    let channels: Int
    /// The length of each source.
    let frames: Int
    /// The distance between planes. A plane continues past its end, for the frames of a pitched
    /// period.
    let stride: Int
    let buffers: [OpaquePointer]
    private let planes: UnsafeMutablePointer<Float>
    private let owned: [Owned]
    /// The frames before a plane's first one: the end of its loop.
    private static let guardFrames = 16

    /// Makes `count` sources for periods of at most `period` frames.
    init(count: Int, frames: Int, channels: Int, period: Int) throws {
        (self.channels, self.frames) = (channels, frames)
        let tail = 2 * period + Self.guardFrames
        // The stride is an odd number of cache lines; with a power of two, the planes would compete
        // for the same cache sets.
        let stride = 16 * (((Self.guardFrames + frames + tail) / 16 + 1) | 1)
        let planes = Planes.allocate(count * channels * stride)
        var owned: [Owned] = []
        for source in 0..<count {
            let first = planes + source * channels * stride + Self.guardFrames
            let rows = (0..<channels).map { UnsafePointer(first + $0 * stride) as UnsafePointer<Float>? }
            for channel in 0..<channels {
                Self.fill(first + channel * stride, frames, tail, seed: UInt64(source * channels + channel))
            }
            owned.append(
                try Owned(rcore_buffer_create(UInt32(channels), UInt64(frames), rows, nil), rcore_buffer_release))
        }
        (self.stride, self.planes, self.owned, buffers) = (stride, planes, owned, owned.map(\.handle))
    }

    deinit { planes.deallocate() }

    /// Returns frame 0 of a voice's channel. Voices share the sources in turn.
    func plane(_ voice: Int, _ channel: Int = 0) -> UnsafePointer<Float> {
        UnsafePointer(planes + ((voice % buffers.count) * channels + channel) * stride + Self.guardFrames)
    }

    /// Fills a plane with noise between -1 and 1, by SplitMix64: sources with different seeds are
    /// uncorrelated. Copies the loop's end before its start, and its start after its end as often
    /// as necessary: readers need not wrap.
    private static func fill(_ plane: UnsafeMutablePointer<Float>, _ frames: Int, _ tail: Int, seed: UInt64) {
        var state = seed << 32
        for frame in 0..<frames {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            plane[frame] = Float(Int32(truncatingIfNeeded: mixed >> 32)) / 2_147_483_648
        }
        (plane - guardFrames).update(from: plane + frames - guardFrames, count: guardFrames)
        for frame in 0..<tail { plane[frames + frame] = plane[frame] }
    }
}

/// The channels of a period, zeroed and aligned to cache lines, as drivers provide them.
final class Planes {
    let count: Int
    let frames: Int
    /// The distance between planes.
    let stride: Int
    let samples: UnsafeMutablePointer<Float>
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>

    init(count: Int, frames: Int) {
        let lines = (frames + 15) / 16
        // At a distance of whole pages, the processor takes a load from one plane for a load of
        // what was just stored in the other.
        (self.count, self.frames, stride) = (count, frames, 16 * (lines % 64 == 0 ? lines + 1 : lines))
        samples = Self.allocate(count * stride)
        pointers = .allocate(capacity: count)
        for plane in 0..<count { (pointers + plane).initialize(to: samples + plane * stride) }
    }

    deinit {
        samples.deallocate()
        pointers.deallocate()
    }

    subscript(plane: Int) -> UnsafeBufferPointer<Float> {
        UnsafeBufferPointer(start: samples + plane * stride, count: frames)
    }

    static func allocate(_ count: Int) -> UnsafeMutablePointer<Float> {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: max(64, count * 4), alignment: 64)
        return memory.initializeMemory(as: Float.self, repeating: 0, count: count)
    }
}

/// An object of a C library, and its end.
///
/// Unchecked `Sendable`: nothing writes its members.
final class Owned: @unchecked Sendable {
    let handle: OpaquePointer
    private let destroy: (OpaquePointer?) -> Void

    /// Throws if there is no object, because a create function returned NULL.
    init(_ handle: OpaquePointer?, _ destroy: @escaping (OpaquePointer?) -> Void) throws {
        guard let handle else { throw BenchmarkError("Cannot make an object: out of memory or out of range.") }
        (self.handle, self.destroy) = (handle, destroy)
    }

    deinit { destroy(handle) }
}
