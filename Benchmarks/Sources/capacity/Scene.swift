import CCapacity
import Processes

/// The subjects of the timing.
enum Subject: CaseIterable {
    case core, bound, openal

    var name: String { name(pitched: false) }

    func name(pitched: Bool) -> String {
        switch self {
        case .core: "swift-audio-session"
        case .bound: pitched ? "bare 4-point loop" : "bare multiply-add loop"
        case .openal: String(cString: capacity_openal_version())
        }
    }
}

/// One scene and its three subjects, for one thread.
final class Scene {
    let conditions: MixConditions
    private let corePlayer: CorePlayer
    private let boundPlayer: BoundPlayer
    private let openalPlayer: OpenALPlayer
    private var core: OpaquePointer { corePlayer.handle }
    private var bound: OpaquePointer { boundPlayer.handle }
    private var openal: OpaquePointer { openalPlayer.handle }

    init(_ conditions: MixConditions, coldBytes: Int) throws {
        let scene = conditions.scene(coldBytes: coldBytes)
        let samples = try Samples(scene, for: conditions)
        corePlayer = try CorePlayer(scene, samples, for: conditions)
        boundPlayer = try BoundPlayer(scene, samples, for: conditions)
        openalPlayer = try OpenALPlayer(scene, samples, for: conditions)
        self.conditions = conditions
    }

    /// Runs the subject's next cycle and returns its nanoseconds.
    func cycle(_ subject: Subject) -> Double {
        switch subject {
        case .core: corePlayer.cycle()
        case .bound: boundPlayer.cycle()
        case .openal: openalPlayer.cycle()
        }
    }

    /// The same right after a cycle that is not timed, so that the subject finds the caches as its
    /// own cycle leaves them, not another subject's.
    func settledCycle(_ subject: Subject) -> Double {
        _ = cycle(subject)
        return cycle(subject)
    }

    // MARK: Verification of equal work

    /// Throws unless the core and OpenAL play every voice and their output matches that of the bare
    /// loop.
    ///
    /// All subjects must have run equally many cycles.
    func check() throws {
        guard capacity_core_sound(core) else {
            throw BenchmarkError.silent(conditions, "a voice of the core is not playing")
        }
        guard capacity_openal_sound(openal) else {
            throw BenchmarkError.silent(conditions, String(cString: capacity_openal_failure()))
        }
        if conditions.pitched {
            try checkEnergies()
        } else {
            try checkSamples()
        }
    }

    /// Without pitch, compares sample by sample. The expected output of OpenAL uses its own,
    /// measured pan law; moving gains are between 0.9 and 1.
    private func checkSamples() throws {
        let gains: [UnsafePointer<Float>?] = [capacity_openal_gains(openal, 0), capacity_openal_gains(openal, 1)]
        let moving = conditions.gain != .flat
        for channel in UInt32(0)..<2 {
            let core = output(capacity_core_output(core, channel))
            try compare(core, to: output(capacity_bound_output(bound, channel)), 1e-3, .core)
            let expected = output(capacity_bound_expect(bound, gains, channel)).map { moving ? 0.95 * $0 : $0 }
            let openal = output(capacity_openal_output(openal, channel))
            try compare(openal, to: expected, moving ? 0.1 : 1e-3, .openal)
        }
    }

    /// With pitch, compares the energies of 32 cycles, within one decibel, since splines and
    /// counters differ.
    private func checkEnergies() throws {
        var energies: [Subject: Double] = [:]
        for _ in 0..<32 {
            for subject in Subject.allCases {
                _ = cycle(subject)
                for channel in UInt32(0)..<2 {
                    energies[subject, default: 0] += energy(output(last(subject, channel)))
                }
            }
        }
        let bound = energies[.bound, default: 0]
        for (subject, expected) in [(Subject.core, bound), (.openal, bound * openalPower)] {
            let ratio = energies[subject, default: 0] / expected
            guard ratio > 0.8, ratio < 1.25 || conditions.voices < 16 else {
                throw BenchmarkError.different(conditions, subject, ratio)
            }
        }
    }

    private func last(_ subject: Subject, _ channel: UInt32) -> UnsafePointer<Float>? {
        switch subject {
        case .core: capacity_core_output(core, channel)
        case .bound: capacity_bound_output(bound, channel)
        case .openal: capacity_openal_output(openal, channel)
        }
    }

    /// The power of OpenAL's output relative to equal-power panning at unity gain.
    private var openalPower: Double {
        let moving = conditions.gain == .flat ? 1 : 0.95 * 0.95
        guard conditions.sources == .mono else { return moving }
        let gains = [capacity_openal_gains(openal, 0), capacity_openal_gains(openal, 1)]
        let powers = gains.flatMap { gains in (0..<32).map { Double(gains?[$0] ?? 0) } }
        return moving * powers.reduce(0) { $0 + $1 * $1 } / 32
    }

    private func output(_ samples: UnsafePointer<Float>?) -> [Double] {
        UnsafeBufferPointer(start: samples, count: conditions.frames).map(Double.init)
    }

    private func energy(_ samples: [Double]) -> Double { samples.reduce(0) { $0 + $1 * $1 } }

    private func compare(_ samples: [Double], to expected: [Double], _ tolerance: Double, _ subject: Subject) throws {
        let difference = energy(zip(samples, expected).map { $0 - $1 })
        let relative = (difference / max(energy(expected), 1e-12)).squareRoot()
        guard relative <= tolerance else { throw BenchmarkError.different(conditions, subject, relative) }
    }
}
