import CNcurses
import Foundation

/// The full-screen interface: draws a status, reads keys. Main thread only.
final class Screen {
    /// What a key asks for.
    enum Key {
        case playPause, back, forward, louder, softer, interruption, silentSwitch, prompt, quit
    }

    private var meters: [Float] = []
    private let bar: (full: String, empty: String, peak: String)

    /// Takes the terminal over; nil when it cannot show a screen.
    init?() {
        let isUTF8 = Self.chooseLocale()
        guard cncurses_open() else { return nil }
        bar = isUTF8 ? ("█", "·", "▏") : ("#", ".", "|")
    }

    /// Gives the terminal back.
    func close() { endwin() }

    /// The next key that means something; nil when none waits.
    func key() -> Key? {
        while true {
            switch getch() {
            case ERR: return nil
            case Int32(UInt8(ascii: " ")): return .playPause
            case KEY_LEFT: return .back
            case KEY_RIGHT: return .forward
            case KEY_UP: return .louder
            case KEY_DOWN: return .softer
            case Int32(UInt8(ascii: "i")): return .interruption
            case Int32(UInt8(ascii: "s")): return .silentSwitch
            case Int32(UInt8(ascii: "p")): return .prompt
            case Int32(UInt8(ascii: "q")), 3: return .quit
            default: continue
            }
        }
    }

    func draw(_ status: PlayerStatus) {
        erase()
        var row: Int32 = 0
        func line(_ text: String = "", bold: Bool = false) {
            write(text, row: row, bold: bold)
            row += 1
        }
        line(headline(status), bold: true)
        line()
        line("\(status.isPlaying ? ">" : "=") \(status.file)   \(status.format)", bold: true)
        line(positionBar(status))
        line()
        for (index, level) in smoothed(status.peaks).enumerated() {
            line(meter(level, peak: status.peaks[index], index))
        }
        line(
            "  Volume  \(Text.oneDecimal(status.volumeDecibels)) dB\(status.silentSwitch ? "   silent switch ON" : "")")
        line()
        for session in status.sessions { sessionLines(session).forEach { line($0) } }
        line("  Route     \(status.route)")
        for text in hardwareLines(status) { line(text) }
        line()
        let room = max(0, Int(cncurses_rows() - row) - 2)
        for text in status.log.suffix(min(room, 8)) { line("  \(text)") }
        write(
            " space play  \u{2190}\u{2192} seek  \u{2191}\u{2193} volume  i interrupt  s silent  p prompt  q quit",
            row: cncurses_rows() - 1, bold: true)
        refresh()
    }

    // MARK: Parts

    private func headline(_ status: PlayerStatus) -> String {
        let server = status.isServerLost ? "SERVER LOST" : status.hardware?.server ?? "no server"
        return " swift-audio-session player - \(server)"
    }

    private func positionBar(_ status: PlayerStatus) -> String {
        let fraction = status.duration > 0 ? min(1, max(0, status.position / status.duration)) : 0
        let times = "\(Text.clock(status.position)) / \(Text.clock(status.duration))"
        let width = max(4, Int(cncurses_columns()) - times.count - 8)
        return "  [\(filled(fraction, width))]  \(times)"
    }

    /// -60…0 dB over the width.
    private func meter(_ level: Float, peak: Float, _ index: Int) -> String {
        let decibels = level > 0 ? 20 * log10(Double(level)) : -.infinity
        let fraction = min(1, max(0, (decibels + 60) / 60))
        let name = index < 2 ? ["L", "R"][index] : "\(index + 1)"
        let width = max(4, Int(cncurses_columns()) - 22)
        let clip = peak > 1 ? " CLIP" : ""
        return "  \(name) [\(filled(fraction, width))] \(Text.decibels(level))\(clip)"
    }

    private func filled(_ fraction: Double, _ width: Int) -> String {
        let full = Int((fraction * Double(width)).rounded())
        return String(repeating: bar.full, count: full) + String(repeating: bar.empty, count: width - full)
    }

    // Meters fall by a fifth a picture, as a needle would, and rise at once.
    private func smoothed(_ peaks: [Float]) -> [Float] {
        meters = peaks.enumerated().map { index, peak in max(peak, index < meters.count ? meters[index] * 0.8 : 0) }
        return meters.map { $0 < 0.0001 ? 0 : $0 }
    }

    private func sessionLines(_ session: SessionStatus) -> [String] {
        let options = session.options.isEmpty ? "no options" : session.options.joined(separator: ", ")
        let name = session.id.padding(toLength: 8, withPad: " ", startingAt: 0)
        return [
            "  \(name)  \(session.summary)",
            "            \(session.category) / \(session.mode) / \(options)",
        ]
    }

    private func hardwareLines(_ status: PlayerStatus) -> [String] {
        guard let hardware = status.hardware else { return ["  Hardware  -"] }
        let load = Text.oneDecimal(status.cpuLoad * 100)
        return [
            """
              Hardware  \(hardware.sampleRate) Hz, \(hardware.periodFrames) frames \
            (\(Text.milliseconds(hardware.ioBufferDuration))), latency \(Text.milliseconds(hardware.outputLatency))
            """,
            "            xruns \(status.xruns), load \(load) %",
        ]
    }

    private func write(_ text: String, row: Int32, bold: Bool) {
        guard row >= 0, row < cncurses_rows() else { return }
        cncurses_bold(bold)
        move(row, 0)
        addstr(String(text.prefix(max(0, Int(cncurses_columns()) - 1))))
        cncurses_bold(false)
    }

    // The user's locale if it is UTF-8, else the C one in UTF-8; false leaves plain ASCII.
    private static func chooseLocale() -> Bool {
        for name in ["", "C.UTF-8"] {
            guard let chosen = setlocale(LC_ALL, name) else { continue }
            let text = String(cString: chosen).uppercased()
            if text.contains("UTF-8") || text.contains("UTF8") {
                setlocale(LC_NUMERIC, "C")
                return true
            }
        }
        return false
    }
}
