import CCapacity
import Processes

/// Owns a scene's samples. Their players retain them.
final class Samples {
    let handle: OpaquePointer

    init(_ scene: capacity_scene_t, for conditions: MixConditions) throws {
        guard let handle = capacity_samples_create(scene) else {
            throw BenchmarkError.noScene(conditions, "out of memory")
        }
        self.handle = handle
    }

    deinit { capacity_samples_destroy(handle) }
}

/// Owns a render core with a scene's voices.
final class CorePlayer {
    let handle: OpaquePointer
    private let samples: Samples

    init(_ scene: capacity_scene_t, _ samples: Samples, for conditions: MixConditions) throws {
        guard let handle = capacity_core_create(scene, samples.handle) else {
            throw BenchmarkError.noScene(conditions, "cannot make the core, or not every voice started")
        }
        (self.handle, self.samples) = (handle, samples)
    }

    deinit { capacity_core_destroy(handle) }

    /// Runs the next cycle and returns its nanoseconds.
    func cycle() -> Double { Double(capacity_core_cycle(handle)) }
}

/// Owns the bare loop over a scene's voices.
final class BoundPlayer {
    let handle: OpaquePointer
    private let samples: Samples

    init(_ scene: capacity_scene_t, _ samples: Samples, for conditions: MixConditions) throws {
        guard let handle = capacity_bound_create(scene, samples.handle) else {
            throw BenchmarkError.noScene(conditions, "out of memory")
        }
        (self.handle, self.samples) = (handle, samples)
    }

    deinit { capacity_bound_destroy(handle) }

    func cycle() -> Double { Double(capacity_bound_cycle(handle)) }
}

/// Owns an OpenAL device with a scene's voices.
final class OpenALPlayer {
    let handle: OpaquePointer

    init(_ scene: capacity_scene_t, _ samples: Samples, for conditions: MixConditions) throws {
        guard let handle = capacity_openal_create(scene, samples.handle) else {
            throw BenchmarkError.noScene(conditions, String(cString: capacity_openal_failure()))
        }
        self.handle = handle
    }

    deinit { capacity_openal_destroy(handle) }

    func cycle() -> Double { Double(capacity_openal_cycle(handle)) }
}
