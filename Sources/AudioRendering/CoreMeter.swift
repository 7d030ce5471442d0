internal import CRenderCore

/// The owner of a core meter (`rcore_meter_t`).
///
/// Unchecked `Sendable`: the render thread writes it, and any thread may read it, as the C
/// interface documents.
final class CoreMeter: @unchecked Sendable {
    let handle: OpaquePointer
    let channels: Int
    let sampleRate: Int

    init(_ description: rcore_meter_description_t) throws(AudioEngineError) {
        var description = description
        var status = RCORE_OK
        (channels, sampleRate) = (Int(description.channels), Int(description.sample_rate))
        guard let handle = rcore_meter_create(&description, &status) else {
            throw AudioEngineError(status, "a meter of \(channels) channels at \(sampleRate) Hz")
        }
        self.handle = handle
    }

    deinit { rcore_meter_destroy(handle) }
}
