internal import CRenderCore

/// Owns the C render core (`rcore_t`) for the life of an engine.
///
/// Unchecked `Sendable`: the handle is immutable, and each C function says which thread may call it; the engine keeps to that.
public final class RenderCore: @unchecked Sendable {
    /// The `rcore_t *`, for drivers.
    public let handle: OpaquePointer
    /// The engine's own command port (`rcore_port_t *`), used under its control lock.
    let port: OpaquePointer

    /// Makes a core; throws `AudioEngineError.invalidConfiguration` or `.outOfMemory`.
    init(_ configuration: rcore_config_t) throws(AudioEngineError) {
        var configuration = configuration
        var status = RCORE_OK
        guard let handle = rcore_create(&configuration, &status) else {
            throw AudioEngineError(status, "making the render core")
        }
        guard let port = rcore_port_open(handle, &status) else {
            rcore_destroy(handle)
            throw AudioEngineError(status, "opening the engine's command port")
        }
        self.handle = handle
        self.port = port
    }

    deinit { rcore_destroy(handle) }
}
