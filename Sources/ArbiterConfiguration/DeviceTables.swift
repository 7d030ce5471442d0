internal import SessionArbiter
internal import SessionPolicy
internal import TOMLKit

/// The tables `[[device]]`: what the user says of devices.
struct DeviceTables {
    static let name = "device"
    private static let keys = ["match", "type", "name", "hidden"]

    private(set) var overrides: [DeviceOverride] = []
    private(set) var problems: [(key: [String], message: String)] = []
    private(set) var warnings: [(key: [String], message: String, near: String?)] = []

    init(_ value: (any TOMLValueConvertible)?) {
        let tables = value?.array.map { $0.map(\.table) } ?? [nil]
        if tables.contains(where: { $0 == nil }) {
            problems.append(
                ([Self.name], "'device' is a list of tables; write [[device]] and what is said of one device below"))
        } else if tables.count > DeviceOverride.most {
            problems.append(
                ([Self.name], "there are \(tables.count) tables [[device]]; there may be \(DeviceOverride.most)"))
        } else {
            for (place, table) in tables.enumerated() { if let table { read(table, place) } }
        }
    }

    private mutating func read(_ table: TOMLTable, _ place: Int) {
        let path = [Self.name, String(place)]
        let complaints = problems.count
        for key in table.keys where !Self.keys.contains(key) {
            let near = KeyNames.nearest(to: key, among: Self.keys)
            warnings.append((path + [key], "there is no setting 'device.\(key)'", near.map { "'device.\($0)'" }))
        }
        let pattern = text("match", in: table, path)
        if pattern == nil, table["match"] == nil {
            problems.append(
                (path, "this [[device]] does not say which it is of; write match = \"…\", a pattern such as \"USB*\""))
        }
        var override = DeviceOverride(pattern: pattern ?? "")
        override.name = text("name", in: table, path)
        override.type = type(in: table, path)
        if let value = table["hidden"] {
            if let isHidden = value.bool {
                override.isHidden = isHidden
            } else {
                refuse(value, "hidden", "true or false", path)
            }
        }
        guard problems.count == complaints else { return }
        switch (override.isHidden, override.type != nil || override.name != nil) {
        case (true, true):
            problems.append(
                (path, "this [[device]] is hidden, and has a type or a name as well; remove one or the other"))
        case (false, false):
            problems.append((path, "this [[device]] says nothing; give it a type, a name, or hidden = true"))
        default: overrides.append(override)
        }
    }

    private mutating func text(_ key: String, in table: TOMLTable, _ path: [String]) -> String? {
        guard let value = table[key] else { return nil }
        if let text = value.string, (1...DeviceOverride.longestText).contains(text.utf8.count),
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        {
            return text
        }
        refuse(value, key, "a text of 1 to \(DeviceOverride.longestText) bytes", path)
        return nil
    }

    private mutating func type(in table: TOMLTable, _ path: [String]) -> PortType? {
        guard let value = table["type"] else { return nil }
        let names = PortType.allCases.map(\.rawValue)
        if let type = value.string.flatMap(PortType.init(rawValue:)) { return type }
        let near = value.string.flatMap { KeyNames.nearest(to: $0, among: names) }.map { " (did you mean \"\($0)\"?)" }
        refuse(value, "type", "one of " + names.joined(separator: ", "), path, near ?? "")
        return nil
    }

    private mutating func refuse(
        _ value: any TOMLValueConvertible, _ key: String, _ wanted: String, _ path: [String], _ advice: String = ""
    ) {
        problems.append((path + [key], "device.\(key) takes \(wanted), not \(value.debugDescription)\(advice)"))
    }
}
