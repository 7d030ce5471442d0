internal import CRenderCore

/// The C render core (`rcore_t`) of an engine, which lives as long as the engine.
///
/// Unchecked `Sendable`: the handle is immutable. Each C function documents the threads that may
/// call it, and the engine obeys that.
public final class RenderCore: @unchecked Sendable {
    /// The `rcore_t *`, for drivers.
    public let handle: OpaquePointer
    /// The engine's own command queue (`rcore_queue_t *`), used under the control lock.
    let queue: OpaquePointer
    /// The sizes that the core was created with.
    let sizes: rcore_config_t

    /// Creates a core. Throws `AudioEngineError.invalidArgument` or `.outOfMemory`.
    init(_ sizes: rcore_config_t) throws(AudioEngineError) {
        var configuration = sizes
        var status = RCORE_OK
        guard let handle = rcore_create(&configuration, &status) else {
            throw AudioEngineError(status, "creating the render core")
        }
        guard let queue = rcore_queue_open(handle, &status) else {
            rcore_destroy(handle)
            throw AudioEngineError(status, "opening the engine's command queue")
        }
        self.handle = handle
        self.queue = queue
        self.sizes = sizes
    }

    deinit { rcore_destroy(handle) }
}
