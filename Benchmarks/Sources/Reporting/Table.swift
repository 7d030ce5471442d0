/// Rows under a heading: printed as they arrive, which shows the progress of a long run, and kept
/// for the report.
package struct Table: Codable {
    package struct Column: Codable, ExpressibleByStringLiteral {
        package var title: String
        /// Whether the column is left-aligned text; otherwise it is right-aligned numbers.
        package var isText: Bool
        package var width = 0

        package init(_ title: String, width: Int = 0, isText: Bool = false) {
            (self.title, self.isText) = (title, isText)
            self.width = max(width, title.count)
        }

        package init(stringLiteral title: String) { self.init(title, width: 9) }

        package static func text(_ title: String, _ width: Int) -> Column { Column(title, width: width, isText: true) }

        func formatted(_ cell: String) -> String { isText ? padded(cell, width) : Reporting.column(cell, width) }

        private enum CodingKeys: String, CodingKey { case title, isText }
    }

    package private(set) var title: String
    /// A note for the reader, printed below the heading.
    package private(set) var note: String
    package private(set) var columns: [Column]
    package private(set) var rows: [[String]] = []

    /// Prints the heading.
    package init(_ title: String, note: String = "", _ columns: [Column]) {
        (self.title, self.note, self.columns) = (title, note, columns)
        say("\n\(title)")
        if !note.isEmpty { say(note) }
        say(line(columns.map(\.title)))
    }

    /// Prints the row; missing cells are empty.
    package mutating func add(_ cells: [String]) {
        precondition(cells.count <= columns.count, "more cells than columns")
        let row = cells + Array(repeating: "", count: columns.count - cells.count)
        rows.append(row)
        say(line(row))
    }

    private func line(_ cells: [String]) -> String {
        let text = zip(columns, cells).map { $0.formatted($1) }.joined(separator: "  ")
        return String(text.reversed().drop { $0 == " " }.reversed())
    }
}

/// Formats with three significant digits.
package func digits(_ value: Double) -> String { column(value, 0) }
