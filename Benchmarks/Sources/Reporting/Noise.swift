internal import Foundation
internal import Processes

/// The noise of the machine, measured before anything else. Differences smaller than this allow no
/// conclusions.
package struct Noise: Codable, Sendable {
    /// The same work compared with itself, alternately: how far the ratio of a pair deviates from
    /// 1; 0.02 means two per cent. The median over batches of 30 pairs, as benchmarks use them,
    /// stays within this in 95 of 100 cases.
    package var ratio: Double
    /// How late a thread of normal priority wakes up; 99th percentile, in ms.
    package var wakeUpMilliseconds: Double
    /// The same with real-time priority; nil if that is unavailable.
    package var realTimeWakeUpMilliseconds: Double?
    /// The longest time that a busy thread was stopped, in ms, and the percentage of its total
    /// time.
    package var longestStopMilliseconds: Double
    package var stoppedPercent: Double

    package init(
        ratio: Double, wakeUpMilliseconds: Double, realTimeWakeUpMilliseconds: Double?, longestStopMilliseconds: Double,
        stoppedPercent: Double
    ) {
        (self.ratio, self.wakeUpMilliseconds) = (ratio, wakeUpMilliseconds)
        self.realTimeWakeUpMilliseconds = realTimeWakeUpMilliseconds
        (self.longestStopMilliseconds, self.stoppedPercent) = (longestStopMilliseconds, stoppedPercent)
    }

    /// Measures for about two seconds (quick: a quarter), and prints the result.
    package static func measure(quick: Bool) -> Noise {
        let noise = Noise(seconds: quick ? 0.12 : 1)
        let realTime = noise.realTimeWakeUpMilliseconds.map { "\(digits($0)) ms in real time" } ?? "no real time here"
        say(
            """
            noise of this machine: the same work against itself ±\(digits(noise.ratio * 100)) %; wakes up late by \
            \(digits(noise.wakeUpMilliseconds)) ms (p99), \(realTime); a busy thread is stopped for up to \
            \(digits(noise.longestStopMilliseconds)) ms, \(digits(noise.stoppedPercent)) % of the time
            """)
        return noise
    }

    private init(seconds: Double) {
        ratio = Self.selfComparison(seconds)
        wakeUpMilliseconds = Statistics(Self.wakeUps(seconds / 2)).p99
        let isRealTime = (try? Scheduling.useRealTime()) != nil
        realTimeWakeUpMilliseconds = isRealTime ? Statistics(Self.wakeUps(seconds / 2)).p99 : nil
        if isRealTime { Scheduling.useNormal() }
        (longestStopMilliseconds, stoppedPercent) = Self.stops(seconds / 2)
    }

    /// Returns the range of a ratio's median on a machine without noise.
    package func range(of ratio: Statistics) -> ClosedRange<Double> {
        let factor = 1 + self.ratio
        return min(
            ratio.interval.lowerBound, ratio.median / factor)...max(
                ratio.interval.upperBound, ratio.median * factor)
    }

    /// Returns the range of a 99th percentile in milliseconds on a machine without noise, which
    /// only adds. For fewer than a hundred values the percentile is the largest value, and means
    /// little.
    package func range(ofTail times: Statistics, inRealTime: Bool = false) -> ClosedRange<Double> {
        let least = times.count < 100 ? min(times.median, times.p99) : times.p99
        return max(0, least - lateness(inRealTime))...max(0, times.p99)
    }

    /// Returns the same for the difference of two 99th percentiles, either of which the noise may
    /// have increased.
    package func range(ofExcess excess: Double, inRealTime: Bool = false) -> ClosedRange<Double> {
        (excess - lateness(inRealTime))...(excess + lateness(inRealTime))
    }

    /// Returns how late one per cent of a thread's work may be for external reasons, in
    /// milliseconds.
    private func lateness(_ inRealTime: Bool) -> Double {
        if inRealTime, let realTimeWakeUpMilliseconds { return realTimeWakeUpMilliseconds }
        return wakeUpMilliseconds + (stoppedPercent > 1 ? longestStopMilliseconds : 0)
    }
}

extension Noise {
    /// Compares the same work with itself. Returns the 95th percentile of the ratio's deviation
    /// from 1.
    private static func selfComparison(_ seconds: Double) -> Double {
        let memory = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: 32_768)
        memory.initialize(repeating: 1)
        defer { memory.deallocate() }
        let end = now + seconds
        var medians: [Double] = []
        repeat {
            medians.append(Statistics((0..<30).map { _ in work(memory) / work(memory) }).median)
        } while now < end || medians.count < 20
        let distances = medians.map { abs($0 - 1) }.sorted()
        return distances[distances.count * 95 / 100]
    }

    /// Returns the seconds for a pass over about 256 KiB.
    private static func work(_ memory: UnsafeMutableBufferPointer<UInt64>) -> Double {
        let begun = now
        for index in memory.indices { memory[index] = memory[index] &* 6_364_136_223_846_793_005 &+ UInt64(index) }
        return now - begun
    }

    /// Returns by how many milliseconds a thread that sleeps for one millisecond wakes up late,
    /// repeatedly.
    private static func wakeUps(_ seconds: Double) -> [Double] {
        var late: [Double] = []
        let end = now + seconds
        while now < end {
            var wait = timespec(tv_sec: 0, tv_nsec: 1_000_000)
            let begun = now
            pselect(0, nil, nil, nil, &wait, nil)
            late.append(max(0, now - begun - 0.001) * 1000)
        }
        return late
    }

    /// Returns the longest time that a busy thread was stopped, and the share of its time.
    private static func stops(_ seconds: Double) -> (longest: Double, percent: Double) {
        let begun = now
        var (last, longest, stopped) = (begun, 0.0, 0.0)
        while last - begun < seconds {
            let time = now
            let gap = time - last
            if gap > 20e-6 { stopped += gap }
            longest = max(longest, gap)
            last = time
        }
        return (longest * 1000, stopped / (last - begun) * 100)
    }

    /// The seconds of a monotonic clock.
    private static var now: Double { Double(Processes.now()) / 1e9 }
}
