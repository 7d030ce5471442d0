internal import Platform

extension SoundFont {
    /// The nine tables of a file, and where its samples are.
    struct Tables: Sendable {
        /// A table, by the name of its chunk.
        enum Kind: String, CaseIterable, Sendable {
            case phdr, pbag, pmod, pgen, inst, ibag, imod, igen, shdr

            /// The number of bytes of a record.
            var recordSize: Int {
                switch self {
                case .phdr: 38
                case .pbag, .pgen, .ibag, .igen: 4
                case .pmod, .imod: 10
                case .inst: 22
                case .shdr: 46
                }
            }
        }

        /// Records of one size.
        struct Table: Sendable {
            var bytes: [UInt8] = []
            var recordSize = 1
            /// With the last record, which in all tables means nothing by itself.
            var count: Int { bytes.count / recordSize }

            func number(_ record: Int, at offset: Int) -> Int {
                Int(UInt16(littleEndian: bytes, at: record * recordSize + offset))
            }
            func longNumber(_ record: Int, at offset: Int) -> Int {
                Int(UInt32(littleEndian: bytes, at: record * recordSize + offset))
            }
            func byte(_ record: Int, at offset: Int) -> UInt8 { bytes[record * recordSize + offset] }
            /// The name at the beginning of a record.
            func name(_ record: Int) -> String { Tables.text(bytes[record * recordSize..<record * recordSize + 20]) }
        }

        /// Bytes of the file: 16-bit samples, and the low bytes of 24-bit samples.
        var samples = 0..<0
        var lowBytes: Range<Int>?

        private var tables: [Kind: Table] = [:]
        private var ranges: [Reference: [Range<Int>]] = [:]
        private struct Reference: Hashable { var from: Kind, to: Kind }

        /// Each record of the first table has, at this offset, the index of its first record in the
        /// second table; they end where those of the next record begin.
        static let references: [(Kind, at: Int, Kind)] = [
            (.phdr, 24, .pbag), (.pbag, 0, .pgen), (.pbag, 2, .pmod),
            (.inst, 20, .ibag), (.ibag, 0, .igen), (.ibag, 2, .imod),
        ]

        subscript(kind: Kind) -> Table {
            get { tables[kind] ?? Table() }
            set { tables[kind] = newValue }
        }

        /// Finds the records of `other` to which each record of `kind` refers. Those of different
        /// records never overlap, so that the work of reading all of them is linear. Returns
        /// whether all indices are in order.
        mutating func connect(_ kind: Kind, at offset: Int, to other: Kind) -> Bool {
            let table = self[kind]
            var found: [Range<Int>] = []
            var (end, inOrder) = (0, true)
            for record in 0..<max(table.count - 1, 0) {
                let (first, next) = (table.number(record, at: offset), table.number(record + 1, at: offset))
                if first >= end, next >= first, next <= self[other].count {
                    found.append(first..<next)
                    end = next
                } else {
                    found.append(end..<end)
                    inOrder = false
                }
            }
            ranges[Reference(from: kind, to: other)] = found
            return inOrder
        }

        /// The records of `other` to which a record refers; none if its index is out of range.
        func records(of other: Kind, in kind: Kind, _ record: Int) -> Range<Int> {
            guard let found = ranges[Reference(from: kind, to: other)], found.indices.contains(record) else {
                return 0..<0
            }
            return found[record]
        }

        /// Returns text up to the first zero byte, for display. Latin-1 if it is not UTF-8.
        static func text(_ bytes: ArraySlice<UInt8>) -> String {
            let name = bytes.prefix { $0 != 0 }
            let text = String(validating: name, as: UTF8.self) ?? String(name.map { Character(UnicodeScalar($0)) })
            return String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()).printable
        }
    }
}
