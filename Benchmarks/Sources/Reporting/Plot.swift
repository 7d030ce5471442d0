package import Foundation

/// Draws plots with gnuplot. Each script is saved with its picture, so that it can be drawn again.
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
        /// The gnuplot settings from this panel on.
        package var settings: String

        package init(title: String, lines: [Line], settings: String = "") {
            (self.title, self.lines, self.settings) = (title, lines, settings)
        }
    }

    /// Draws NAME.png, and NAME.svg for the self-contained page, with a caption.
    @discardableResult
    package func draw(_ name: String, size: String, caption: String = "", panels: [Panel], settings: String) throws
        -> Figure
    {
        let body = script(panels: panels, settings: settings)
        let terminals = ["pngcairo", "svg"].map { terminal in
            """
            set terminal \(terminal) size \(size) font "sans,11"\(terminal == "svg" ? " background rgb 'white'" : "")
            set output "\(name).\(terminal == "svg" ? "svg" : "png")"
            \(body)
            """
        }
        try terminals.joined(separator: "unset output\nreset\n").write(
            to: directory.appending(path: "\(name).gnuplot"), atomically: true, encoding: .utf8)
        try runGnuplot("\(name).gnuplot")
        return Figure(name: name, caption: caption)
    }

    private func script(panels: [Panel], settings: String) -> String {
        var script = """
            set grid
            set key bottom left Left reverse samplen 3
            set rmargin 5
            \(settings)
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
            script +=
                "\(panel.settings)\nset title \"\(panel.title)\"\nplot \(curves.joined(separator: ", \\\n    "))\n"
        }
        return script + "unset multiplot\n"
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

/// A drawn plot: NAME.png and NAME.svg in the report's folder.
package struct Figure: Codable {
    package var name: String
    package var caption: String
}

/// The reason why a plot could not be drawn.
package struct PlotError: Error, CustomStringConvertible {
    var reason: String

    package var description: String {
        "Cannot draw the plots: \(reason). Install gnuplot (Debian: gnuplot-nox), or omit --report."
    }
}
