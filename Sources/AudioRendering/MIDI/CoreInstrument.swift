internal import CRenderCore

/// The C instrument. Routings refer to it; it is released when the core uses none of them any
/// longer. Its notes may still fade out then, so what they read is released later.
///
/// Unchecked `Sendable`: immutable.
final class CoreInstrument: @unchecked Sendable {
    /// What voices read, and the bus on which they play: its slot is not used for another one.
    private final class Memory: RetiredSound {
        let sounds: InstrumentBuffers
        let maps: [ChannelMap]
        let bus: any AnyObject & Sendable

        init(sounds: InstrumentBuffers, maps: [ChannelMap], bus: any AnyObject & Sendable) {
            (self.sounds, self.maps, self.bus) = (sounds, maps, bus)
        }

        var isPlaying: Bool { sounds.arePlaying }
    }

    let handle: OpaquePointer
    private let memory: Memory
    private let retired: RetiredSounds

    /// Creates an instrument on a bus of this slot and as many channels. `bus` owns the slot.
    init(
        _ zones: [InstrumentZone], _ configuration: rcore_instrument_config_t, slot: Int, channels: Int,
        of bus: any AnyObject & Sendable, core: RenderCore, pages: PageLoader, retired: RetiredSounds
    ) throws(AudioEngineError) {
        guard zones.count <= 65_536 else {
            throw .invalidArgument(what: "an instrument of \(zones.count) zones; valid: 0 to 65536")
        }
        let sounds = try InstrumentBuffers(zones.map(\.sound), pages: pages)
        var maps: [Int: ChannelMap] = [:]
        var coreZones: [rcore_zone_t] = []
        for (index, zone) in zones.enumerated() {
            let inputs = zone.sound.channels
            let isPanned = configuration.pan_law != RCORE_PAN_NONE && inputs == 1 && channels > 1
            if inputs != channels, !isPanned, maps[inputs] == nil {
                maps[inputs] = try ChannelMap.standard(from: inputs, to: channels)
            }
            coreZones.append(
                try zone.coreZone(
                    buffer: sounds.handle(of: zone.sound), map: isPanned ? nil : maps[inputs], core: core,
                    number: index + 1))
        }
        var config = configuration
        config.bus = UInt32(slot)
        if channels == 1 { config.pan_law = RCORE_PAN_NONE }  // nothing to pan between
        var status = RCORE_OK
        guard let handle = rcore_instrument_create(core.handle, &config, coreZones, UInt32(coreZones.count), &status)
        else { throw AudioEngineError(status, "an instrument of \(zones.count) zones, of which one is out of range") }
        self.handle = handle
        memory = Memory(sounds: sounds, maps: Array(maps.values), bus: bus)
        self.retired = retired
    }

    deinit {
        rcore_instrument_destroy(handle)
        retired.add(memory)
    }
}
