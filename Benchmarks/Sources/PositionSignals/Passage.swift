/// Consecutive frames that were heard, in which a request was submitted and later withdrawn.
package struct Passage: Sendable {
    package let frames: [HeardFrame]
    /// The indices of the frames at which the request was submitted and withdrawn.
    package let submitted: Int
    package let withdrawn: Int

    package init(_ frames: [HeardFrame], submitted: Int, withdrawn: Int) {
        (self.frames, self.submitted, self.withdrawn) = (frames, submitted, withdrawn)
    }

    /// How far two gains may differ and count as equal: 0.009 dB. A program's own resampling varies
    /// the gain by less, and the first step of a ramp is greater.
    private static let tolerance: Float = 1e-3

    private static func isEqual(_ gain: Float, _ other: Float) -> Bool { abs(gain - other) <= tolerance * other }

    /// The median gain of the recorded frames among these.
    private func level(_ range: Range<Int>) -> Float? {
        let gains = frames[range.clamped(to: frames.indices)].compactMap(\.gain).sorted()
        return gains.isEmpty ? nil : gains[gains.count / 2]
    }

    private func first(from index: Int, where isFound: (Float) -> Bool) -> Int? {
        guard index < frames.count else { return nil }
        return frames[index...].firstIndex { $0.gain.map(isFound) ?? false }
    }

    /// Returns the first index from `begin` to `end` after which all recorded frames have a
    /// property.
    private func begin(of isSo: (Float) -> Bool, from begin: Int, to end: Int) -> Int? {
        guard begin < end, end <= frames.count else { return nil }
        let last = frames[begin..<end].lastIndex { !($0.gain.map(isSo) ?? true) }
        guard let last else { return begin }
        return last + 1 < end ? last + 1 : nil
    }

    /// The level before the request.
    private var before: Float? { level(max(0, submitted - 1_024)..<submitted) }

    /// The frames that were not recorded.
    package var missed: Int { frames.count { $0 == .missed } }

    // MARK: - Ducking

    /// What happened to a program that was lowered and given back; all but the last two in frames.
    package struct Ducking: Equatable, Sendable {
        /// From the request to the first lower frame, and to the first of the frames that stay as
        /// low.
        package var toLower, toDepth: Int
        /// From the withdrawal to the first higher frame, and to the first of the frames that stay
        /// at the previous level.
        package var toHigher, toLevel: Int
        /// The gain during the request, relative to that before.
        package var depth: Float
        /// The greatest deviation of a gain from the median before the request, in the last 1,024
        /// frames.
        package var deviation: Float
    }

    /// Nil if the program was not lowered, or not given back.
    package var ducking: Ducking? {
        guard let before, before > 0, let low = level(max(submitted, withdrawn - 1_024)..<withdrawn),
            low > 0, low < before * 0.9,
            let lower = first(from: submitted, where: { $0 < before * (1 - Self.tolerance) }),
            let depth = begin(of: { Self.isEqual($0, low) }, from: lower, to: withdrawn),
            let higher = first(from: withdrawn, where: { $0 > low * (1 + Self.tolerance) }),
            let level = begin(of: { Self.isEqual($0, before) }, from: higher, to: frames.count)
        else { return nil }
        let deviation = frames.suffix(1_024).compactMap(\.gain).map { abs($0 / before - 1) }.max() ?? 0
        return Ducking(
            toLower: lower - submitted, toDepth: depth - submitted, toHigher: higher - withdrawn,
            toLevel: level - withdrawn, depth: low / before, deviation: deviation)
    }

    // MARK: - Holding

    /// What happened to a program that was held and continued, in frames.
    package struct Holding: Equatable, Sendable {
        /// From the request to the first lower frame, and to the first of the frames that stay
        /// silent.
        package var toLower, toSilence: Int
        /// From the withdrawal to the first sound, and to the first of the frames that stay at the
        /// previous level.
        package var toSound, toLevel: Int
        /// The position of the first sound, less that which follows the last frame at full level.
        /// Negative: frames are repeated.
        package var positionError: Int
        /// The position of the first sound, less that which follows the last sound of the fade: the
        /// frames that nobody has heard. Negative: frames are repeated.
        package var unheard: Int

        package init(
            toLower: Int, toSilence: Int, toSound: Int, toLevel: Int, positionError: Int, unheard: Int
        ) {
            (self.toLower, self.toSilence, self.toSound) = (toLower, toSilence, toSound)
            (self.toLevel, self.positionError, self.unheard) = (toLevel, positionError, unheard)
        }
    }

    /// Nil if the program did not become silent, or did not continue.
    package var holding: Holding? {
        guard let before, before > 0,
            let lower = first(from: submitted, where: { $0 < before * (1 - Self.tolerance) }),
            let silence = begin(of: { $0 == 0 }, from: lower, to: withdrawn),
            let sound = first(from: withdrawn, where: { $0 > 0 }),
            let level = begin(of: { Self.isEqual($0, before) }, from: sound, to: frames.count),
            let full = frames[..<lower].last(where: { $0.position != nil })?.position,
            let faded = frames[..<silence].last(where: { $0.position != nil })?.position,
            let continued = frames[sound].position
        else { return nil }
        return Holding(
            toLower: lower - submitted, toSilence: silence - submitted, toSound: sound - withdrawn,
            toLevel: level - withdrawn, positionError: PositionSignal.distance(from: full, to: continued) - 1,
            unheard: PositionSignal.distance(from: faded, to: continued) - 1)
    }
}
