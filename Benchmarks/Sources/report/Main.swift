import ArgumentParser
import Foundation
import Mustache
import Processes
import Reporting

/// Draws the plots and generates one page from the files that the benchmarks wrote to a folder.
@main
struct Main: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Draws the benchmarks' plots, and generates a self-contained report.html, and report.md, in a folder."
    )

    @Argument(help: ArgumentHelp("The folder of the benchmarks' JSON Lines files.", valueName: "folder"))
    var folder: String

    /// The benchmarks, in the order of the page.
    private static let names = ["latency", "capacity", "arbitration", "session", "foreign"]

    func run() throws {
        let folder = URL(fileURLWithPath: folder, isDirectory: true)
        let files = Self.names.map { folder.appending(path: "\($0).jsonl") }
        let present = files.filter { FileManager.default.fileExists(atPath: $0.path) }
        guard !present.isEmpty else {
            throw failure(
                66, "None of \(Self.names.map { "\($0).jsonl" }.joined(separator: ", ")) exists in '\(self.folder)'.")
        }
        do {
            let reports = try present.map(Report.init)
            for report in reports {
                for figure in report.findings.figures where !figure.panels.isEmpty {
                    try draw(figure.script(machine: report.header.machine), in: folder)
                }
            }
            let contents = Contents(reports: reports, folder: folder).values
            for (name, type, template) in [("report.html", "HTML", Pages.html), ("report.md", "TEXT", Pages.markdown)] {
                try MustacheTemplate(string: "{{% CONTENT_TYPE:\(type)}}" + template).render(contents).write(
                    to: folder.appending(path: name), atomically: true, encoding: .utf8)
            }
        } catch {
            throw failure(65, "Cannot make a page from the files in '\(self.folder)': \(error).")
        }
        print("report: \(present.count) benchmarks in \(folder.appending(path: "report.html").path) and report.md")
    }

    private func draw(_ script: String, in folder: URL) throws {
        let (gnuplot, input) = (Process(), Pipe())
        gnuplot.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        gnuplot.arguments = ["gnuplot"]
        gnuplot.currentDirectoryURL = folder
        gnuplot.standardInput = input
        try gnuplot.run()
        try input.fileHandleForWriting.write(contentsOf: Data(script.utf8))
        try input.fileHandleForWriting.close()
        gnuplot.waitUntilExit()
        guard gnuplot.terminationStatus == 0 else {
            throw BenchmarkError("gnuplot (Debian: gnuplot-nox) ended with \(gnuplot.terminationStatus)")
        }
    }

    private func failure(_ code: Int32, _ reason: String) -> ExitCode {
        try? FileHandle.standardError.write(contentsOf: Data("report: \(reason)\n".utf8))
        return ExitCode(code)
    }
}
