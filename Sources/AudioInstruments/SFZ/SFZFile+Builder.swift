internal import AudioRendering

extension SFZFile {
    /// Builds regions from headers and opcodes, with what they inherit.
    struct Builder {
        var problems = ProblemList()
        private var control = Control()
        private var regions: [Region] = []
        private var header = Header.none
        /// What the opcodes after the header change.
        private var region = Region()
        /// What regions inherit: from the whole file, from their master, from their group.
        private var global = Region()
        private var master = Region()
        private var group = Region()

        private enum Header { case none, control, global, master, group, region, unsupported }

        // MARK: The text

        mutating func begin(_ name: String, _ place: Place) {
            endHeader()
            switch name {
            case "control":
                header = .control
                control.defaultPath = []
            case "global": (header, region) = (.global, Region())
            case "master": (header, region) = (.master, global)
            case "group": (header, region) = (.group, master)
            case "region": (header, region) = (.region, group)
            default:
                header = .unsupported
                problems.add(.unsupportedHeader(name), place)
            }
            region.place = place
        }

        private mutating func endHeader() {
            switch header {
            case .none, .control, .unsupported: break
            case .global: (global, master, group) = (region, region, region)
            case .master: (master, group) = (region, region)
            case .group: group = region
            case .region: endRegion()
            }
            header = .none
        }

        mutating func apply(_ name: String, _ value: [UInt8], _ place: Place) {
            switch header {
            case .none: problems.add(.unreadable("\(name)=… before the first header"), place)
            case .unsupported: break
            case .control: applyToControl(name, value, place)
            case .global, .master, .group, .region: applyToRegion(name, value, place)
            }
        }

        private mutating func endRegion() {
            guard !region.sample.isEmpty else { return }
            // Of which some are not played.
            guard regions.count < 4 * SFZFile.maximumRegionCount else {
                return problems.add(.tooManyRegions(limit: 4 * SFZFile.maximumRegionCount), region.place)
            }
            // A star begins the name of a generator, such as *sine.
            guard region.sample.first != UInt8(ascii: "*") else {
                if !region.sample.elementsEqual("*silence".utf8) || region.group != 0 {
                    leaveOut(region, "generator '\(region.sample.text)' is not supported")
                }
                return
            }
            region.sample = control.defaultPath + region.sample
            region.shiftKeys(by: control.noteOffset + 12 * control.octaveOffset)
            regions.append(region)
        }

        private mutating func leaveOut(_ region: Region, _ reason: String) {
            problems.add(.regionLeftOut(reason: reason), region.place)
        }

        // MARK: Opcodes

        private mutating func applyToControl(_ name: String, _ value: [UInt8], _ place: Place) {
            switch name {
            case "default_path": control.defaultPath = value
            case "note_offset": control.noteOffset = integer(name, value, -127...127, place) ?? control.noteOffset
            case "octave_offset": control.octaveOffset = integer(name, value, -10...10, place) ?? control.octaveOffset
            default:
                if let (number, value) = controller(name, ["set_cc", "set_hdcc"], value, place) {
                    control.controllers[number] = value
                    if [7, 10, 11].contains(number) {
                        let how = "selects regions; volume, pan and expression are not set"
                        problems.add(.playedOtherwise(opcode: name, how: how), place)
                    }
                } else if Self.controllerNumber(name, ["set_cc", "set_hdcc"]) == nil, !name.hasPrefix("label_"),
                    !["image", "hint_"].contains(where: name.hasPrefix)
                {
                    problems.addUnsupported(name, place)
                }
            }
        }

        private mutating func applyToRegion(_ name: String, _ value: [UInt8], _ place: Place) {
            if applySpecial(name, value, place) { return }
            guard let opcode = Region.opcodes[Region.aliases[name] ?? name] else {
                if applyModulation(name, value, place) { return }
                return problems.addUnsupported(name, place)
            }
            switch opcode {
            case .information: break
            case .number(let path, let range):
                if let value = number(name, value, range, place) { region[keyPath: path] = value }
            case .integer(let path, let range):
                if let value = integer(name, value, range, place) { region[keyPath: path] = value }
            case .optional(let path, let range):
                if let value = integer(name, value, range, place) { region[keyPath: path] = value }
            case .keys(let paths):
                guard let key = key(name, value, place) else { return }
                for path in paths { region[keyPath: path] = key }
            case .word(let words):
                guard let change = words[value.text.lowercased()] else {
                    return invalid(name, value, words.keys.sorted().joined(separator: ", "), place)
                }
                change(&region)
            }
        }

