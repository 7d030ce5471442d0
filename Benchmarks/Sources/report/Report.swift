import ArgumentParser
import Foundation
import Mustache

/// Generates one page from the files that the benchmarks wrote to a folder.
@main
struct Report: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Generates a self-contained report.html, and report.md, from the benchmarks' files in a folder.")

    @Argument(help: ArgumentHelp("The folder of the benchmarks' JSON files and pictures.", valueName: "folder"))
    var folder: String

    /// The benchmarks, in the order of the page.
    private static let names = ["latency", "capacity", "arbitration", "session"]

    func run() throws {
        let folder = URL(fileURLWithPath: folder, isDirectory: true)
        let files = Self.names.map { folder.appending(path: "\($0).json") }
        let present = files.filter { FileManager.default.fileExists(atPath: $0.path) }
        guard !present.isEmpty else {
            throw failure(
                66, "None of \(Self.names.map { "\($0).json" }.joined(separator: ", ")) exists in '\(self.folder)'.")
        }
        do {
            let contents = Contents(benchmarks: try present.map(Stored.init), folder: folder).values
            for (name, type, template) in [("report.html", "HTML", Pages.html), ("report.md", "TEXT", Pages.markdown)] {
                try MustacheTemplate(string: "{{% CONTENT_TYPE:\(type)}}" + template).render(contents).write(
                    to: folder.appending(path: name), atomically: true, encoding: .utf8)
            }
        } catch {
            throw failure(65, "Cannot make a page from the files in '\(self.folder)': \(error).")
        }
        print("report: \(present.count) benchmarks in \(folder.appending(path: "report.html").path) and report.md")
    }

    private func failure(_ code: Int32, _ reason: String) -> ExitCode {
        try? FileHandle.standardError.write(contentsOf: Data("report: \(reason)\n".utf8))
        return ExitCode(code)
    }
}
