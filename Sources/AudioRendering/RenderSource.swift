internal import CRenderCore

/// A source that an app renders itself, on the render thread.
///
/// The engine calls the function at most once per block, with one pointer for each channel. The
/// function returns the number of frames that it rendered; if it returns fewer than requested, the
/// voice ends. The function must obey the contract of the render thread: no locks, no allocations,
/// no system calls. Mark a C function `__attribute__((nonblocking))`. Mark a Swift function
/// `@_noLocks`: the compiler then checks that it neither locks nor allocates (see
/// `Examples/RenderCallback`).
///
/// Unchecked `Sendable`: immutable. The app owns what `context` points to; while a voice plays,
/// only the render thread uses it.
public struct RenderSource: @unchecked Sendable {
    /// Renders `frames` frames into `planes`, one for each of `channels`, and returns the number
    /// rendered.
    public typealias Function =
        @convention(c) (
            _ context: UnsafeMutableRawPointer?, _ planes: UnsafePointer<UnsafeMutablePointer<Float>?>?,
            _ channels: UInt32, _ frames: UInt32
        ) -> UInt32

    /// The channel count, 1…the engine's `maximumChannels`.
    public let channels: Int
    let function: Function
    let context: UnsafeMutableRawPointer?
    let owner: (any AnyObject & Sendable)?

    /// Creates a source with `channels` channels. The engine passes `context` to `function`, and
    /// retains `owner` while a voice plays the source.
    public init(
        channels: Int, context: UnsafeMutableRawPointer? = nil, owner: (any AnyObject & Sendable)? = nil,
        function: @escaping Function
    ) {
        self.channels = channels
        self.function = function
        self.context = context
        self.owner = owner
    }
}