        /// Applies opcodes that need more than a value; returns false for others.
        private mutating func applySpecial(_ name: String, _ value: [UInt8], _ place: Place) -> Bool {
            switch name {
            case "sample": region.sample = value
            case "fil_type", "filtype":
                let type = Region.filterTypes[value.text.lowercased()]
                region.filterResponse = type?.response
                if let how = type?.how {
                    problems.add(.playedOtherwise(opcode: "\(name)=\(value.text)", how: how), place)
                } else if type == nil {
                    invalid(name, value, Region.filterTypes.keys.sorted().joined(separator: ", "), place)
                }
            case "pitch_keycenter" where value.elementsEqual("sample".utf8): region.rootKey = nil
            case "off_time":
                guard let seconds = number(name, value, 0...60, place) else { break }
                (region.offMode, region.offTime) = (.time, seconds)
            case "count":
                region.loopMode = .oneShot
                if integer(name, value, 1...(1 << 20), place) ?? 1 > 1 {
                    problems.add(.playedOtherwise(opcode: name, how: "the sound is played once"), place)
                }
            case "trigger" where ["first", "release_key"].contains(value.text):
                region.start = value.elementsEqual("first".utf8) ? .attack : .release
                let how = "\(value.text) is played as \(region.start)"
                problems.add(.playedOtherwise(opcode: name, how: how), place)
            case "sw_default":
                let offset = control.noteOffset + 12 * control.octaveOffset
                control.defaultSwitch = key(name, value, place).map { $0 + offset } ?? control.defaultSwitch
            case "sw_down", "sw_previous": region.obstacle = "sw_down and sw_previous are not supported"
            default: return applyController(name, value, place)
            }
            return true
        }

        /// Applies conditions on controllers; returns false for other opcodes.
        private mutating func applyController(_ name: String, _ value: [UInt8], _ place: Place) -> Bool {
            let conditions = ["locc", "hicc", "lohdcc", "hihdcc"]
            if Self.controllerNumber(name, conditions) != nil {
                if let (number, value) = controller(name, conditions, value, place) {
                    addCondition(name, number, value, place)
                }
            } else if ["on_locc", "on_hicc", "start_locc", "start_hicc"].contains(where: name.hasPrefix) {
                // -1 switches the start off.
                let isOff = value.elementsEqual("-1".utf8)
                region.obstacle = isOff ? nil : "controllers start no regions"
            } else {
                return false
            }
            return true
        }

        /// Applies an opcode that has a controller change another one; returns false for others,
        /// and for controllers that stand for something else than a message, such as the velocity.
        private mutating func applyModulation(_ name: String, _ value: [UInt8], _ place: Place) -> Bool {
            guard let (modulation, part) = Modulation.named(name, place), let range = modulation.range,
                modulation.controller < 128 || control.controllers[modulation.controller] != nil
            else { return false }
            switch part {
            case .smoothing: return true
            case .amount:
                guard let amount = number(name, value, range, place) else { return true }
                return region.modulate(modulation) { $0.amount = amount }
            case .curve:
                guard let curve = Int(value.text), Modulation.curves.contains(curve) else { return false }
                return region.modulate(modulation) { $0.curve = curve }
            }
        }

        private mutating func addCondition(_ name: String, _ number: Int, _ value: Int, _ place: Place) {
            guard region.controllers[number] != nil || region.controllers.count < Region.maximumConditions else {
                return problems.addUnsupported(name, place)
            }
            if name.hasPrefix("lo") {
                region.controllers[number, default: .init()].low = value
            } else {
                region.controllers[number, default: .init()].high = value
            }
        }

