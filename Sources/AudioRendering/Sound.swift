internal import CRenderCore
internal import Platform

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

/// What voices may still read after its owner was released.
protocol RetiredSound: AnyObject, Sendable {
    /// Whether a voice reads it.
    var isPlaying: Bool { get }
}

/// The memory of released sounds and instruments, which voices may still read. An engine keeps this list until its
/// driver is closed, so the memory stays valid for the render thread even if a sound is released
/// together with its engine.
final class RetiredSounds: Sendable {
    private let list = Mutex<[any RetiredSound]>([])
    private let core: RenderCore

    init(core: RenderCore) { self.core = core }

    /// Wakes the engine to release the memory: no voice may be left whose end would.
    func add(_ memory: any RetiredSound) {
        list.withLock { $0.append(memory) }
        rcore_wake(core.handle)
    }

    /// Removes and returns the memory that no voice reads, for the caller to release.
    func takeUnused() -> [any RetiredSound] {
        list.withLock { list in
            let unused = list.filter { !$0.isPlaying }
            list.removeAll { memory in unused.contains { $0 === memory } }
            return unused
        }
    }
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
