internal import CDesktopBus

/// A value of a message on the bus. Variants are replaced by their content.
enum BusValue: Hashable, Sendable {
    /// The content of a string, an object path or a signature; "" if it is longer than 255 bytes.
    case text(String)
    /// An integer; 1 for true.
    case number(Int64)
    /// The elements of an array or a struct, or the key and the value of an entry of a dictionary.
    case list([BusValue])
    /// A value of a type that nobody reads.
    case other

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var number: Int64? { if case .number(let number) = self { number } else { nil } }
    var list: [BusValue] { if case .list(let list) = self { list } else { [] } }
    /// A number as a truth value.
    var flag: Bool? { number.map { $0 != 0 } }

    /// Returns the value of a dictionary for that key.
    subscript(key: String) -> BusValue? {
        list.first { $0.list.count == 2 && $0.list[0].text == key }?.list[1]
    }

    /// Copies the values of a message that is reported by C.
    static func values(_ values: UnsafePointer<desktop_watch_value_t>?, count: Int) -> [BusValue] {
        var open: [[BusValue]] = [[]]
        for value in UnsafeBufferPointer(start: values, count: count) {
            switch UnicodeScalar(UInt8(bitPattern: value.type)) {
            case "(": open.append([])
            case ")":
                guard open.count > 1, let content = open.popLast() else { return [] }
                open[open.count - 1].append(.list(content))
            case "s", "o", "g": open[open.count - 1].append(.text(value.text.map { String(cString: $0) } ?? ""))
            case "d": open[open.count - 1].append(.other)
            default: open[open.count - 1].append(.number(value.number))
            }
        }
        return open[0]
    }
}
