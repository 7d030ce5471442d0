internal import CRenderCore

/// A sound that is ready to be triggered: samples in memory, and the parameters to play them with.
///
/// Its memory persists until the last voice that plays it has ended, even if the sound itself is
/// released earlier.
public final class Sound: Sendable {
    let memory: SoundMemory
    private let retired: RetiredSounds

    init(memory: SoundMemory, retired: RetiredSounds) {
        self.memory = memory
        self.retired = retired
    }

    deinit { retired.add(memory) }
}

/// The memory that the voices of a sound read.
///
/// Unchecked `Sendable`: immutable.
final class SoundMemory: RetiredSound, @unchecked Sendable {
    let buffer: AudioBuffer
    let map: ChannelMap?
    let bus: any AudioBus
    let parameters: rcore_voice_params_t

    init(buffer: AudioBuffer, map: ChannelMap?, bus: any AudioBus, parameters: rcore_voice_params_t) {
        self.buffer = buffer
        self.map = map
        self.bus = bus
        self.parameters = parameters
    }

    var isPlaying: Bool { rcore_buffer_users(buffer.handle) > 0 }
}
