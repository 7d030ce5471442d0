internal import SessionArbiter
internal import SessionPolicy
internal import TOMLKit

/// The way from a table of TOML to settings. By hand: a decoder's errors say neither line nor range.
struct SettingsReading {
    private let lines: KeyLines
    private(set) var settings = ServiceSettings()
    private(set) var problems: [ConfigurationError.Problem] = []
    private(set) var warnings: [ConfigurationError.Problem] = []

    init(lines: KeyLines) { self.lines = lines }

    mutating func read(_ table: TOMLTable) {
        let sections = Set(Setting.all.map(\.section)).union([DeviceTables.name])
        for name in table.keys {
            guard name != DeviceTables.name else {
                readDevices(table[name])
                continue
            }
            guard sections.contains(name) else {
                warn(
                    [name], "there is no section [\(name)]",
                    KeyNames.nearest(to: name, among: sections).map { "[\($0)]" })
                continue
            }
            guard let section = table[name]?.table else {
                complain([name], "'\(name)' is a section; write [\(name)] and its settings below")
                continue
            }
            read(section, of: name)
        }
        checkTogether()
    }

    private mutating func read(_ table: TOMLTable, of section: String) {
        for key in table.keys {
            guard let value = table[key] else { continue }
            if let setting = Setting.all.first(where: { $0.section == section && $0.key == key }) {
                take(value, as: setting)
            } else {
                let near = KeyNames.nearestSetting(to: key, in: section)
                warn([section, key], "there is no setting '\(section).\(key)'", near.map { "'\($0.name)'" })
            }
        }
    }

    private mutating func take(_ value: any TOMLValueConvertible, as setting: Setting) {
        switch setting.kind {
        case .real(let place, let range, let unit):
            // A whole number serves as a real one.
            let number = value.double ?? value.int.map(Double.init)
            guard let number, range.contains(number) else {
                return refuse(value, setting, "a number from \(range.text) \(unit)")
            }
            settings[keyPath: place] = number
        case .level(let place):
            guard let number = value.double ?? value.int.map(Double.init), (0...1).contains(number) else {
                return refuse(value, setting, "a number from 0 to 1")
            }
            settings[keyPath: place] = Float(number)
        case .whole(let place, let range, let unit):
            guard let number = value.int, range.contains(number) else {
                return refuse(
                    value, setting, "a whole number from \(range.lowerBound) to \(range.upperBound) (\(unit))")
            }
            settings[keyPath: place] = number
        case .flag(let place):
            guard let flag = value.bool else { return refuse(value, setting, "true or false") }
            settings[keyPath: place] = flag
        case .paths(let place):
            let paths = value.array?.map(\.string)
            guard let paths, paths.allSatisfy({ $0?.isProgramPath == true }) else {
                return refuse(value, setting, "a list of absolute paths, such as [\"/usr/bin/phone\"]")
            }
            settings[keyPath: place] = paths.compactMap(\.self)
        case .permissions(let place):
            takePermissions(value, setting, place)
        }
    }

    private mutating func takePermissions(
        _ value: any TOMLValueConvertible, _ setting: Setting,
        _ place: WritableKeyPath<ServiceSettings, [String: RecordPermission]>
    ) {
        guard let table = value.table else {
            return refuse(value, setting, "a table, such as { \"/usr/bin/phone\" = \"granted\" }")
        }
        for program in table.keys {
            guard program.isProgramPath,
                let permission = table[program]?.string.flatMap(RecordPermission.init(rawValue:))
            else {
                complain(
                    [setting.section, setting.key, program],
                    """
                    \(setting.name) takes absolute paths of programs, each with "granted", "denied" or "undetermined"; \
                    '\(program)' = \(table[program]?.debugDescription ?? "nothing") is no such pair
                    """)
                continue
            }
            settings[keyPath: place][program] = permission
        }
    }

    private mutating func readDevices(_ value: (any TOMLValueConvertible)?) {
        let tables = DeviceTables(value)
        settings.arbiter.deviceOverrides = tables.overrides
        for problem in tables.problems { complain(problem.key, problem.message) }
        for warning in tables.warnings { warn(warning.key, warning.message, warning.near) }
    }

    /// What no setting by itself can get wrong.
    private mutating func checkTogether() {
        if settings.leaseLimit <= settings.pingInterval {
            complain(
                ["service", "lease-limit"],
                """
                service.lease-limit is \(settings.leaseLimit) s and must be longer than service.ping-interval, \
                \(settings.pingInterval) s: nobody can answer before he is asked
                """)
        }
        if settings.limits.sessionsPerApp > settings.limits.sessions {
            complain(
                ["limits", "sessions-per-app"],
                """
                limits.sessions-per-app is \(settings.limits.sessionsPerApp) and must not be above limits.sessions, \
                \(settings.limits.sessions)
                """)
        }
    }

    private mutating func refuse(_ value: any TOMLValueConvertible, _ setting: Setting, _ wanted: String) {
        complain([setting.section, setting.key], "\(setting.name) takes \(wanted), not \(value.debugDescription)")
    }

    private mutating func complain(_ key: [String], _ message: String) {
        problems.append(.init(line: lines.line(of: key), message))
    }

    private mutating func warn(_ key: [String], _ message: String, _ near: String?) {
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
    /// Whether a program can stand there.
    fileprivate var isProgramPath: Bool { hasPrefix("/") && !hasSuffix("/") }
}
