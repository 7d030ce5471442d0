import CNcurses
import Foundation

/// Lays out the screen, line by line, for a terminal of a given size. On a small terminal the blank
/// lines are dropped first, then the last lines.
struct ScreenLayout {
    let rows: Int
    let columns: Int
    let isUTF8: Bool

    struct Line: Equatable {
        var text = ""
        var isBold = false
    }

    /// Returns one line per row, none wider than the terminal; the last line lists the keys. Rows
    /// that remain free show the latest events. `levels` are the levels of the meters.
    func lines(_ status: PlayerStatus, levels: [Float]) -> [Line] {
        let room = max(0, rows - 1)
        var lines = facts(status, levels)
        if lines.count > room { lines.removeAll { $0.text.isEmpty } }
        if lines.count + 1 < room {
            lines.append(Line())
            lines += status.log.suffix(room - lines.count).map { Line(text: "  \($0)") }
        }
        lines = Array(lines.prefix(room))
        lines += Array(repeating: Line(), count: room - lines.count)
        lines.append(Line(text: keys, isBold: true))
        return lines.map { Line(text: fitted($0.text), isBold: $0.isBold) }
    }

    // MARK: Parts

    private func facts(_ status: PlayerStatus, _ levels: [Float]) -> [Line] {
        var lines = [Line(text: headline(status), isBold: true), Line()]
        lines.append(Line(text: "  \(status.file)   \(activity(status))   \(status.format)", isBold: true))
        lines += [Line(text: positionBar(status)), Line()]
        for (index, level) in levels.enumerated() {
            lines.append(Line(text: meter(level, isClipped: status.peaks[index] > 1, index)))
        }
        lines += status.loudness.map { [Line(text: loudness($0))] } ?? []
        lines += [Line(text: volume(status)), Line()]
        for session in status.sessions { lines += sessionLines(session).map { Line(text: $0) } }
        lines.append(Line(text: "  Route     \(status.route)"))
        return lines + hardwareLines(status).map { Line(text: $0) }
    }

    private func headline(_ status: PlayerStatus) -> String {
        let server = status.hardware?.server ?? "no server"
        return "  swift-audio-session player - \(status.isServerLost ? "SERVER LOST, waiting for \(server)" : server)"
    }

    private func activity(_ status: PlayerStatus) -> String {
        if status.sessions.first?.state == .interrupted { return "interrupted" }
        return status.isPlaying ? "playing" : "paused"
    }

    private func positionBar(_ status: PlayerStatus) -> String {
        let fraction = status.duration > 0 ? min(1, max(0, status.position / status.duration)) : 0
        let times = "\(Text.clock(status.position)) / \(Text.clock(status.duration))"
        return "  [\(filled(fraction, columns - times.count - 8))]  \(times)"
    }

    /// A meter whose width represents -60…0 dB.
    private func meter(_ level: Float, isClipped: Bool, _ index: Int) -> String {
        let decibels = level > 0 ? 20 * log10(Double(level)) : -.infinity
        let fraction = min(1, max(0, (decibels + 60) / 60))
        let name = index < 2 ? ["L", "R"][index] : "\(index + 1)"
        return "  \(name) [\(filled(fraction, columns - 22))] \(Text.decibels(level))\(isClipped ? " CLIP" : "")"
    }

    /// The loudness range is shown only if there is room for it.
    private func loudness(_ loudness: PlayerEvent.Loudness) -> String {
        let levels = [("M", loudness.momentary), ("S", loudness.shortTerm), ("I", loudness.integrated)]
        let scales = levels.map { "\($0) \(Text.level($1))" }.joined(separator: "  ")
        let range = columns >= 80 ? "   range \(Text.oneDecimal(loudness.range)) LU" : ""
        return "  Loudness  \(scales) LUFS   max \(Text.level(loudness.truePeak)) dBTP\(range)"
    }

    private func filled(_ fraction: Double, _ width: Int) -> String {
        let width = max(4, width)
        let full = Int((fraction * Double(width)).rounded())
        return String(repeating: isUTF8 ? "█" : "#", count: full)
            + String(repeating: isUTF8 ? "·" : ".", count: width - full)
    }

    private func volume(_ status: PlayerStatus) -> String {
        "  Volume    \(Text.oneDecimal(status.volumeDecibels)) dB\(status.silentSwitch ? "   silent switch ON" : "")"
    }

    private func sessionLines(_ session: PlayerSessionStatus) -> [String] {
        let options = session.options.isEmpty ? "no options" : session.options.joined(separator: ", ")
        let name = session.id.padding(toLength: 8, withPad: " ", startingAt: 0)
        return [
            "  \(name)  \(session.summary)",
            "            \(session.category) / \(session.mode) / \(options)",
        ]
    }

    private func hardwareLines(_ status: PlayerStatus) -> [String] {
        guard let hardware = status.hardware else { return ["  Hardware  -"] }
        return [
            """
              Hardware  \(hardware.sampleRate) Hz, \(hardware.periodFrames) frames \
            (\(Text.milliseconds(hardware.ioBufferDuration))\(tuning(status))), latency \(Text.milliseconds(hardware.outputLatency))
            """,
            "            xruns \(status.xruns), load \(Text.oneDecimal(status.cpuLoad * 100)) %",
        ]
    }

    private func tuning(_ status: PlayerStatus) -> String {
        switch status.tuning {
        case nil: ""
        case .underWay: ", auto"
        case .settled: ", auto, settled"
        }
    }

    /// The keys, in the longest wording that fits; "q" if none does.
    private var keys: String {
        let wordings = [
            "  space play/pause  ←→ seek  ↑↓ volume  i interrupt  s silent  p prompt  q quit",
            "  space play ←→ ↑↓ i interrupt s silent p prompt q quit",
            "  space ←→ ↑↓ i s p  q quit",
            "  q quit",
        ]
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
