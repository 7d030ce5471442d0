internal import CRenderCore
internal import Platform

/// What voices may still read after its owner was released.
protocol RetiredSound: AnyObject, Sendable {
    /// Whether a voice reads it.
    var isPlaying: Bool { get }
}

/// The memory of released sounds and instruments, which voices may still read. An engine keeps this
/// list until its driver is closed, so the memory stays valid for the render thread even if a sound
/// is released together with its engine.
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
