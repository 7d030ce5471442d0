internal import CRenderCore

/// The C instrument, and what it refers to.
///
/// Unchecked `Sendable`: immutable.
final class CoreInstrument: RetiredSound, @unchecked Sendable {
    let handle: OpaquePointer
    private let sounds: [AudioBuffer]
    private let maps: [ChannelMap]
    /// The bus on which it plays: its slot is not used for another one.
    private let bus: any AnyObject & Sendable

    /// Creates an instrument on a bus of this slot and as many channels. `bus` owns the slot.
    init(
        _ zones: [InstrumentZone], _ configuration: rcore_instrument_config_t, slot: Int, channels: Int,
        of bus: any AnyObject & Sendable, core: RenderCore
    ) throws(AudioEngineError) {
        var maps: [Int: ChannelMap] = [:]
        var coreZones: [rcore_zone_t] = []
        for (index, zone) in zones.enumerated() {
            let inputs = zone.sound.channels
            let isPanned = configuration.pan_law != RCORE_PAN_NONE && inputs == 1 && channels > 1
            if inputs != channels, !isPanned, maps[inputs] == nil {
                maps[inputs] = try ChannelMap.standard(from: inputs, to: channels)
            }
            coreZones.append(try zone.coreZone(map: isPanned ? nil : maps[inputs], core: core, number: index + 1))
        }
        var config = configuration
        config.bus = UInt32(slot)
        if channels == 1 { config.pan_law = RCORE_PAN_NONE }  // nothing to pan between
        var status = RCORE_OK
        guard let handle = rcore_instrument_create(core.handle, &config, coreZones, UInt32(coreZones.count), &status)
        else { throw AudioEngineError(status, "an instrument of \(zones.count) zones, of which one is out of range") }
        self.handle = handle
        sounds = zones.map(\.sound)
        self.maps = Array(maps.values)
        self.bus = bus
    }

    deinit { rcore_instrument_destroy(handle) }

    var isPlaying: Bool { sounds.contains { rcore_buffer_users($0.handle) > 0 } }
}
