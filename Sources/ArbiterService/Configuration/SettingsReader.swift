internal import SessionArbiter
internal import SessionPolicy
internal import Yams

/// Converts YAML to settings, and collects problems and warnings with their lines. It does not use
/// a decoder, because a decoder's errors name neither the line nor the allowed range.
struct SettingsReader {
    var settings = ServiceSettings()
    private(set) var problems: [ConfigurationError.Problem] = []
    private(set) var warnings: [ConfigurationError.Problem] = []
    /// The lines of the settings in the document, by name.
    private(set) var lines: [String: Int] = [:]

    private static let devices = "devices"
    private static let deviceKeys = ["match", "type", "name", "hidden"]

    /// Reads all sections. Unknown sections and keys cause warnings; invalid values cause problems.
    /// Throws if the text is not valid YAML.
    init(_ text: String) throws(ConfigurationError.Problem) {
        guard let root = try Node.root(of: text) else { return }
        let sections = Set(Setting.all.map(\.section)).union([Self.devices, Self.programs])
        for (name, line, value) in entries(of: root, "the file consists of sections, such as 'duck:'") {
            if name == Self.devices {
                readDevices(value, line)
            } else if name == Self.programs {
                readPrograms(value, line)
            } else if sections.contains(name) {
                readSection(name, value, line)
            } else {
                let near = KeyNames.nearest(to: name, among: sections)
                addWarning(line, "unknown section '\(name.excerpt)'", near)
            }
        }
        checkRelations()
    }

    /// Returns the entries of a mapping. Records a problem for anything else than a mapping or
    /// nothing, and for a key that is no scalar.
    mutating func entries(
        of node: Node, line: Int? = nil, _ expected: String
    ) -> [(key: String, line: Int, value: Node)] {
        let line = line ?? node.mark?.line ?? 1
        guard let mapping = node.mapping else {
            if !node.isEmpty { addProblem(line, expected + ", not of \(node.excerpt)") }
            return []
        }
        return mapping.compactMap { key, value in
            let line = key.mark?.line ?? line
            if let text = key.text { return (text, line, value) }
            addProblem(line, "\(key.excerpt) cannot be the name of a setting")
            return nil
        }
    }

    private mutating func readSection(_ section: String, _ node: Node, _ line: Int) {
        for (key, line, value) in entries(of: node, line: line, "'\(section)' consists of settings, indented below it")
        {
            let name = "\(section).\(key)"
            if let setting = Setting.all.first(where: { $0.name == name }) {
                lines[name] = line
                apply(value, as: setting, line)
            } else {
                addWarning(line, "unknown setting '\(name.excerpt)'", Self.nearestName(to: key, in: section))
            }
        }
    }

    /// Returns the name of the setting with the nearest key, first in the section, then in the
    /// others.
    private static func nearestName(to key: String, in section: String) -> String? {
        for settings in [Setting.all.filter { $0.section == section }, Setting.all] {
            if let near = KeyNames.nearest(to: key, among: settings.map(\.key)) {
                return settings.first { $0.key == near }?.name
            }
        }
        return nil
    }

    /// Checks a value against the type and the range of its setting, and stores it. Records a
    /// problem if it does not fit.
    private mutating func apply(_ value: Node, as setting: Setting, _ line: Int) {
        switch setting.kind {
        case .real(let keyPath, let range, let unit):
            guard let number = value.number, range.contains(number) else {
                return refuse(value, setting.name, "a number from \(range.text) \(unit)", line)
            }
            settings[keyPath: keyPath] = number
        case .level(let keyPath):
            guard let number = value.number, (0...1).contains(number) else {
                return refuse(value, setting.name, "a number from 0 to 1", line)
            }
            settings[keyPath: keyPath] = Float(number)
        case .whole(let keyPath, let range, let unit):
            guard let number = value.integer, range.contains(number) else {
                let expected = "a whole number from \(range.lowerBound) to \(range.upperBound) (\(unit))"
                return refuse(value, setting.name, expected, line)
            }
            settings[keyPath: keyPath] = number
        case .flag(let keyPath):
            guard let flag = value.flag else { return refuse(value, setting.name, "true or false", line) }
            settings[keyPath: keyPath] = flag
        case .lockReaction(let keyPath):
            guard let reaction = value.text.flatMap(DesktopSettings.LockReaction.init) else {
                let names = DesktopSettings.LockReaction.allCases.map(\.rawValue)
                return refuse(value, setting.name, "one of \(names.joined(separator: ", "))", line)
            }
            settings[keyPath: keyPath] = reaction
        case .paths(let keyPath):
            guard let list = value.sequence else {
                return refuse(value, setting.name, "a list of absolute paths, such as [/usr/bin/phone]", line)
            }
            for element in list {
                if let path = element.text, path.isProgramPath {
                    settings[keyPath: keyPath].append(path)
                } else {
                    refuse(element, setting.name, "absolute paths of programs", element.mark?.line ?? line)
                }
            }
        case .permissions(let keyPath):
            let expected = "'\(setting.name)' consists of pairs, such as '/usr/bin/phone: granted'"
            for (program, line, permission) in entries(of: value, line: line, expected) {
                if program.isProgramPath, let named = permission.text.flatMap(RecordPermission.named) {
                    settings[keyPath: keyPath][program] = named
                } else {
                    addProblem(
                        line,
                        """
                        \(setting.name) takes absolute paths of programs, each with granted, denied or undetermined; \
                        '\(program.excerpt): \(permission.excerpt)' is not such a pair
                        """)
                }
            }
        }
    }

