import CCapacity
import Reporting

/// The number of voices that fit in half a period of 64 frames on one core, with gain and pan
/// ramping.
struct HalfPeriod {
    private(set) var counts: [DataKind: [Subject: Int]] = [:]
    private(set) var tables: [Table] = []
    private static let half = MixConditions().periodNanoseconds / 2

    /// The largest count to measure. The core's limit is 65,536 voices. The bare loop is measured
    /// beyond that, because the aim is a fraction of its count.
    static func most(_ subject: Subject) -> Int { subject == .core ? 65_536 : 1 << 20 }

    /// Measures each subject, alternately, with the count that its last time suggests, until the
    /// count fits.
    mutating func measure(quick: Bool, coldBytes: Int) throws {
        var table = Table(
            "Voices that fit in half a period of 64 frames at 48 kHz (\(Int(Self.half / 1000)) µs): one core, mono, gain and pan ramping",
            [.text("data", 4)] + Subject.allCases.map { Table.Column($0.name, width: 20) } + ["core/bound"])
        for data in DataKind.allCases {
            var searches = Subject.allCases.map { Search(subject: $0, data: data) }
            for _ in 0..<(quick ? 6 : 8) {
                for index in searches.indices where !searches[index].isOver {
                    try searches[index].step(repetitions: quick ? 31 : 201, coldBytes: coldBytes)
                }
            }
            counts[data] = Dictionary(uniqueKeysWithValues: searches.map { ($0.subject, $0.fits) })
            let ratio = Double(count(.core, data)) / Double(max(1, count(.bound, data)))
            table.add([data.rawValue] + Subject.allCases.map { text($0, data) } + [digits(ratio)])
        }
        tables = [table]
    }

    private func text(_ subject: Subject, _ data: DataKind) -> String {
        "\(count(subject, data))\(count(subject, data) == Self.most(subject) ? " (the most)" : "")"
    }

    func count(_ subject: Subject, _ data: DataKind) -> Int { counts[data]?[subject] ?? 0 }

    private struct Search {
        var subject: Subject
        var data: DataKind
        var voices = 2048
        var fits = 0
        var isOver = false

        mutating func step(repetitions: Int, coldBytes: Int) throws {
            let conditions = MixConditions(voices: voices, data: data)
            let time = try HalfPeriod.median(subject, conditions, repetitions, coldBytes)
            if time <= HalfPeriod.half { fits = max(fits, voices) }
            let next = min(
                HalfPeriod.most(subject), max(1, Int(Double(voices) * HalfPeriod.half / time * 0.99)))
            isOver = abs(next - voices) <= voices / 100
            voices = next
        }
    }

    private static func median(
        _ subject: Subject, _ conditions: MixConditions, _ repetitions: Int, _ coldBytes: Int
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
                    "mix.voices_in_half_period", subject.name, "voices", Double(count),
                    MixConditions(voices: count, data: data).parameters)
            }
        }
    }
}
