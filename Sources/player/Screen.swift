import CNcurses
import Foundation

/// The full-screen interface: draws the status and reads keys. Main thread only.
final class Screen {
    /// The action of a key.
    enum Key {
        case playPause, back, forward, louder, softer, interruption, silentSwitch, prompt, quit
    }

    private var meters: [Float] = []
    private var lastDraw = ContinuousClock.now
    private let isUTF8: Bool

    /// Takes over the terminal; nil if it cannot show a screen.
    init?() {
        isUTF8 = Self.chooseLocale()
        guard cncurses_open() else { return nil }
    }

    /// Whether standard input and output are a terminal that can show a screen and that this
    /// process may use; a background process may not.
    static var isPossible: Bool {
        isatty(0) == 1 && isatty(1) == 1 && tcgetpgrp(0) == getpgrp() && cncurses_is_capable()
    }

    /// Restores the terminal.
    func close() { endwin() }

    /// Returns the next key that has an action; nil if none was pressed.
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
        let layout = ScreenLayout(rows: Int(cncurses_rows()), columns: Int(cncurses_columns()), isUTF8: isUTF8)
        erase()
        for (row, line) in layout.lines(status, levels: smoothed(status.peaks)).enumerated() {
            cncurses_bold(line.isBold)
            move(Int32(row), 0)
            addstr(line.text)
            cncurses_bold(false)
        }
        refresh()
    }

    /// Whether all meters show silence, so that redrawing would not move them.
    var metersAreAtRest: Bool { meters.allSatisfy { $0 == 0 } }

    // Meters rise at once and fall by 48 dB in a second, like a needle.
    private func smoothed(_ peaks: [Float]) -> [Float] {
        let now = ContinuousClock.now
        let fall = Float(pow(10, -48 / 20 * ((now - lastDraw) / .seconds(1))))
        lastDraw = now
        meters = peaks.enumerated().map { index, peak in
            let level = max(peak, index < meters.count ? meters[index] * fall : 0)
            return level < 0.0001 ? 0 : level
        }
        return meters
    }

    // Selects the user's locale if it is UTF-8, otherwise the C locale in UTF-8. Returns false if
    // only plain ASCII is available.
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
