import CLoad
import Foundation
import Processes
import Reporting

/// The cycles of one client, as recorded by CLoad.
struct LoadTrace {
    var cycles: [load_cycle_t]

    /// Writes the cycles that this process has recorded.
    static func write(_ count: UInt32, to path: String) throws {
        guard count > 0 else { throw BenchmarkError("no cycle was traced") }
        let bytes = Data(bytes: load_trace_cycles(), count: Int(count) * MemoryLayout<load_cycle_t>.stride)
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    /// Reads the file of another process and removes it.
    init(reading path: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        try FileManager.default.removeItem(atPath: path)
        cycles = data.withUnsafeBytes { Array($0.bindMemory(to: load_cycle_t.self)) }
    }

    /// Returns the frame times of cycles that ended more than two periods after the call of the
    /// previous cycle: one period too late.
    func lateFrames(sampleRate: Int) -> Set<UInt32> {
        Set(
            zip(cycles, cycles.dropFirst()).compactMap { before, cycle in
                let end = cycle.begin_ns + UInt64(cycle.wall_ns)
                let periods = UInt64(2 * cycle.nframes) * 1_000_000_000 / UInt64(sampleRate)
                return end - before.begin_ns > periods ? cycle.frame : nil
            })
    }

    /// Returns the number of late cycles, and of missed ones.
    func late(sampleRate: Int) -> Int { lateFrames(sampleRate: sampleRate).count + missed }

    private var missed: Int {
        zip(cycles, cycles.dropFirst()).reduce(0) { sum, pair in
            let frames = Int(Int32(bitPattern: pair.1.frame &- pair.0.frame))
            let periods = frames / Int(max(1, pair.0.nframes))
            // Ignores a jump of the frame time by more than a second, which has another cause.
            return sum + (periods > 1 && frames < 48_000 ? periods - 1 : 0)
        }
    }

    func percents(_ time: KeyPath<load_cycle_t, UInt32>, sampleRate: Int) -> [Double] {
        cycles.map { Double($0[keyPath: time]) / 1e9 * Double(sampleRate) / Double(max(1, $0.nframes)) * 100 }
    }
}

/// Two clients in the same cycles, to determine which of them was late on its own.
struct LoadPairs {
    /// For each half second, how often ours alone was late, and how often the control alone.
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
