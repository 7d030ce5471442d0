import CCapacity

/// Which samples the voices read: few that stay in the cache, or more than the cache holds.
enum DataKind: String {
    case hot, cold
}

enum GainKind: String {
    case flat, ramping
}

/// One size that is measured.
struct SceneSize: Equatable {
    var voices: Int
    var frames: Int
    var data: DataKind
    var gain: GainKind

    /// Hot: eight voices' worth of one second. Cold: four times the largest cache, all of it read before any again.
    func configuration(cacheBytes: Int) -> capacity_config_t {
        let coldBytes = max(4 * cacheBytes, 16 << 20)
        let sources = data == .hot ? min(voices, 8) : voices
        let periods = data == .hot ? 16 : max(1, coldBytes / (4 * voices * frames))
        return capacity_config_t(
            voices: UInt32(voices), frames: UInt32(frames), sources: UInt32(sources),
            source_frames: UInt32(periods * frames), ramping: gain == .ramping)
    }
}

/// Owns a C scene, which one thread at a time may use.
final class Scene {
    private let handle: OpaquePointer
    let size: SceneSize

    init(_ size: SceneSize, cacheBytes: Int) throws {
        guard let handle = capacity_scene_create(size.configuration(cacheBytes: cacheBytes)) else {
            throw BenchmarkError.noScene(size)
        }
        self.handle = handle
        self.size = size
    }

    deinit { capacity_scene_destroy(handle) }

    func timeCore() -> Double { Double(capacity_time_core(handle)) }
    func timeBound() -> Double { Double(capacity_time_bound(handle)) }
    var difference: Double { Double(capacity_difference(handle)) }
}

enum BenchmarkError: Error, CustomStringConvertible {
    case noScene(SceneSize)
    case different(SceneSize, Double)

    var description: String {
        switch self {
        case .noScene(let size):
            "A scene of \(size.voices) voices could not be made: memory is short. Try --quick."
        case .different(let size, let difference):
            "The core and the bare loop differ by \(difference) at \(size.voices) voices: they did not do the same work."
        }
    }
}
