/// A plot with its data; the program `report` draws it.
package struct Figure: Codable {
    /// The file's name in the report's folder.
    package var file: String
    package var caption: String
    /// Width and height, such as "800,600".
    package var size = ""
    /// The gnuplot settings of all panels.
    package var settings = ""
    /// Without panels there is nothing to draw: the file exists.
    package var panels: [Panel] = []

    package init(_ name: String, size: String, caption: String, panels: [Panel], settings: String) {
        (self.file, self.size, self.caption) = (name + ".svg", size, caption)
        (self.panels, self.settings) = (panels, settings)
    }

    package struct Panel: Codable {
        package var title: String
        package var lines: [Line]
        /// The gnuplot settings from this panel on.
        package var settings: String

        package init(title: String, lines: [Line], settings: String = "") {
            (self.title, self.lines, self.settings) = (title, lines, settings)
        }
    }

    package struct Line: Codable {
        package var title: String
        package var color: String
        package var dashed: Bool
        /// Pairs of x and y.
        package var points: [[Double]]
        /// gnuplot's number of the symbol at each point.
        package var symbol: Int

        package init(title: String, color: String, dashed: Bool = false, points: [(Double, Double)], symbol: Int = 7) {
            (self.title, self.color, self.dashed, self.symbol) = (title, color, dashed, symbol)
            self.points = points.map { [$0, $1] }.filter { $0.allSatisfy(\.isFinite) }
        }
    }

    /// The gnuplot script that draws this. The same data make the same file.
    package func script(machine: Machine) -> String {
        var script = """
            set terminal svg size \(size) font "sans,11" background rgb 'white'
            set output "\(file)"
            set grid
            set key bottom left Left reverse samplen 3
            set rmargin 5
            \(settings)
            set multiplot layout 1,\(panels.count) title "\(machine.processor), largest cache \(machine.cacheBytes >> 20) MiB"

            """
        for (number, panel) in panels.enumerated() {
            let lines = panel.lines.enumerated().filter { !$0.element.points.isEmpty }
            for (index, line) in lines {
                let rows = line.points.map { "\($0[0]) \($0[1])\n" }.joined()
                script += "$data_\(number)_\(index) << EOD\n\(rows)EOD\n"
            }
            let curves = lines.map { index, line in
                "$data_\(number)_\(index) using 1:2 with linespoints linewidth 2 linecolor rgb \"\(line.color)\" "
                    + "dashtype \(line.dashed ? 2 : 1) pointtype \(line.symbol) title \"\(line.title)\""
            }
            script +=
                "\(panel.settings)\nset title \"\(panel.title)\"\nplot \(curves.joined(separator: ", \\\n    "))\n"
        }
        return script + "unset multiplot\n"
    }
}
