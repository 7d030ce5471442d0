internal import CRenderCore

/// The C output of a port.
///
/// Unchecked `Sendable`: immutable.
final class CoreMIDIOutput: @unchecked Sendable {
    /// Bytes in a period: those of a JACK port's buffer at 1,024 frames.
    static let capacity: UInt32 = 32_768

    let handle: OpaquePointer
    /// The bus whose session it obeys: its slot is not used for another one.
    private let bus: (any AnyObject & Sendable)?

    /// Creates an output that obeys the session whose bus has this slot; nil: none. `bus` owns the
    /// slot.
    init(slot: Int?, of bus: (any AnyObject & Sendable)?) throws(AudioEngineError) {
        var status = RCORE_OK
        let slot = slot.map { UInt32($0) } ?? UInt32.max
        guard let handle = rcore_midi_output_create(Self.capacity, slot, &status) else {
            throw AudioEngineError(status, "a MIDI output")
        }
        self.handle = handle
        self.bus = bus
    }

    deinit { rcore_midi_output_destroy(handle) }
}
