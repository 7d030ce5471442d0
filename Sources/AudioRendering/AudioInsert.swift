internal import CRenderCore

/// An effect of an app's own on a bus: a C function that changes the bus's samples where they are, on the render thread.
///
/// It is called once a slice with one pointer for each channel of its bus, in silence too (tails go on), and not while the session stands still. It keeps the
/// contract of the render thread: it takes no lock, allocates nothing, and makes no system call. A C function says so by
/// `__attribute__((nonblocking))`; in Swift, mark it `@_noLocks` and the compiler checks it (see ``RenderSource``).
///
/// An insert belongs to one bus of one engine, and always gets as many channels: it has a state. `context` and `owner` stay until nothing of a graph that has it is heard any more.
///
/// Unchecked `Sendable`: immutable; what `context` points to is the app's and belongs to the render thread while a graph has it.
public final class AudioInsert: @unchecked Sendable, Equatable {
    /// Changes `frames` frames in `planes`, one for each of `channels`.
    public typealias Function =
        @convention(c) (
            _ context: UnsafeMutableRawPointer?, _ planes: UnsafePointer<UnsafeMutablePointer<Float>?>?,
            _ channels: UInt32, _ frames: UInt32
        ) -> Void

    /// The longest latency of an insert, and of all that one path goes through, in frames.
    public static let maximumLatency = Int(RCORE_MAX_LATENCY)

    /// Frames by which the function delays what goes through it; paths beside it are delayed as much.
    public let latencyFrames: Int
    let function: Function
    let context: UnsafeMutableRawPointer
    private let owner: (any AnyObject & Sendable)?
    private let claimed = Locked(ClaimedBy())

    private struct ClaimedBy { weak var engine: AudioEngine? }

    /// `context` is handed to `function`; `owner` is kept with it. Throws `invalidArgument` for a latency that is not 0…65,536 frames.
    public init(
        latencyFrames: Int = 0, context: UnsafeMutableRawPointer, owner: (any AnyObject & Sendable)? = nil,
        function: @escaping Function
    ) throws(AudioEngineError) {
        guard (0...Self.maximumLatency).contains(latencyFrames) else {
            throw .invalidArgument(
                what: "an insert that delays by \(latencyFrames) frames: 0 to \(Self.maximumLatency)")
        }
        self.latencyFrames = latencyFrames
        self.context = context
        self.owner = owner
        self.function = function
    }

    /// Whether they are the same object.
    public static func == (a: AudioInsert, b: AudioInsert) -> Bool { a === b }

    /// Belongs to that engine from now on, for as long as that lives: two render threads must not be in one effect. False: another has it.
    func claim(for engine: AudioEngine) -> Bool {
        claimed.withLock { claimed in
            if claimed.engine == nil { claimed.engine = engine }
            return claimed.engine === engine
        }
    }
}
