internal import AudioRendering

extension SFZFile {
    /// Reads a text: resolves comments, variables and included files, and passes headers and
    /// opcodes to a builder.
    struct Reader {
        private var files: SFZFolder
        private var builder = Builder()
        /// The values of variables, by name without `$`, and the number of bytes of all of them.
        private var variables: [ArraySlice<UInt8>: [UInt8]] = [:]
        private var variableBytes = 0
        private var byteCount = 0
        private var includeCount = 0

        /// The most files that a text includes, and the deepest nesting.
        private static let maximumIncludes = 1_000
        private static let maximumDepth = 32
        /// The most bytes of a name or value after its variables were replaced, of a variable's
        /// name, and of the values of all variables.
        private static let maximumLength = 1_024
        private static let maximumNameLength = 64
        private static let maximumVariableBytes = 1 << 20

        init(folder: AudioFilePath) { files = SFZFolder(folder) }

        /// Reads the text of the file itself. Throws if there is too much of it.
        mutating func read(_ data: [UInt8], named name: String) throws(SFZFileError) -> SFZFile {
            try readText(data, named: name, depth: 0)
            return builder.finish(files)
        }

        private mutating func readText(_ data: [UInt8], named name: String, depth: Int) throws(SFZFileError) {
            byteCount += data.count
            guard byteCount <= maximumByteCount else { throw SFZFileError(.tooLarge(limit: maximumByteCount)) }
            // A byte order mark.
            let text = Self.withoutBlockComments(data.starts(with: [0xEF, 0xBB, 0xBF]) ? data[3...] : data[...])
            var place = Place(file: name, line: 0)
            // Lines end with \n, \r\n or, in old files, \r.
            var rest = text[...]
            while !rest.isEmpty {
                place.line += 1
                let end = rest.firstIndex { $0 == .newline || $0 == .carriageReturn } ?? rest.endIndex
                try readLine(Self.withoutComment(rest[..<end]), place, depth)
                rest = rest[end...]
                if rest.starts(with: [.carriageReturn, .newline]) { rest = rest.dropFirst() }
                rest = rest.dropFirst()
            }
        }

        /// Returns the text with spaces in place of comments from `/*` to `*/`; line ends stay.
        private static func withoutBlockComments(_ text: ArraySlice<UInt8>) -> [UInt8] {
            var result = Array(text)
            var isComment = false
            var index = 0
            while index < result.count {
                let pair = (result[index], index + 1 < result.count ? result[index + 1] : 0)
                if !isComment, pair == (.slash, .slash) {
                    // To the end of the line: what it contains begins no comment.
                    while index < result.count, result[index] != .newline, result[index] != .carriageReturn {
                        index += 1
                    }
                    continue
                }
                if pair == (isComment ? (.asterisk, .slash) : (.slash, .asterisk)) {
                    (result[index], result[index + 1]) = (.space, .space)
                    isComment.toggle()
                    index += 2
                    continue
                }
                if isComment, result[index] != .newline, result[index] != .carriageReturn { result[index] = .space }
                index += 1
            }
            return result
        }

        private static func withoutComment(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
            for index in line.indices.dropLast() where line[index] == .slash && line[index + 1] == .slash {
                return line[..<index]
            }
            return line
        }

        // MARK: A line

        private mutating func readLine(
            _ line: ArraySlice<UInt8>, _ place: Place, _ depth: Int
        ) throws(SFZFileError) {
            var rest = line.trimmedStart
            while let first = rest.first {
                if first == .less {
                    guard let end = rest.firstIndex(of: .greater) else { return unreadable(rest, place) }
                    builder.begin(expanded(rest[(rest.startIndex + 1)..<end], place).text.lowercased(), place)
                    rest = rest[(end + 1)...].trimmedStart
                } else if let afterWord = rest.after(word: "#define") {
                    guard let next = define(afterWord, place) else { return unreadable(rest, place) }
                    rest = next
                } else if let afterWord = rest.after(word: "#include") {
                    let parts = afterWord.split(separator: .quote, maxSplits: 2, omittingEmptySubsequences: false)
                    guard parts.count == 3, parts[0].isEmpty else { return unreadable(rest, place) }
                    try include(expanded(parts[1], place), place, depth)
                    rest = parts[2].trimmedStart
                } else {
                    guard let equals = rest.firstIndex(of: .equals), Self.isName(rest[..<equals]) else {
                        return unreadable(rest, place)
                    }
                    let value = rest[(equals + 1)...]
                    let end = Self.endOfValue(value)
                    builder.apply(
                        expanded(rest[..<equals], place).text.lowercased(),
                        expanded(value[..<end].trimmedStart.trimmedEnd, place), place)
                    rest = value[end...].trimmedStart
                }
            }
        }

        private mutating func unreadable(_ rest: ArraySlice<UInt8>, _ place: Place) {
            builder.problems.add(.unreadable(rest.prefix(40).text), place)
        }

        private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
            !name.isEmpty && name.allSatisfy { $0.isNameByte || $0 == .dollar }
        }

