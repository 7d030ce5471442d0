internal import CRenderCore
internal import Platform

/// An effect of the app on a bus: a C function that processes the bus's samples in place, on the
/// render thread.
///
/// The engine calls it once per block, with one pointer for each channel of its bus, in silence too
/// (so that tails decay), but not while the session is suspended. The function must obey the
/// contract of the render thread: no locks, no allocations, no system calls. Mark a C function
/// `__attribute__((nonblocking))`. Mark a Swift function `@_noLocks`, and the compiler checks it
/// (see ``RenderSource``).
///
/// An insert has state: it belongs to one bus of one engine, and always gets the same number of
/// channels. The engine keeps `context` and `owner` until no graph with the insert is audible.
///
/// Unchecked `Sendable`: immutable. The app owns what `context` points to; while a graph has the
/// insert, only the render thread uses it.
public final class AudioInsert: @unchecked Sendable, Equatable {
    /// Processes `frames` frames in `planes`, one for each of `channels`.
    public typealias Function =
        @convention(c) (
            _ context: UnsafeMutableRawPointer?, _ planes: UnsafePointer<UnsafeMutablePointer<Float>?>?,
            _ channels: UInt32, _ frames: UInt32
        ) -> Void

    /// The maximum latency of an insert, and of all inserts of one path together, in frames.
    public static let maximumLatency = Int(RCORE_MAX_LATENCY)

    /// The latency of the function, in frames. Delay compensation delays parallel paths by as much.
    public let latencyFrames: Int
    let function: Function
    let context: UnsafeMutableRawPointer
    private let owner: (any AnyObject & Sendable)?
    private let claimed = Mutex(ClaimedBy())

    private struct ClaimedBy { weak var engine: EngineIdentity? }

    /// Creates an insert. The engine passes `context` to `function` and retains `owner` with it.
    /// Throws `invalidArgument` for a latency that is not 0…65,536 frames.
    public init(
        latencyFrames: Int = 0, context: UnsafeMutableRawPointer, owner: (any AnyObject & Sendable)? = nil,
        function: @escaping Function
    ) throws(AudioEngineError) {
        guard (0...Self.maximumLatency).contains(latencyFrames) else {
            throw .invalidArgument(
                what: "an insert with a latency of \(latencyFrames) frames; valid: 0 to \(Self.maximumLatency)")
        }
        self.latencyFrames = latencyFrames
        self.context = context
        self.owner = owner
        self.function = function
    }

    /// Whether both are the same object.
    public static func == (a: AudioInsert, b: AudioInsert) -> Bool { a === b }

    /// Binds the insert to an engine for the engine's life, because two render threads must not run
    /// one effect. Returns false if it belongs to another engine.
    func claim(for engine: EngineIdentity) -> Bool {
        claimed.withLock { claimed in
            if claimed.engine == nil { claimed.engine = engine }
            return claimed.engine === engine
        }
    }
}
