internal import SessionArbiter
internal import SessionPolicy
internal import TOMLKit

/// The tables `[[device]]`: the user's descriptions of devices.
struct DeviceTables {
    static let name = "device"
    private static let keys = ["match", "type", "name", "hidden"]

    private(set) var overrides: [DeviceOverride] = []
    private(set) var problems: [(key: [String], message: String)] = []
    private(set) var warnings: [(key: [String], message: String, near: String?)] = []

    /// Reads the list of tables. If it is no list of tables, or too long, records one problem and
    /// reads none.
    init(_ value: (any TOMLValueConvertible)?) {
        let tables = value?.array.map { $0.map(\.table) } ?? [nil]
        if tables.contains(where: { $0 == nil }) {
            problems.append(
                ([Self.name], "'device' is a list of tables; write [[device]] and the settings of one device below it"))
        } else if tables.count > DeviceOverride.maximumCount {
            problems.append(
                (
                    [Self.name],
                    "there are \(tables.count) tables [[device]]; the limit is \(DeviceOverride.maximumCount)"
                ))
        } else {
            for (index, table) in tables.enumerated() { if let table { read(table, index) } }
        }
    }

    /// Reads one table. Records a problem for each invalid value, and for a table that names no
    /// devices, changes nothing, or both hides and describes a device; only a table without
    /// problems adds an override.
    private mutating func read(_ table: TOMLTable, _ index: Int) {
        let path = [Self.name, String(index)]
        let problemsBefore = problems.count
        for key in table.keys where !Self.keys.contains(key) {
            let near = KeyNames.nearest(to: key, among: Self.keys)
            warnings.append((path + [key], "unknown setting 'device.\(key)'", near.map { "'device.\($0)'" }))
        }
        let pattern = text("match", in: table, path)
        if pattern == nil, table["match"] == nil {
            problems.append(
                (path, "this [[device]] names no devices; write match = \"…\", a pattern such as \"USB*\""))
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
        guard problems.count == problemsBefore else { return }
        switch (override.isHidden, override.type != nil || override.name != nil) {
        case (true, true):
            problems.append(
                (path, "this [[device]] is hidden, but also has a type or a name; remove one or the other"))
        case (false, false):
            problems.append((path, "this [[device]] changes nothing; give it a type, a name, or hidden = true"))
        default: overrides.append(override)
        }
    }

    private mutating func text(_ key: String, in table: TOMLTable, _ path: [String]) -> String? {
        guard let value = table[key] else { return nil }
        if let text = value.string, (1...DeviceOverride.maximumTextLength).contains(text.utf8.count),
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        {
            return text
        }
        refuse(
            value, key, "a string of 1 to \(DeviceOverride.maximumTextLength) bytes without control characters", path)
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
        _ value: any TOMLValueConvertible, _ key: String, _ expected: String, _ path: [String], _ advice: String = ""
    ) {
        problems.append((path + [key], "device.\(key) takes \(expected), not \(value.debugDescription)\(advice)"))
    }
}
