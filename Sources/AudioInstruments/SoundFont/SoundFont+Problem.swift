extension SoundFont {
    /// Something in a SoundFont that is malformed, not supported, or played otherwise.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// What it is, and how it was read.
        public enum Kind: Hashable, Sendable {
            /// The file is malformed.
            case malformed(String)
            /// Instruments have nothing that corresponds to the generator (a parameter, by its name
            /// in the specification). It has no effect in `count` zones.
            case unsupportedGenerator(String, count: Int)
            /// Instruments have nothing that corresponds to the modulator, such as "controller 1 to
            /// modLfoToVolume". It has no effect in `count` zones.
            case unsupportedModulator(String, count: Int)
            /// The generator or modulator is played otherwise than the format defines.
            case playedOtherwise(String, how: String)
            /// The sample cannot be played; its zones were left out.
            case sampleNotRead(name: String, reason: String)
            /// Zones are not played.
            case zonesLeftOut(reason: String)
            /// There are too many problems to list all of them.
            case furtherProblems
        }

        public let kind: Kind
        /// The name of the preset in which it occurs first; nil: it concerns the file.
        public let preset: String?

        public var description: String {
            func uses(_ count: Int) -> String { count > 1 ? " (in \(count) zones)" : "" }
            let text =
                switch kind {
                case .malformed(let what): what
                case .unsupportedGenerator(let name, let count):
                    "generator \(name) is not supported\(uses(count))"
                case .unsupportedModulator(let name, let count):
                    "modulator '\(name)' is not supported\(uses(count))"
                case .playedOtherwise(let name, let how): "\(name): \(how)"
                case .sampleNotRead(let name, let reason): "sample '\(name)' is not played: \(reason)"
                case .zonesLeftOut(let reason): "zones are not played: \(reason)"
                case .furtherProblems: "further problems are not listed"
                }
            return preset.map { "preset '\($0)': \(text)" } ?? text
        }
    }

    /// Collects problems, each once, and counts what is not supported.
    struct ProblemList {
        /// The preset that is read; nil: the file.
        var preset: String?
        private var problems: [Problem] = []
        private var indices: [Problem.Kind: Int] = [:]
        private var counts: [Int] = []

        static let limit = 1_000

        /// Returns the place of the problem, for `count`.
        @discardableResult mutating func add(_ kind: Problem.Kind) -> Int {
            if let place = indices[kind] {
                count(place)
                return place
            }
            guard problems.count < Self.limit || kind == .furtherProblems else { return add(.furtherProblems) }
            indices[kind] = problems.count
            problems.append(Problem(kind: kind, preset: kind == .furtherProblems ? nil : preset))
            counts.append(1)
            return problems.count - 1
        }

        mutating func count(_ place: Int) { counts[place] += 1 }

        /// Returns the problems in the order in which they were added.
        func finished() -> [Problem] {
            zip(problems, counts).map { problem, count in
                switch problem.kind {
                case .unsupportedGenerator(let name, _):
                    Problem(kind: .unsupportedGenerator(name, count: count), preset: problem.preset)
                case .unsupportedModulator(let name, _):
                    Problem(kind: .unsupportedModulator(name, count: count), preset: problem.preset)
                default: problem
                }
            }
        }
    }
}
