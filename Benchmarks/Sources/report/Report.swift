import ArgumentParser
import Foundation
import Mustache

/// Makes one page out of what the benchmarks wrote into a folder.
@main
struct Report: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes report.html, which needs no network, and report.md out of the benchmarks' files in a folder.")

    @Argument(help: ArgumentHelp("Where the benchmarks' JSON files and pictures are.", valueName: "folder"))
    var folder: String

    /// In the order in which they are told.
    private static let names = ["latency", "capacity", "arbitration", "session"]

    func run() throws {
        let folder = URL(fileURLWithPath: folder, isDirectory: true)
        let files = Self.names.map { folder.appending(path: "\($0).json") }
        let present = files.filter { FileManager.default.fileExists(atPath: $0.path) }
        guard !present.isEmpty else {
            throw failure(
                66, "There is none of \(Self.names.map { "\($0).json" }.joined(separator: ", ")) in '\(self.folder)'.")
        }
        do {
            let contents = Contents(benchmarks: try present.map(Stored.init), folder: folder).values
            for (name, type, template) in [("report.html", "HTML", Pages.html), ("report.md", "TEXT", Pages.markdown)] {
                try MustacheTemplate(string: "{{% CONTENT_TYPE:\(type)}}" + template).render(contents).write(
                    to: folder.appending(path: name), atomically: true, encoding: .utf8)
            }
        } catch {
            throw failure(65, "The files in '\(self.folder)' could not be made into a page: \(error).")
        }
        print("report: \(present.count) benchmarks in \(folder.appending(path: "report.html").path) and report.md")
    }

    private func failure(_ code: Int32, _ reason: String) -> ExitCode {
        try? FileHandle.standardError.write(contentsOf: Data("report: \(reason)\n".utf8))
        return ExitCode(code)
    }
}
