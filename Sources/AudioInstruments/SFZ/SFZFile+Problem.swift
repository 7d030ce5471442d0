extension SFZFile {
    /// Something in an SFZ file that is malformed, not supported, or played otherwise.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// What it is, and how it was read.
        public enum Kind: Hashable, Sendable {
            /// Instruments have nothing that corresponds to the opcode, which occurs `count` times
            /// and has no effect.
            case unsupportedOpcode(String, count: Int)
            /// The header, and what belongs to it, has no effect.
            case unsupportedHeader(String)
            /// The opcode's value is malformed or out of range, and has no effect. `valid`: what is
            /// valid.
            case invalidValue(opcode: String, value: String, valid: String)
            /// The text is neither a header nor an opcode; the rest of the line was skipped.
            case unreadable(String)
            /// A variable is used that no `#define` before it defines; the text stays as it is.
            case undefinedVariable(String)
            /// An included file was not read.
            case notIncluded(path: String, reason: String)
            /// The file has more regions than an instrument can have zones; the others were left
            /// out.
            case tooManyRegions(limit: Int)
            /// A region is not played.
            case regionLeftOut(reason: String)
            /// The opcode is played otherwise than the format defines.
            case playedOtherwise(opcode: String, how: String)
            /// The sound could not be read; the regions that play it were left out.
            case soundNotRead(path: String, reason: String)
        }

        public let kind: Kind
        /// The name of the file in which it occurs first.
        public let file: String
        /// The line in which it occurs first, from 1.
        public let line: Int

        public var description: String {
            let text =
                switch kind {
                case .unsupportedOpcode(let name, let count):
                    "opcode '\(name)' is not supported" + (count > 1 ? " (used \(count) times)" : "")
                case .unsupportedHeader(let name): "header '<\(name)>' is not supported"
                case .invalidValue(let opcode, let value, let valid):
                    "'\(opcode)=\(value)' has no effect; valid: \(valid)"
                case .unreadable(let text):
                    "'\(text)' is neither a header nor an opcode; the rest of the line was skipped"
                case .undefinedVariable(let name): "variable '$\(name)' is not defined"
                case .notIncluded(let path, let reason): "'\(path)' was not included: \(reason)"
                case .tooManyRegions(let limit): "there are more than \(limit) regions; the others were left out"
                case .regionLeftOut(let reason): "the region is not played: \(reason)"
                case .playedOtherwise(let opcode, let how): "'\(opcode)': \(how)"
                case .soundNotRead(let path, let reason): "'\(path)' is not played: \(reason)"
                }
            return "\(file), line \(line): \(text)"
        }
    }

    /// Collects problems, each once.
    struct ProblemList {
        private var problems: [Problem] = []
        private var known: Set<Problem.Kind> = []
        /// How often each unsupported opcode of the list is used.
        private var uses: [String: Int] = [:]

        static let limit = 1_000

        mutating func add(_ kind: Problem.Kind, _ place: Place) {
            guard problems.count < Self.limit, known.insert(kind).inserted else { return }
            problems.append(Problem(kind: kind, file: place.file, line: place.line))
        }

        /// Adds an opcode that is not supported. Those of a numbered family, such as controllers,
        /// count as one: `cutoff_ccN`.
        mutating func addUnsupported(_ opcode: String, _ place: Place) {
            let digits = opcode.reversed().prefix { $0.isASCII && $0.isNumber }.count
            let name = digits > 0 ? opcode.dropLast(digits) + "N" : opcode
            add(.unsupportedOpcode(name, count: 1), place)
            if known.contains(.unsupportedOpcode(name, count: 1)) { uses[name, default: 0] += 1 }
        }

        /// Returns the problems in the order in which they were added.
        func finished() -> [Problem] {
            problems.map { problem in
                guard case .unsupportedOpcode(let name, _) = problem.kind else { return problem }
                let kind = Problem.Kind.unsupportedOpcode(name, count: uses[name] ?? 1)
                return Problem(kind: kind, file: problem.file, line: problem.line)
            }
        }
    }

    /// A line of a file.
    struct Place: Hashable {
        var file: String
        var line: Int
    }
}
