import Foundation
import Testing

/// Compares Documentation/Threads.md with the names of threads and queues in the sources.
@Suite struct ThreadsPageTests {
    private let page: String
    /// The text of each source file.
    private let sources: [String]

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        page = try String(contentsOf: root.appending(path: "Documentation/Threads.md"), encoding: .utf8)
        let folder = root.appending(path: "Sources").path
        sources = try FileManager.default.subpathsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".c") }
            .map { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }
    }

    @Test("Each queue, and each thread with a name, has a place on the page")
    func places() {
        let forms = [/DispatchQueue\(\s*label: "([^"\\]+)"/, /\.start\(\s*name: "([^"\\]+)"/]
        let names = Set(sources.flatMap { text in forms.flatMap { text.matches(of: $0).map { String($0.1) } } })
        #expect(names.count > 30)
        #expect(names.filter { !page.contains("`\($0)`") && !isAbbreviated($0) }.sorted() == [])
    }

    @Test("Each thread and queue of the page exists")
    func existence() {
        var names: [String] = []
        for row in page.split(separator: "\n").filter({ $0.hasPrefix("| `audio-") }) {
            let first = row.dropFirst(2).prefix { $0 != "|" }
            for name in first.matches(of: /`([^`]+)`/).map({ String($0.1) }) {
                let part = names.last?.prefix { $0 != "." } ?? ""
                names.append(name.hasPrefix(".") ? part + name : name)
            }
        }
        #expect(names.count > 20)
        #expect(names.filter { name in !sources.contains { $0.contains("\"\(name)\"") } } == [])
    }

    /// Returns whether the page names only the last part of a queue, behind another one with the
    /// same first part, such as `` `audio-session.activation`, `.answers` ``.
    private func isAbbreviated(_ name: String) -> Bool {
        guard let point = name.firstIndex(of: ".") else { return false }
        let other = "`\(name[..<point])\\.[a-z-]+`, `"
        return page.range(
            of: other + NSRegularExpression.escapedPattern(for: "\(name[point...])`"), options: .regularExpression)
            != nil
    }
}