        /// Returns the number at the end of a controller's opcode, such as 64 of locc64.
        private static func controllerNumber(_ name: String, _ prefixes: [String]) -> Int? {
            guard let prefix = prefixes.first(where: name.hasPrefix), let number = Int(name.dropFirst(prefix.count))
            else { return nil }
            return (0...511).contains(number) ? number : nil
        }

        /// Returns the number and the value of a controller's opcode; values of high resolution,
        /// such as those of lohdcc64, are 0 to 1.
        private mutating func controller(
            _ name: String, _ prefixes: [String], _ value: [UInt8], _ place: Place
        ) -> (number: Int, value: Int)? {
            guard let controller = Self.controllerNumber(name, prefixes) else { return nil }
            let isFine = name.contains("hdcc")
            return number(name, value, isFine ? 0...1 : 0...127, place).map {
                (controller, Int(isFine ? ($0 * 127).rounded() : $0))
            }
        }

        // MARK: Values

        private mutating func invalid(_ name: String, _ value: [UInt8], _ valid: String, _ place: Place) {
            problems.add(.invalidValue(opcode: name, value: value.prefix(40).text, valid: valid), place)
        }

        /// Returns the number at the beginning of a value, limited to the range.
        private mutating func number(
            _ name: String, _ value: [UInt8], _ range: ClosedRange<Double>, _ place: Place
        ) -> Double? {
            let digits = value.prefix(40).prefix { "+-.0123456789eE".utf8.contains($0) }
            guard let number = Double(digits.text), number.isFinite else {
                invalid(name, value, "a number from \(range.lowerBound) to \(range.upperBound)", place)
                return nil
            }
            let limited = min(max(number, range.lowerBound), range.upperBound)
            if limited != number {
                problems.add(.playedOtherwise(opcode: name, how: "\(digits.text) is limited to \(limited)"), place)
            }
            return limited
        }

        private mutating func integer(
            _ name: String, _ value: [UInt8], _ range: ClosedRange<Int>, _ place: Place
        ) -> Int? {
            number(name, value, Double(range.lowerBound)...Double(range.upperBound), place).map { Int($0) }
        }

        /// Returns a key from its number, or its name: c4 is 60, and # and b change it by one. -1
        /// stands for no key.
        private mutating func key(_ name: String, _ value: [UInt8], _ place: Place) -> Int? {
            Self.noteName(value) ?? integer(name, value, -1...255, place)
        }

        private static func noteName(_ value: [UInt8]) -> Int? {
            let text = value.prefix(8).text.lowercased()
            let steps: [Character: Int] = ["c": 0, "d": 2, "e": 4, "f": 5, "g": 7, "a": 9, "b": 11]
            guard let first = text.first, let step = steps[first] else { return nil }
            var rest = text.dropFirst()
            let change = rest.first == "#" || rest.first == "♯" ? 1 : rest.first == "b" || rest.first == "♭" ? -1 : 0
            if change != 0 { rest = rest.dropFirst() }
            guard let octave = Int(rest), (-1...9).contains(octave) else { return nil }
            let key = 12 * (octave + 1) + step + change
            return (0...127).contains(key) ? key : nil
        }

        // MARK: The end of the text

        /// Returns the file with the regions that can be played.
        mutating func finish(_ folder: SFZFolder) -> SFZFile {
            endHeader()
            var folder = folder
            let defaultSwitch = control.defaultSwitch ?? regions.compactMap(\.lowSwitch).min()
            var file = SFZFile()
            for region in regions {
                guard file.regions.count < SFZFile.maximumRegionCount else {
                    problems.add(.tooManyRegions(limit: SFZFile.maximumRegionCount), region.place)
                    break
                }
                if let reason = region.reasonNotToPlay(control, defaultSwitch) {
                    leaveOut(region, reason)
                    continue
                }
                var region = region
                for modulation in region.applyModulations(control) {
                    let how = "the controller has the value that it has at first; its messages have no effect"
                    problems.add(.playedOtherwise(opcode: "\(modulation.name)_onccN", how: how), modulation.place)
                }
                region.path = folder.path(of: region.sample)
                file.regions.append(region)
            }
            file.problems = problems.finished()
            return file
        }
    }

    private init() {}
}
