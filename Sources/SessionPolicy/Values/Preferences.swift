/// A session's wishes for the hardware; 0 is no wish (HW-1).
public struct Preferences: Hashable, Sendable, Codable {
    /// Hz.
    public var sampleRate: Double = 0
    /// Seconds.
    public var ioBufferDuration: Double = 0
    public var inputChannels: Int = 0
    public var outputChannels: Int = 0

    public init() {}
}

/// One wish to be set.
public enum Preference: Hashable, Sendable, Codable {
    case sampleRate(Double)
    case ioBufferDuration(Double)
    case inputChannels(Int)
    case outputChannels(Int)
}

extension Preferences {
    /// What is a wish at all; beyond is absurd (HW-4).
    public static let sampleRates: ClosedRange<Double> = 1_000...1_536_000
    /// Below 0.3 ms (16 frames at 48 kHz) no device that we know works, and a server that tries would starve all its clients.
    public static let ioBufferDurations: ClosedRange<Double> = 0.000_3...10
    public static let channelCounts: ClosedRange<Int> = 1...1_024

    /// These wishes with one set or, by zero, cleared (keeps HW-4).
    func setting(_ preference: Preference, for category: Category) throws(Refusal) -> Preferences {
        var next = self
        switch preference {
        case .sampleRate(let rate):
            try Self.check(rate, in: Self.sampleRates, "A preferred sample rate", "Hz")
            next.sampleRate = rate
        case .ioBufferDuration(let duration):
            try Self.check(duration, in: Self.ioBufferDurations, "A preferred I/O buffer duration", "s")
            next.ioBufferDuration = duration
        case .inputChannels(let count):
            try Self.check(count, "input", category.traits.hasInput, category)
            next.inputChannels = count
        case .outputChannels(let count):
            try Self.check(count, "output", category.traits.hasOutput, category)
            next.outputChannels = count
        }
        return next
    }

    private static func check(
        _ value: Double, in range: ClosedRange<Double>, _ what: String, _ unit: String
    ) throws(Refusal) {
        guard value == 0 || range.contains(value) else {
            throw Refusal(
                .badParam, .hw4,
                """
                \(what) of \(value) \(unit) was asked for; it must be from \(range.lowerBound) to \(range.upperBound) \(unit), \
                or 0 for no wish.
                """)
        }
    }

    private static func check(
        _ count: Int, _ side: String, _ isServed: Bool, _ category: Category
    ) throws(Refusal) {
        guard count == 0 || channelCounts.contains(count) else {
            throw Refusal(
                .badParam, .hw4,
                """
                \(count) preferred \(side) channels were asked for; the number must be from \(channelCounts.lowerBound) to \
                \(channelCounts.upperBound), or 0 for no wish.
                """)
        }
        guard count == 0 || isServed else {
            throw Refusal(
                .incompatibleCategory, .hw4,
                """
                \(count) preferred \(side) channels were asked for, but category \(category.rawValue) has no \(side); \
                set a category that has one first.
                """)
        }
    }
}
