internal import SessionArbiter
internal import SessionPolicy
internal import TOMLKit

/// Converts a TOML table to settings, and collects problems and warnings with their lines. It does
/// not use a decoder, because a decoder's errors name neither the line nor the allowed range.
struct SettingsReading {
    private let lines: KeyLines
    private(set) var settings = ServiceSettings()
    private(set) var problems: [ConfigurationError.Problem] = []
    private(set) var warnings: [ConfigurationError.Problem] = []

    init(lines: KeyLines) { self.lines = lines }

    /// Reads all sections. Unknown sections and keys cause warnings; invalid values cause problems.
    mutating func read(_ table: TOMLTable) {
        let sections = Set(Setting.all.map(\.section)).union([DeviceTables.name])
        for name in table.keys {
            guard name != DeviceTables.name else {
                readDevices(table[name])
                continue
            }
            guard sections.contains(name) else {
                addWarning(
                    [name], "unknown section [\(name)]",
                    KeyNames.nearest(to: name, among: sections).map { "[\($0)]" })
                continue
            }
            guard let section = table[name]?.table else {
                addProblem([name], "'\(name)' is a section; write [\(name)] and its settings below it")
                continue
            }
            read(section, of: name)
        }
        checkRelations()
    }

    private mutating func read(_ table: TOMLTable, of section: String) {
        for key in table.keys {
            guard let value = table[key] else { continue }
            if let setting = Setting.all.first(where: { $0.section == section && $0.key == key }) {
                apply(value, as: setting)
            } else {
                let near = KeyNames.nearestSetting(to: key, in: section)
                addWarning([section, key], "unknown setting '\(section).\(key)'", near.map { "'\($0.name)'" })
            }
        }
    }

    /// Checks a value against the type and the range of its setting, and stores it. Records a
    /// problem if it does not fit.
    private mutating func apply(_ value: any TOMLValueConvertible, as setting: Setting) {
        switch setting.kind {
        case .real(let keyPath, let range, let unit):
            // An integer is accepted as a real number.
            let number = value.double ?? value.int.map(Double.init)
            guard let number, range.contains(number) else {
                return refuse(value, setting, "a number from \(range.text) \(unit)")
            }
            settings[keyPath: keyPath] = number
        case .level(let keyPath):
            guard let number = value.double ?? value.int.map(Double.init), (0...1).contains(number) else {
                return refuse(value, setting, "a number from 0 to 1")
            }
            settings[keyPath: keyPath] = Float(number)
        case .whole(let keyPath, let range, let unit):
            guard let number = value.int, range.contains(number) else {
                return refuse(
                    value, setting, "a whole number from \(range.lowerBound) to \(range.upperBound) (\(unit))")
            }
            settings[keyPath: keyPath] = number
        case .flag(let keyPath):
            guard let flag = value.bool else { return refuse(value, setting, "true or false") }
            settings[keyPath: keyPath] = flag
        case .paths(let keyPath):
            let paths = value.array?.map(\.string)
            guard let paths, paths.allSatisfy({ $0?.isProgramPath == true }) else {
                return refuse(value, setting, "a list of absolute paths, such as [\"/usr/bin/phone\"]")
            }
            settings[keyPath: keyPath] = paths.compactMap(\.self)
        case .permissions(let keyPath):
            applyPermissions(value, setting, keyPath)
        }
    }

    /// Stores each valid pair of program and permission. Records a problem for each other pair.
    private mutating func applyPermissions(
        _ value: any TOMLValueConvertible, _ setting: Setting,
        _ keyPath: WritableKeyPath<ServiceSettings, [String: RecordPermission]>
    ) {
        guard let table = value.table else {
            return refuse(value, setting, "a table, such as { \"/usr/bin/phone\" = \"granted\" }")
        }
        for program in table.keys {
            guard program.isProgramPath,
                let permission = table[program]?.string.flatMap(RecordPermission.named)
            else {
                addProblem(
                    [setting.section, setting.key, program],
                    """
                    \(setting.name) takes absolute paths of programs, each with "granted", "denied" or "undetermined"; \
                    '\(program)' = \(table[program]?.debugDescription ?? "nothing") is not such a pair
                    """)
                continue
            }
            settings[keyPath: keyPath][program] = permission
        }
    }

    private mutating func readDevices(_ value: (any TOMLValueConvertible)?) {
        let tables = DeviceTables(value)
        settings.arbiter.deviceOverrides = tables.overrides
        for problem in tables.problems { addProblem(problem.key, problem.message) }
        for warning in tables.warnings { addWarning(warning.key, warning.message, warning.near) }
    }

    /// Checks rules that relate several settings.
    private mutating func checkRelations() {
        if settings.leaseLimit <= settings.pingInterval {
            addProblem(
                ["service", "lease-limit"],
                """
                service.lease-limit is \(settings.leaseLimit) s and must be longer than service.ping-interval, \
                \(settings.pingInterval) s: a client cannot answer before it is pinged
                """)
        }
        if settings.limits.sessionsPerApp > settings.limits.sessions {
            addProblem(
                ["limits", "sessions-per-app"],
                """
                limits.sessions-per-app is \(settings.limits.sessionsPerApp) and must not exceed limits.sessions, \
                \(settings.limits.sessions)
                """)
        }
    }

    private mutating func refuse(_ value: any TOMLValueConvertible, _ setting: Setting, _ expected: String) {
        addProblem([setting.section, setting.key], "\(setting.name) takes \(expected), not \(value.debugDescription)")
    }

    private mutating func addProblem(_ key: [String], _ message: String) {
        problems.append(.init(line: lines.line(of: key), message))
    }

    private mutating func addWarning(_ key: [String], _ message: String, _ near: String?) {
        let advice = near.map { "; did you mean \($0)?" } ?? "; it is ignored"
        warnings.append(.init(line: lines.line(of: key), message + advice))
    }
}

extension ClosedRange<Double> {
    fileprivate var text: String { "\(lowerBound.short) to \(upperBound.short)" }
}

extension Double {
    fileprivate var short: String { Int(exactly: self).map(String.init) ?? String(self) }
}

extension String {
    /// Whether this can be the path of a program.
    fileprivate var isProgramPath: Bool { hasPrefix("/") && !hasSuffix("/") }
}
