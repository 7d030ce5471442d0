import CLoad
import Foundation
import Processes
import Reporting

/// The cycles of one client, as CLoad noted them.
struct LoadTrace {
    var cycles: [load_cycle_t]

    /// What this process has noted.
    static func write(_ count: UInt32, to path: String) throws {
        guard count > 0 else { throw BenchmarkError("no cycle was traced") }
        let bytes = Data(bytes: load_trace_cycles(), count: Int(count) * MemoryLayout<load_cycle_t>.stride)
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    /// What another process wrote; the file goes.
    init(reading path: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        try FileManager.default.removeItem(atPath: path)
        cycles = data.withUnsafeBytes { Array($0.bindMemory(to: load_cycle_t.self)) }
    }

    /// Frame times of cycles that ended more than two periods after the call of the one before: a period too late.
    func lateFrames(sampleRate: Int) -> Set<UInt32> {
        Set(
            zip(cycles, cycles.dropFirst()).compactMap { before, cycle in
                let end = cycle.begin_ns + UInt64(cycle.wall_ns)
                let periods = UInt64(2 * cycle.nframes) * 1_000_000_000 / UInt64(sampleRate)
                return end - before.begin_ns > periods ? cycle.frame : nil
            })
    }

    /// Those, and cycles that should have been and were not.
    func late(sampleRate: Int) -> Int { lateFrames(sampleRate: sampleRate).count + missed }

    private var missed: Int {
        zip(cycles, cycles.dropFirst()).reduce(0) { sum, pair in
            let frames = Int(Int32(bitPattern: pair.1.frame &- pair.0.frame))
            let periods = frames / Int(max(1, pair.0.nframes))
            // A jump of frame time by more than a second is another thing.
            return sum + (periods > 1 && frames < 48_000 ? periods - 1 : 0)
        }
    }

    func percents(_ time: KeyPath<load_cycle_t, UInt32>, sampleRate: Int) -> [Double] {
        cycles.map { Double($0[keyPath: time]) / 1e9 * Double(sampleRate) / Double(max(1, $0.nframes)) * 100 }
    }
}

/// Two clients in the same cycles: which of them was late by itself.
struct LoadPairs {
    /// By parts of half a second: how often ours alone was late, and the other one alone.
    private(set) var ours: [Int] = []
    private(set) var control: [Int] = []
    private(set) var both = 0
    private(set) var count = 0

    init() {}

    mutating func add(_ ours: LoadTrace, _ control: LoadTrace, sampleRate: Int) {
        let others = Set(control.cycles.map(\.frame))
        let (lateOurs, lateOthers) = (
            ours.lateFrames(sampleRate: sampleRate), control.lateFrames(sampleRate: sampleRate)
        )
        guard let first = ours.cycles.first else { return }
        var parts: [Int: (ours: Int, control: Int)] = [:]
        for cycle in ours.cycles where others.contains(cycle.frame) {
            count += 1
            let part = Int(cycle.frame &- first.frame) / (sampleRate / 2)
            var found = parts[part] ?? (0, 0)
            switch (lateOurs.contains(cycle.frame), lateOthers.contains(cycle.frame)) {
            case (true, false): found.ours += 1
            case (false, true): found.control += 1
            case (true, true): both += 1
            case (false, false): break
            }
            parts[part] = found
        }
        for part in parts.values {
            self.ours.append(part.ours)
            self.control.append(part.control)
        }
    }

    var difference: LoadDifference { LoadDifference(ours, control) }
}
