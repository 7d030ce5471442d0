internal import CNcurses
internal import Foundation

/// Lays out the screen, line by line, for a terminal of a given size. On a small terminal the blank
/// lines are dropped first, then the last lines.
package struct ScreenLayout {
    package let rows: Int
    package let columns: Int
    package let isUTF8: Bool

    package struct Line: Equatable {
        package var text = ""
        package var isBold = false

        package init(_ text: String = "", isBold: Bool = false) {
            self.text = text
            self.isBold = isBold
        }
    }

    /// Returns one line per row, none wider than the terminal. Rows that `facts` leave free show
    /// the latest lines of `log`; the last row shows the keys, in the longest of these wordings
    /// that fits.
    package func page(_ facts: [Line], log: [String], keys wordings: [String]) -> [Line] {
        let room = max(0, rows - 1)
        var lines = facts
        if lines.count > room { lines.removeAll { $0.text.isEmpty } }
        if lines.count + 1 < room {
            lines.append(Line())
            lines += log.suffix(room - lines.count).map { Line("  \($0)") }
        }
        lines = Array(lines.prefix(room))
        lines += Array(repeating: Line(), count: room - lines.count)
        lines.append(Line(keys(wordings), isBold: true))
        return lines.map { Line(fitted($0.text), isBold: $0.isBold) }
    }

    // MARK: Parts

    /// The name of the program, and the server.
    package func headline(_ program: String, _ observer: SessionObserver) -> Line {
        let server = observer.hardware?.server ?? "no server"
        let state = observer.isServerLost ? "SERVER LOST, waiting for \(server)" : server
        return Line("  swift-audio-session \(program) - \(state)", isBold: true)
    }

    /// A bar of which a fraction is filled, before two times.
    package func positionBar(_ position: Double, of duration: Double) -> Line {
        let fraction = duration > 0 ? min(1, max(0, position / duration)) : 0
        let times = "\(Text.clock(position)) / \(Text.clock(duration))"
        return Line("  [\(filled(fraction, columns - times.count - 8))]  \(times)")
    }

    /// A meter whose width represents -60…0 dB, with a mark at the level that is held.
    package func meter(_ level: Float, held: Float? = nil, isClipped: Bool, _ index: Int) -> Line {
        func fraction(_ level: Float) -> Double {
            let decibels = level > 0 ? 20 * log10(Double(level)) : -.infinity
            return min(1, max(0, (decibels + 60) / 60))
        }
        let name = index < 2 ? ["L", "R"][index] : "\(index + 1)"
        let bar = filled(fraction(level), columns - 22, mark: held.map(fraction))
        return Line("  \(name) [\(bar)] \(Text.decibels(held ?? level))\(isClipped ? " CLIP" : "")")
    }

    private func filled(_ fraction: Double, _ width: Int, mark: Double? = nil) -> String {
        let width = max(4, width)
        let full = Int((fraction * Double(width)).rounded())
        var cells =
            Array(repeating: isUTF8 ? "█" : "#", count: full)
            + Array(repeating: isUTF8 ? "·" : ".", count: width - full)
        let marked = Int(((mark ?? 0) * Double(width)).rounded())
        if marked > full { cells[marked - 1] = isUTF8 ? "│" : "|" }
        return cells.joined()
    }

    package func sessionLines(_ session: SessionStatus) -> [Line] {
        let options = session.options.isEmpty ? "no options" : session.options.joined(separator: ", ")
        let name = session.id.padding(toLength: 8, withPad: " ", startingAt: 0)
        return [
            Line("  \(name)  \(session.summary)"),
            Line("            \(session.category) / \(session.mode) / \(options)"),
        ]
    }

    /// The format of the hardware, its latency, xruns and load. `detail` follows the buffer.
    package func hardwareLines(
        _ hardware: SessionChange.Hardware?, detail: String = "", latency: Double?, xruns: Int, cpuLoad: Double
    ) -> [Line] {
        guard let hardware else { return [Line("  Hardware  -")] }
        return [
            Line(
                """
                  Hardware  \(hardware.sampleRate) Hz, \(hardware.periodFrames) frames \
                (\(Text.milliseconds(hardware.ioBufferDuration))\(detail)), latency \
                \(Text.milliseconds(latency ?? hardware.outputLatency))
                """),
            Line("            xruns \(xruns), load \(Text.oneDecimal(cpuLoad * 100)) %"),
        ]
    }

    private func keys(_ wordings: [String]) -> String {
        let text = wordings.first { $0.count < columns } ?? "q"
        return isUTF8
            ? text : text.replacingOccurrences(of: "←→", with: "<>").replacingOccurrences(of: "↑↓", with: "^v")
    }

    // MARK: Width

    /// Returns the text shortened so that it leaves the last column free (writing there would
    /// scroll a terminal), with a mark where it was cut. Characters that cannot be displayed, as
    /// file names may contain, become question marks.
    private func fitted(_ text: String) -> String {
        let limit = max(0, columns - 1)
        // `atMark` is the part of `kept` that leaves room for the mark.
        var (kept, width, atMark) = ("", 0, "")
        for character in text {
            let shown = Self.width(of: character).map { (String(character), $0) } ?? ("?", 1)
            if width + shown.1 > limit { return atMark + (isUTF8 ? "…" : "~").prefix(limit) }
            kept += shown.0
            width += shown.1
            if width < limit { atMark = kept }
        }
        return kept
    }

    /// Returns the number of columns of a character; nil if it cannot be displayed.
    private static func width(of character: Character) -> Int? {
        var width = 0
        for scalar in character.unicodeScalars {
            let columns = cncurses_width(scalar.value)
            guard columns >= 0 else { return nil }
            width += Int(columns)
        }
        return width
    }
}
