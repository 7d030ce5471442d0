internal import CNcurses
internal import Foundation

/// The full-screen interface: shows lines and reads keys. Main thread only.
package final class Screen {
    package enum Key: Equatable { case character(Character), left, right, up, down }

    private let isUTF8: Bool

    /// Takes over the terminal; nil if it cannot show a screen.
    package init?() {
        isUTF8 = Self.chooseLocale()
        guard cncurses_open() else { return nil }
    }

    /// Whether standard input and output are a terminal that can show a screen and that this
    /// process may use; a background process may not.
    package static var isPossible: Bool {
        isatty(0) == 1 && isatty(1) == 1 && tcgetpgrp(0) == getpgrp() && cncurses_is_capable()
    }

    /// Restores the terminal.
    package func close() { endwin() }

    /// Returns the next key that was pressed; nil if there is none. Ctrl-C is the key q.
    package func key() -> Key? {
        while true {
            switch getch() {
            case ERR: return nil
            case KEY_LEFT: return .left
            case KEY_RIGHT: return .right
            case KEY_UP: return .up
            case KEY_DOWN: return .down
            case 3: return .character("q")
            case let code where (32..<127).contains(code): return .character(Character(Unicode.Scalar(UInt8(code))))
            default: continue
            }
        }
    }

    /// The layout for the size that the terminal has now.
    package var layout: ScreenLayout {
        ScreenLayout(rows: Int(cncurses_rows()), columns: Int(cncurses_columns()), isUTF8: isUTF8)
    }

    /// Shows lines, from the first row on.
    package func draw(_ lines: [ScreenLayout.Line]) {
        erase()
        for (row, line) in lines.enumerated() {
            cncurses_bold(line.isBold)
            move(Int32(row), 0)
            addstr(line.text)
            cncurses_bold(false)
        }
        refresh()
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
