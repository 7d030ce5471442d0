internal import Foundation

/// Formats a right-aligned cell of a table.
package func column(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}

package func column(_ value: Int, _ width: Int) -> String { column(String(value), width) }

/// Formats with three significant digits, or as an integer if the value is one.
package func column(_ value: Double, _ width: Int) -> String {
    if value == value.rounded(), abs(value) < 1e6 { return column(Int(value), width) }
    let size = abs(value)
    let digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3
    return column(String(format: "%.\(digits)f", value), width)
}

/// Formats a left-aligned cell.
package func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}

/// Prints a line immediately, also into a pipe, to show the progress of a long run.
package func say(_ line: String) {
    print(line)
    fflush(nil)
}
