import Foundation
import SessionPolicy
import Testing

/// Compares the tables that app writers read with the rules. The first cells of each row are
/// generated from the code; explanations follow.
@Suite struct PageTableTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Returns the rows of a page's tables whose first cell is code.
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

    @Test("CAT: the tables of categories on the pages match the rules")
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

    @Test("MODE: the table of modes on the page matches the rules")
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

    @Test("OPT-1, OPT-2: the table of options on the page matches the rules")
    func optionTable() throws {
        let expected = try CategoryOptions.named.map { name, option in
            // One option's own value includes the bit of mixWithOthers: the implied options are
            // those shown in addition to the name.
            let implied = Configuration(requestedOptions: option).options.description
                .components(separatedBy: ", ").filter { $0 != name }
            return ["`\(name)`", names(places(of: name)), names(implied), options(try needs(of: name, option))]
        }
        try expect("Documentation/Rules/Options.md", hasRows: expected)
    }

    private func options(_ options: CategoryOptions) -> String { options.isEmpty ? "–" : options.description }

    /// Returns the categories that accept an option, with the mode if there is only one.
    private func places(of name: String) -> [String] {
        Category.allCases.compactMap { category in
            let modes = Mode.allCases.filter { $0.suits(category) }
            let sanitized = modes.filter { mode in
                CategoryOptions.sanitized(to: category, mode: mode).contains { $0.name == name }
            }
            if sanitized.isEmpty { return nil }
            if sanitized == modes { return category.rawValue }
            return category.rawValue + " (mode " + sanitized.map(\.rawValue).joined(separator: ", ") + " only)"
        }
    }

    /// An option needs `allowBluetoothHFP` if it is refused alone and accepted with it.
    private func needs(of name: String, _ option: CategoryOptions) throws -> CategoryOptions {
        for category in Category.allCases {
            guard CategoryOptions.sanitized(to: category, mode: .default).contains(where: { $0.name == name }) else {
                continue
            }
            var scene = Scene()
            try scene.add(1)
            return (try? scene.configure(1, category, .default, option)) == nil ? .allowBluetoothHFP : []
        }
        return []
    }
}
