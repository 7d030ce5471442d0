package import Foundation

/// Draws by gnuplot what a table shows badly; each script stays beside its picture, to draw it again.
package struct Plot {
    package var directory: URL
    package var machine: Machine

    package init(directory: URL, machine: Machine) {
        self.directory = directory
        self.machine = machine
    }

    package struct Line {
        package var title: String
        package var color: String
        package var dashed: Bool
        package var points: [(Double, Double)]
        package var symbol: Int

        package init(title: String, color: String, dashed: Bool, points: [(Double, Double)], symbol: Int = 7) {
            (self.title, self.color, self.dashed, self.points, self.symbol) = (title, color, dashed, points, symbol)
        }
    }

    package struct Panel {
        package var title: String
        package var lines: [Line]

        package init(title: String, lines: [Line]) {
            self.title = title
            self.lines = lines
        }
    }

    package func draw(_ name: String, size: String, panels: [Panel], settings: String) throws {
        var script = """
            set terminal pngcairo size \(size) font "sans,11"
            set output "\(name).png"
            \(settings)
            set grid
            set key bottom left Left reverse samplen 3
            set rmargin 5
            set multiplot layout 1,\(panels.count) title "\(machine.processor), largest cache \(machine.cacheBytes >> 20) MiB"

            """
        for (number, panel) in panels.enumerated() {
            for (index, line) in panel.lines.enumerated() {
                let rows = line.points.map { "\($0.0) \($0.1)" }.joined(separator: "\n")
                script += "$data_\(number)_\(index) << EOD\n\(rows)\nEOD\n"
            }
            let curves = panel.lines.enumerated().filter { !$0.element.points.isEmpty }.map { index, line in
                "$data_\(number)_\(index) using 1:2 with linespoints linewidth 2 linecolor rgb \"\(line.color)\" "
                    + "dashtype \(line.dashed ? 2 : 1) pointtype \(line.symbol) title \"\(line.title)\""
            }
            script += "set title \"\(panel.title)\"\nplot \(curves.joined(separator: ", \\\n    "))\n"
        }
        script += "unset multiplot\n"
        try script.write(to: directory.appending(path: "\(name).gnuplot"), atomically: true, encoding: .utf8)
        try runGnuplot("\(name).gnuplot")
    }

    private func runGnuplot(_ script: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gnuplot", script]
        process.currentDirectoryURL = directory
        do { try process.run() } catch { throw PlotError(reason: "\(error)") }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw PlotError(reason: "gnuplot ended with \(process.terminationStatus) at \(script)")
        }
    }
}

/// Why there is no picture.
package struct PlotError: Error, CustomStringConvertible {
    var reason: String

    package var description: String {
        "The plots could not be drawn: \(reason). Install gnuplot (Debian: gnuplot-nox), or leave --report out."
    }
}
