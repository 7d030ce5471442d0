internal import CRenderCore

/// The C buffers of an instrument's sounds.
final class InstrumentBuffers: Sendable {
    private let sounds: [ObjectIdentifier: any InstrumentSound]
    private let paged: [ObjectIdentifier: PagedBuffer]

    /// Throws `invalidArgument` or `outOfMemory`.
    init(_ sounds: [any InstrumentSound], pages: PageLoader) throws(AudioEngineError) {
        self.sounds = Dictionary(sounds.map { (ObjectIdentifier($0), $0) }) { first, _ in first }
        var paged: [ObjectIdentifier: PagedBuffer] = [:]
        for case let sound as StreamedSound in self.sounds.values where sound.isStreamed {
            paged[ObjectIdentifier(sound)] = try pages.buffer(of: sound)
        }
        self.paged = paged
    }

    /// The buffer of one of the sounds.
    func handle(of sound: any InstrumentSound) -> OpaquePointer {
        paged[ObjectIdentifier(sound)]?.handle ?? sound.preloaded.handle
    }

    /// Whether a voice plays one of them, or one of their pages is in memory.
    var arePlaying: Bool {
        paged.values.contains { rcore_buffer_users($0.handle) > 0 }
            || sounds.values.contains { rcore_buffer_users($0.preloaded.handle) > 0 }
    }
}
