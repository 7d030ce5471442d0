internal import Foundation

/// The meters of a screen. They rise at once and fall by 48 dB in a second, like a needle; the
/// highest level of the last two seconds is held.
package struct ScreenMeters {
    package private(set) var levels: [Float] = []
    package private(set) var held: [Float] = []
    private var holdTimes: [ContinuousClock.Instant] = []
    private var lastUpdate = ContinuousClock.now

    package init() {}

    /// Updates the meters with the peak of each channel since the last update.
    package mutating func update(_ peaks: [Float]) {
        let now = ContinuousClock.now
        let fall = Float(pow(10, -48 / 20 * ((now - lastUpdate) / .seconds(1))))
        lastUpdate = now
        levels = peaks.enumerated().map { index, peak in
            let level = max(peak, index < levels.count ? levels[index] * fall : 0)
            return level < 0.0001 ? 0 : level
        }
        if held.count != levels.count {
            (held, holdTimes) = (levels, levels.map { _ in now })
        }
        for (index, level) in levels.enumerated() where level >= held[index] || now - holdTimes[index] > .seconds(2) {
            (held[index], holdTimes[index]) = (level, now)
        }
    }

    /// Whether all meters show silence, so that redrawing would not move them.
    package var areAtRest: Bool { levels.allSatisfy { $0 == 0 } && held.allSatisfy { $0 == 0 } }
}
