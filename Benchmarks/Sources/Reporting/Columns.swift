internal import Foundation

/// Right-aligned, as a column of a table.
package func column(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}

package func column(_ value: Int, _ width: Int) -> String { column(String(value), width) }

/// With three digits that count, or as the whole number that it is.
package func column(_ value: Double, _ width: Int) -> String {
    if value == value.rounded(), abs(value) < 1e6 { return column(Int(value), width) }
    let size = abs(value)
    let digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3
    return column(String(format: "%.\(digits)f", value), width)
}

/// Left-aligned.
package func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}

/// Prints a line at once, also into a pipe: a long run shows where it is.
package func say(_ line: String) {
    print(line)
    fflush(nil)
}
