import SessionArbiter

@testable import ArbiterService

/// Suites that read the text of a configuration file.
protocol ConfigurationReading {}

extension ConfigurationReading {
    func read(_ text: String) throws -> (settings: ServiceSettings, warnings: [String]) {
        try readServiceSettings(text: text, path: "x.yaml")
    }

    func problems(_ text: String) -> [String] {
        do {
            _ = try read(text)
        } catch ConfigurationError.damaged(_, let problems) {
            return problems.map(\.description)
        } catch {
            return ["\(error)"]
        }
        return []
    }
}
