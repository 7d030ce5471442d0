internal import CRenderCore

/// A source that an app renders itself, on the render thread.
///
/// The function is called at most once a slice with one pointer for each channel and returns how many frames it rendered; fewer than asked
/// for end the voice. It keeps the contract of the render thread: it takes no lock, allocates nothing, and makes no system call. A C function
/// says so by `__attribute__((nonblocking))`; in Swift, mark it `@_noLocks` and the compiler checks it, allocation included (see
/// `Examples/RenderCallback`).
///
/// Unchecked `Sendable`: immutable; what `context` points to is the app's and belongs to the render thread while a voice plays.
public struct RenderSource: @unchecked Sendable {
    /// Renders `frames` frames into `planes`, one for each of `channels`; returns how many.
    public typealias Function =
        @convention(c) (
            _ context: UnsafeMutableRawPointer?, _ planes: UnsafePointer<UnsafeMutablePointer<Float>?>?,
            _ channels: UInt32, _ frames: UInt32
        ) -> UInt32

    /// 1…the engine's `maximumChannels`.
    public let channels: Int
    let function: Function
    let context: UnsafeMutableRawPointer?
    let owner: (any AnyObject & Sendable)?

    /// A source of `channels` channels. `context` is handed to `function`; `owner` is kept while a voice plays it.
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
