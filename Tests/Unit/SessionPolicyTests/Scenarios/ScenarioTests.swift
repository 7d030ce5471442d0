import Foundation
import SessionPolicy
import Testing

/// The scenarios of everyday use, and the page that lists them.
@Suite struct ScenarioTests {
    @Test("Scenarios: each has the outcome that the page states", arguments: Scenario.all)
    func outcome(_ scenario: Scenario) throws {
        var scene = Scene()
        try scenario.run(&scene)
    }

    @Test("Scenarios: the page lists them all, in this order")
    func page() throws {
        let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let page = try String(contentsOf: root.appendingPathComponent("Documentation/Scenarios.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.first == "|" && $0.dropFirst(2).first?.isNumber == true }
        let expected = Scenario.all.enumerated().map { index, scenario in
            "| \(index + 1) | \(scenario.situation) | \(scenario.outcome) | \(scenario.rules) |"
        }
        #expect(rows.map(String.init) == expected)
    }
}

extension Scenario: CustomTestStringConvertible {
    var testDescription: String { situation }
}
