import CCapacity
import Reporting

/// How many voices fit in half a period of 64 frames on one core, gain and pan ramping.
struct HalfPeriod {
    private(set) var counts: [DataKind: [Subject: Int]] = [:]
    private static let most = 65536

    /// Asks for the count that the last time suggests, until it fits.
    mutating func measure(quick: Bool, coldBytes: Int) throws {
        let half = Conditions().periodNanoseconds / 2
        say(
            "\nVoices that fit in half a period of 64 frames at 48 kHz (\(Int(half / 1000)) µs): one core, mono, gain and pan ramping"
        )
        for data in DataKind.allCases {
            for subject in Subject.allCases {
                var voices = 2048
                var fits = 0
                for _ in 0..<(quick ? 3 : 6) {
                    let conditions = Conditions(voices: voices, data: data)
                    let time = try Self.median(subject, conditions, quick ? 21 : 201, coldBytes)
                    if time <= half { fits = max(fits, voices) }
                    let next = min(Self.most, max(1, Int(Double(voices) * half / time * 0.99)))
                    if next <= fits { break }
                    voices = next
                }
                counts[data, default: [:]][subject] = fits
            }
            let line = Subject.allCases.map {
                "\($0.name) \(count($0, data))\(count($0, data) == Self.most ? " (no more are tried)" : "")"
            }.joined(separator: ", ")
            say("  \(data): \(line)")
        }
    }

    func count(_ subject: Subject, _ data: DataKind) -> Int { counts[data]?[subject] ?? 0 }

    private static func median(
        _ subject: Subject, _ conditions: Conditions, _ repetitions: Int, _ coldBytes: Int
    ) throws -> Double {
        let scene = conditions.scene(coldBytes: coldBytes)
        let samples = try Samples(scene, for: conditions)
        let cycle: () -> Double
        switch subject {
        case .core: cycle = try CorePlayer(scene, samples, for: conditions).cycle
        case .bound: cycle = try BoundPlayer(scene, samples, for: conditions).cycle
        case .openal: cycle = try OpenALPlayer(scene, samples, for: conditions).cycle
        }
        _ = cycle()
        return Statistics((0..<repetitions).map { _ in cycle() }).median
    }

    var measurements: [Measurement] {
        DataKind.allCases.flatMap { data in
            Subject.allCases.map { subject in
                let count = count(subject, data)
                return Measurement(
                    "mix.voices_in_half_period", subject.name, "voices", Statistics([Double(count)]),
                    Conditions(voices: count, data: data))
            }
        }
    }
}
