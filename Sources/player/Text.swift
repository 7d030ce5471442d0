import Foundation

/// Formats numbers for display.
enum Text {
    /// Formats a time: "1:07.3".
    static func clock(_ seconds: Double) -> String {
        let tenths = Int((max(0, seconds.isFinite ? seconds : 0) * 10).rounded(.down))
        let (minutes, rest) = (tenths / 600, tenths % 600)
        return "\(minutes):\(rest / 10 < 10 ? "0" : "")\(rest / 10).\(rest % 10)"
    }

    /// Formats a duration: "5.3 ms".
    static func milliseconds(_ seconds: Double) -> String { "\(oneDecimal(seconds * 1000)) ms" }

    /// Formats a gain: "-14.0 dB"; silence is "-inf dB".
    static func decibels(_ gain: Float) -> String {
        gain > 0 ? "\(oneDecimal(20 * log10(Double(gain)))) dB" : "-inf dB"
    }

    /// Formats a level: "-23.0"; silence is "-inf".
    static func level(_ value: Double?) -> String { value.map(oneDecimal) ?? "-inf" }

    static func oneDecimal(_ value: Double) -> String { String(format: "%.1f", value) }
}