    private mutating func readDevices(_ value: Node, _ line: Int) {
        guard let devices = value.sequence else {
            if !value.isEmpty {
                refuse(value, Self.devices, "a list: '- match: …' and the settings of each device", line)
            }
            return
        }
        guard devices.count <= DeviceOverride.maximumCount else {
            return addProblem(
                line, "there are \(devices.count) devices; the limit is \(DeviceOverride.maximumCount)")
        }
        for device in devices { readDevice(device) }
    }

    /// Reads one device. Records a problem for each invalid value, and for a device without a
    /// pattern, without a change, or both hidden and described; only a device without problems adds
    /// an override.
    private mutating func readDevice(_ node: Node) {
        let problemsBefore = problems.count
        let line = node.mark?.line ?? 1
        var override = DeviceOverride(pattern: "")
        for (key, line, value) in entries(of: node, "a device consists of settings, such as 'match: \"USB*\"'") {
            let name = "\(Self.devices).\(key)"
            switch key {
            case "match": override.pattern = text(value, name, line) ?? ""
            case "name": override.name = text(value, name, line)
            case "type":
                override.type = value.text.flatMap(PortType.init)
                if override.type == nil { refuseType(value, name, line) }
            case "hidden":
                if value.flag == nil { refuse(value, name, "true or false", line) }
                override.isHidden = value.flag ?? false
            default:
                let near = KeyNames.nearest(to: key, among: Self.deviceKeys)
                addWarning(line, "unknown setting '\(name.excerpt)'", near.map { "\(Self.devices).\($0)" })
            }
        }
        guard problems.count == problemsBefore else { return }
        switch (override.isHidden, override.type != nil || override.name != nil) {
        case _ where override.pattern.isEmpty:
            addProblem(line, "this device has no pattern; add 'match', such as 'match: \"USB*\"'")
        case (true, true):
            addProblem(line, "this device is hidden, but also has a type or a name; remove one or the other")
        case (false, false): addProblem(line, "this device changes nothing; add a type, a name, or 'hidden: true'")
        default: settings.arbiter.deviceOverrides.append(override)
        }
    }

    mutating func text(_ value: Node, _ name: String, _ line: Int) -> String? {
        let limit = DeviceOverride.maximumTextLength
        if let text = value.text, (1...limit).contains(text.utf8.count),
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        {
            return text
        }
        refuse(value, name, "text of 1 to \(limit) bytes without control characters", line)
        return nil
    }

    private mutating func refuseType(_ value: Node, _ name: String, _ line: Int) {
        let types = PortType.allCases.map(\.rawValue)
        let near = value.text.flatMap { KeyNames.nearest(to: $0, among: types) }.map { " (did you mean \($0)?)" }
        addProblem(
            line, "\(name) takes one of \(types.joined(separator: ", ")), not \(value.excerpt)\(near ?? "")")
    }

    /// Checks rules that relate several settings.
    private mutating func checkRelations() {
        if settings.leaseLimit <= settings.pingInterval {
            addProblem(
                lines["service.lease-limit"] ?? lines["service.ping-interval"],
                """
                service.lease-limit is \(settings.leaseLimit) s and must be longer than service.ping-interval, \
                \(settings.pingInterval) s: a client cannot answer before it is pinged
                """)
        }
        if settings.limits.sessionsPerApp > settings.limits.sessions {
            addProblem(
                lines["limits.sessions-per-app"] ?? lines["limits.sessions"],
                """
                limits.sessions-per-app is \(settings.limits.sessionsPerApp) and must not exceed limits.sessions, \
                \(settings.limits.sessions)
                """)
        }
    }

    mutating func refuse(_ value: Node, _ name: String, _ expected: String, _ line: Int) {
        addProblem(line, "\(name) takes \(expected), not \(value.excerpt)")
    }

    mutating func addProblem(_ line: Int?, _ message: String) {
        problems.append(.init(line: line, message))
    }

    mutating func addWarning(_ line: Int, _ message: String, _ near: String?) {
        warnings.append(.init(line: line, message + (near.map { "; did you mean '\($0)'?" } ?? "; it is ignored")))
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
