import DesktopEvents
import Foundation
import Platform

/// The file with what is set at the arbiter, for a successor of a killed process.
struct MarkFile: Sendable {
    let path: String
    /// Reports errors.
    let log: @Sendable (String) -> Void

    /// No marks if there is no file.
    func read() -> DesktopMarks {
        guard let data = FileManager.default.contents(atPath: path), data.count < 1_024 else { return DesktopMarks() }
        return DesktopMarks(text: String(decoding: data, as: UTF8.self))
    }

    /// Replaces the file; without marks, removes it.
    func write(_ marks: DesktopMarks) {
        guard marks != DesktopMarks() else {
            unlink(path)
            return
        }
        do {
            try Data(marks.text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            log(
                "'\(path)' cannot be written: \(error.localizedDescription). If this program is killed, the next one "
                    + "does not end what this one has set.")
        }
    }
}
