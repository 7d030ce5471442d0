/// The hardware values that a session prefers; 0 means no preference (HW-1).
public struct Preferences: Hashable, Sendable, Codable {
    /// In Hz.
    public var sampleRate: Double = 0
    /// In seconds.
    public var ioBufferDuration: Double = 0
    public var inputChannels: Int = 0
    public var outputChannels: Int = 0

    public init() {}
}

/// One preferred value to set.
public enum Preference: Hashable, Sendable, Codable {
    case sampleRate(Double)
    case ioBufferDuration(Double)
    case inputChannels(Int)
    case outputChannels(Int)
}

extension Preferences {
    /// The range of accepted sample rates in Hz; values outside it are refused (HW-4).
    public static let sampleRates: ClosedRange<Double> = 1_000...1_536_000
    /// The range of accepted I/O buffer durations in seconds. Below 0.3 ms (16 frames at 48 kHz) no
    /// known device works, and with such a duration a server would not meet any deadline.
    public static let ioBufferDurations: ClosedRange<Double> = 0.000_3...10
    /// The range of accepted channel counts (HW-4).
    public static let channelCounts: ClosedRange<Int> = 1...1_024

    /// Returns these preferences with one value set or, by zero, cleared (keeps HW-4).
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
                \(what) of \(value) \(unit) is out of range; it must be from \(range.lowerBound) to \
                \(range.upperBound) \(unit), or 0 for no preference.
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
                \(count) preferred \(side) channels are out of range; the number must be from \
                \(channelCounts.lowerBound) to \(channelCounts.upperBound), or 0 for no preference.
                """)
        }
        guard count == 0 || isServed else {
            throw Refusal(
                .incompatibleCategory, .hw4,
                """
                \(count) preferred \(side) channels cannot be set because category \(category.rawValue) has no \
                \(side). Set a category that has one first.
                """)
        }
    }
}