        /// Returns where a value ends: values may contain spaces, so before the next header, opcode
        /// or instruction.
        private static func endOfValue(_ value: ArraySlice<UInt8>) -> Int {
            var index = value.startIndex
            while index < value.endIndex {
                if value[index] == .less { return index }
                guard value[index].isSpace else {
                    index += 1
                    continue
                }
                let space = index
                while index < value.endIndex, value[index].isSpace { index += 1 }
                let word = value[index...].prefix { !$0.isSpace && $0 != .equals && $0 != .less }
                let isOpcode = word.endIndex < value.endIndex && value[word.endIndex] == .equals && isName(word)
                let isInstruction = word.elementsEqual("#define".utf8) || word.elementsEqual("#include".utf8)
                if isOpcode || isInstruction { return space }
                index = word.endIndex
            }
            return value.endIndex
        }

        // MARK: Variables and files

        /// Reads the name and value of a variable; returns what follows.
        private mutating func define(_ text: ArraySlice<UInt8>, _ place: Place) -> ArraySlice<UInt8>? {
            guard text.first == .dollar else { return nil }
            let name = text.dropFirst().prefix(while: \.isNameByte)
            let value = text[name.endIndex...].trimmedStart.prefix { !$0.isSpace && $0 != .less }
            guard !name.isEmpty, name.count <= Self.maximumNameLength, !value.isEmpty,
                value.count <= Self.maximumLength, variableBytes + value.count <= Self.maximumVariableBytes
            else { return nil }
            variableBytes += value.count
            variables[ArraySlice(Array(name))] = Array(value)
            return text[value.endIndex...].trimmedStart
        }

        /// Returns the text with variables replaced: of `$KEY1`, by the shortest name that is
        /// defined, such as KEY. Values may contain variables, which have the values of now.
        private mutating func expanded(_ text: ArraySlice<UInt8>, _ place: Place) -> [UInt8] {
            guard text.contains(.dollar) else { return Array(text.prefix(Self.maximumLength)) }
            var result: [UInt8] = []
            expand(text, place, depth: 0, into: &result)
            return Array(result.prefix(Self.maximumLength))
        }

        private mutating func expand(
            _ text: ArraySlice<UInt8>, _ place: Place, depth: Int, into result: inout [UInt8]
        ) {
            var rest = text
            while let byte = rest.first, result.count < Self.maximumLength {
                rest = rest.dropFirst()
                guard byte == .dollar else {
                    result.append(byte)
                    continue
                }
                let run = rest.prefix(Self.maximumNameLength).prefix(while: \.isNameByte)
                let name = (0...run.count).lazy.map { run.prefix($0) }.first { [variables] in variables[$0] != nil }
                if let name, let value = variables[name], depth < Self.maximumDepth {
                    expand(value[...], place, depth: depth + 1, into: &result)
                    rest = rest.dropFirst(name.count)
                } else {
                    builder.problems.add(.undefinedVariable(run.text), place)
                    result.append(byte)
                }
            }
        }

        private mutating func include(_ name: [UInt8], _ place: Place, _ depth: Int) throws(SFZFileError) {
            includeCount += 1
            guard depth < Self.maximumDepth, includeCount <= Self.maximumIncludes else {
                let limits = "at most \(Self.maximumIncludes) files are, nested up to \(Self.maximumDepth) deep"
                return builder.problems.add(.notIncluded(path: name.text, reason: limits), place)
            }
            let path = files.path(of: name)
            let data: [UInt8]
            do throws(RegularFile.Failure) {
                let file = try RegularFile(path)
                data = try file.read(count: min(file.byteCount, maximumByteCount + 1))
            } catch {
                let reason = SFZFileError(.init(error), path: path).description
                return builder.problems.add(.notIncluded(path: name.text, reason: reason), place)
            }
            try readText(data, named: path.lastComponent.description, depth: depth + 1)
        }
    }
}

extension UInt8 {
    fileprivate static let newline = UInt8(ascii: "\n")
    fileprivate static let carriageReturn = UInt8(ascii: "\r")
    fileprivate static let space = UInt8(ascii: " ")
    fileprivate static let slash = UInt8(ascii: "/")
    fileprivate static let asterisk = UInt8(ascii: "*")
    fileprivate static let less = UInt8(ascii: "<")
    fileprivate static let greater = UInt8(ascii: ">")
    fileprivate static let equals = UInt8(ascii: "=")
    fileprivate static let dollar = UInt8(ascii: "$")
    fileprivate static let quote = UInt8(ascii: "\"")

    fileprivate var isSpace: Bool { self == .space || self == UInt8(ascii: "\t") }

    /// Whether the byte is a letter, a digit or an underscore.
    fileprivate var isNameByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate var trimmedStart: ArraySlice { drop(while: \.isSpace) }
    fileprivate var trimmedEnd: ArraySlice { dropLast(reversed().prefix(while: \.isSpace).count) }

    /// Returns what follows this word and spaces; nil if the text does not begin so.
    fileprivate func after(word: String) -> ArraySlice? {
        let rest = dropFirst(word.utf8.count)
        guard starts(with: word.utf8), rest.first?.isSpace == true else { return nil }
        return rest.trimmedStart
    }
}

extension Collection<UInt8> {
    /// The bytes as text; bytes that are not UTF-8 are replaced.
    var text: String { String(decoding: self, as: UTF8.self) }
}
