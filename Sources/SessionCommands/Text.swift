internal import Platform
internal import SessionPolicy

/// Formats values for display.
enum Text {
    /// Formats a duration: "0.3 s", "42 s", "3 min 20 s", "2 h 5 min".
    static func duration(_ seconds: Double) -> String {
        let whole = Int(seconds)
        switch seconds {
        case ..<10: return "\(rounded(seconds, 1)) s"
        case ..<60: return "\(whole) s"
        case ..<3_600: return "\(whole / 60) min" + (whole % 60 == 0 ? "" : " \(whole % 60) s")
        default: return "\(whole / 3_600) h" + (whole % 3_600 < 60 ? "" : " \(whole % 3_600 / 60) min")
        }
    }

    /// Formats a number with at most that many decimal places.
    static func rounded(_ value: Double, _ digits: Int) -> String {
        var factor = 1.0
        for _ in 0..<digits { factor *= 10 }
        let rounded = (value * factor).rounded() / factor
        return Int(exactly: rounded).map(String.init) ?? String(rounded)
    }

    /// Formats a position in a track: "0:12", "1:02:03".
    static func clock(_ seconds: Double) -> String {
        let whole = Int(min(max(0, seconds), 1e9))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes) = (whole / 3_600, whole / 60 % 60)
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(whole % 60))" : "\(minutes):\(two(whole % 60))"
    }

    static func milliseconds(_ seconds: Double) -> String { "\(rounded(seconds * 1_000, 1)) ms" }

    /// Joins items: "a", "a and b", "a, b and c".
    static func list(_ parts: [String]) -> String {
        guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
        return parts.dropLast().joined(separator: ", ") + " and " + last
    }

    /// Formats a count: "1 program", "2 programs".
    static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    static func onOff(_ isOn: Bool) -> String { isOn ? "on" : "off" }

    /// Joins lines, with the control characters in each as escape sequences.
    static func lines(_ lines: [String]) -> String { lines.map(\.printable).joined(separator: "\n") }

    /// Formats rows of names and values in two columns.
    static func columns(_ rows: [(name: String, value: String)]) -> String {
        let width = rows.map(\.name.count).max() ?? 0
        return lines(
            rows.map { row in row.name + String(repeating: " ", count: width - row.name.count + 2) + row.value })
    }
}

extension EventTime {
    /// Returns the seconds from this time until `now`; 0 for a time in the future.
    func seconds(until now: EventTime) -> Double {
        now > self ? Double(now.nanoseconds - nanoseconds) / 1e9 : 0
    }
}
