import Foundation
import SessionPolicy
import Testing

/// The tables that app writers read, compared with the rules: each row's beginning is made from the code; what is added for people follows.
@Suite struct PageTableTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The rows of a page's tables whose first cell is code.
    private func rows(of page: String) throws -> [String] {
        let text = try String(contentsOf: Self.root.appendingPathComponent(page), encoding: .utf8)
        return text.split(separator: "\n").map(String.init).filter { $0.hasPrefix("| `") }
    }

    private func expect(_ page: String, hasRows expected: [[String]]) throws {
        let rows = try rows(of: page)
        #expect(rows.count == expected.count, "\(page): one row each")
        for (row, cells) in zip(rows, expected) {
            let beginning = "| " + cells.joined(separator: " | ") + " |"
            #expect(row.hasPrefix(beginning), "\(page): the rules say \(beginning)")
        }
    }

    private func names(_ list: [String]) -> String { list.isEmpty ? "–" : list.joined(separator: ", ") }

    @Test("CAT: the tables of categories on the pages are those of the rules")
    func categories() throws {
        let expected = Category.allCases.map { category -> [String] in
            let traits = category.traits
            let yes = { (isSo: Bool) in isSo ? "yes" : "no" }
            let (interrupts, mixing) =
                switch traits.mixing {
                case .always: ("no", "always")
                case .never: ("yes", "never")
                case .byOption: ("yes, unless an option makes it mix", "by option")
                }
            return [
                "`\(category.rawValue)`", yes(traits.obeysSilentSwitch), interrupts, mixing, yes(traits.hasInput),
                yes(traits.hasOutput), category.mayRunInBackground ? "if declared" : "no",
            ]
        }
        try expect("Documentation/Rules/Categories.md", hasRows: expected)
        try expect("Sources/AudioSessions/AudioSessions.docc/AudioSessions.md", hasRows: expected)
    }

    @Test("MODE: the table of modes on the page is that of the rules")
    func modes() throws {
        let expected = Mode.allCases.map { mode in
            let categories = Category.allCases.filter(mode.suits)
            return [
                "`\(mode.rawValue)`",
                categories == Category.allCases ? "every category" : names(categories.map(\.rawValue)),
                options(mode.impliedOptions), options(mode.neededOptions),
            ]
        }
        try expect("Documentation/Rules/Modes.md", hasRows: expected)
    }

    @Test("OPT-1, OPT-2: the table of options on the page is that of the rules")
    func optionTable() throws {
        let expected = try CategoryOptions.named.map { name, option in
            // The bit of mixWithOthers is part of one option's own value: implied is what is shown beside the name.
            let implied = Configuration(requestedOptions: option).options.description
                .components(separatedBy: ", ").filter { $0 != name }
            return ["`\(name)`", names(places(of: name)), names(implied), options(try needs(of: name, option))]
        }
        try expect("Documentation/Rules/Options.md", hasRows: expected)
    }

    private func options(_ options: CategoryOptions) -> String { options.isEmpty ? "–" : options.description }

    /// The categories that take an option, with the mode where it is one only.
    private func places(of name: String) -> [String] {
        Category.allCases.compactMap { category in
            let modes = Mode.allCases.filter { $0.suits(category) }
            let suited = modes.filter { mode in
                CategoryOptions.suited(to: category, mode: mode).contains { $0.name == name }
            }
            if suited.isEmpty { return nil }
            if suited == modes { return category.rawValue }
            return category.rawValue + " in mode " + suited.map(\.rawValue).joined(separator: ", ")
        }
    }

    /// What is refused alone, and taken with `allowBluetoothHFP`, needs it.
    private func needs(of name: String, _ option: CategoryOptions) throws -> CategoryOptions {
        for category in Category.allCases {
            guard CategoryOptions.suited(to: category, mode: .default).contains(where: { $0.name == name }) else {
                continue
            }
            var scene = Scene()
            try scene.add(1)
            return (try? scene.configure(1, category, .default, option)) == nil ? .allowBluetoothHFP : []
        }
        return []
    }
}
