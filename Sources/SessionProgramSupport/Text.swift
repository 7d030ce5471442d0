internal import Foundation

/// Formats numbers for display.
package enum Text {
    /// Formats a time: "1:07.3".
    package static func clock(_ seconds: Double) -> String {
        let tenths = Int((max(0, seconds.isFinite ? seconds : 0) * 10).rounded(.down))
        let (minutes, rest) = (tenths / 600, tenths % 600)
        return "\(minutes):\(rest / 10 < 10 ? "0" : "")\(rest / 10).\(rest % 10)"
    }

    /// Formats a duration: "5.3 ms".
    package static func milliseconds(_ seconds: Double) -> String { "\(oneDecimal(seconds * 1000)) ms" }

    /// Formats a gain: "-14.0 dB"; silence is "-inf dB".
    package static func decibels(_ gain: Float) -> String {
        gain > 0 ? "\(oneDecimal(20 * log10(Double(gain)))) dB" : "-inf dB"
    }

    /// Formats a long time, without tenths: "3:07:12", "12 days".
    package static func longTime(_ seconds: Double) -> String {
        guard seconds < 172_800 else { return "\(Int(min(seconds, 1e9) / 86_400)) days" }
        let whole = Int(max(0, seconds))
        func two(_ number: Int) -> String { "\(number < 10 ? "0" : "")\(number)" }
        return "\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60))"
    }

    /// Returns a gain in decibels.
    package static func decibelValue(_ gain: Float) -> Double { 20 * log10(Double(gain)) }

    /// Formats a level: "-23.0"; silence is "-inf".
    package static func level(_ value: Double?) -> String { value.map(oneDecimal) ?? "-inf" }

    package static func oneDecimal(_ value: Double) -> String { String(format: "%.1f", value) }
}
