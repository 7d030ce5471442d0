internal import AudioRendering
internal import Glibc

extension SFZFile {
    /// An opcode that a controller changes: `tune_oncc20=100` adds up to 100 to `tune`.
    struct Modulation: Equatable {
        /// Of the opcode that it changes.
        var name: String
        /// 0…511.
        var controller: Int
        /// Where it occurs first.
        var place: Place
        /// What it adds at 1 of its curve; nil: nothing.
        var amount: Double?
        /// What the curve makes of the controller's values: 0 linear from 0 to 1, 1 from −1 to 1, 2
        /// from 1 to 0, 3 from 1 to −1; 4 to 6 are not linear.
        var curve = 0
    }
}

extension SFZFile.Modulation {
    /// What an opcode with the number of a controller sets.
    enum Part { case amount, curve, smoothing }

    private static let suffixes: [(String, Part)] = [
        ("_oncc", .amount), ("_curvecc", .curve), ("_smoothcc", .smoothing), ("_cc", .amount),
    ]

    /// Returns the opcode that a name such as `tune_oncc20` changes, without amount and curve, and
    /// what the name sets; nil for other names, and if controllers cannot change the opcode.
    static func named(_ name: String, _ place: SFZFile.Place) -> (modulation: Self, part: Part)? {
        let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }.count
        let stem = name.dropLast(digits)
        guard let controller = Int(name.suffix(digits)), (0...511).contains(controller),
            let (suffix, part) = suffixes.first(where: { stem.hasSuffix($0.0) })
        else { return nil }
        let base = String(stem.dropLast(suffix.count))
        let modulation = Self(name: SFZFile.Region.aliases[base] ?? base, controller: controller, place: place)
        return modulation.range.map { _ in (modulation, part) }
    }

    /// The range of the amount; nil: controllers cannot change the opcode.
    var range: ClosedRange<Double>? {
        switch (name, SFZFile.Region.opcodes[name]) {
        case ("cutoff", _): -12_000...12_000
        case (_, .number(_, let range)):
            // From the least to the greatest value, and back.
            (range.lowerBound - range.upperBound)...(range.upperBound - range.lowerBound)
        case ("offset", .integer(_, let range)): 0...Double(range.upperBound)
        default: nil
        }
    }

    static let curves = 0...6

    /// Returns what the curve makes of a controller's value (0…1).
    private func curved(_ value: Double) -> Double {
        switch curve {
        case 1: 2 * value - 1
        case 2: 1 - value
        case 3: 1 - 2 * value
        case 4: value * value
        case 5: value.squareRoot()
        case 6: (1 - value).squareRoot()
        default: value
        }
    }

    /// What it adds while the controllers have the values that they have at first.
    func initialChange(_ control: SFZFile.Control) -> Double? {
        guard let amount else { return nil }
        return amount * curved(Double(control.controllers[controller] ?? 0) / 127)
    }

    /// The cents from the least to the greatest value of the controller, if it moves a filter in a
    /// way that instruments can follow while they play.
    var followedRange: Double? {
        let slopes = [1.0, 2, -1, -2]
        guard let amount, name == "cutoff", controller < 120, slopes.indices.contains(curve) else { return nil }
        return amount * slopes[curve]
    }
}

extension SFZFile.Region {
    /// Changes one modulation, or adds it. Returns false if there are too many.
    mutating func modulate(_ modulation: SFZFile.Modulation, _ change: (inout SFZFile.Modulation) -> Void) -> Bool {
        let known = modulations.firstIndex {
            $0.name == modulation.name && $0.controller == modulation.controller
        }
        if known == nil {
            guard modulations.count < Self.maximumModulations else { return false }
            modulations.append(modulation)
        }
        change(&modulations[known ?? modulations.count - 1])
        return true
    }

    /// Applies what the controllers add at the values that they have at first. The first one that
    /// changes the cutoff frequency moves the filter later as well. Returns the others, whose
    /// messages have no effect.
    mutating func applyModulations(_ control: SFZFile.Control) -> [SFZFile.Modulation] {
        modulations.filter { modulation in
            guard let change = modulation.initialChange(control) else { return false }
            switch modulation.name {
            case "amplitude": amplitude *= min(max(change / 100, 0), 100)
            case "cutoff": cutoff *= exp2(change / 1_200)
            default: add(change, to: modulation.name)
            }
            guard filterController == nil, let range = modulation.followedRange else { return true }
            let rest = control.controllers[modulation.controller] ?? 0
            filterController = .init(modulation.controller, range: min(max(range, -12_000), 12_000), rest: rest)
            return false
        }
    }

    private mutating func add(_ change: Double, to name: String) {
        switch Self.opcodes[name] {
        case .number(let path, let range):
            self[keyPath: path] = min(max(self[keyPath: path] + change, range.lowerBound), range.upperBound)
        case .integer(let path, let range):
            let sum = Double(self[keyPath: path]) + change
            self[keyPath: path] = Int(min(max(sum, Double(range.lowerBound)), Double(range.upperBound)))
        default: break
        }
    }
}
