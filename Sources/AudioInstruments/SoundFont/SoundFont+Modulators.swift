internal import AudioRendering

extension SoundFont {
    /// What changes a generator by the velocity, the key, pressure or a controller. Modulators of
    /// one zone that are equal replace each other; those of a preset add to those of the
    /// instrument.
    struct Modulator: Hashable {
        private var source: UInt16
        private var destination: UInt16
        private var amountSource: UInt16 = 0
        private var transform: UInt16 = 0

        static func read(_ table: Tables.Table, _ record: Int) -> (Modulator, amount: Int16) {
            func number(_ offset: Int) -> UInt16 { UInt16(table.number(record, at: offset)) }
            let modulator = Modulator(
                source: number(0), destination: number(2), amountSource: number(6), transform: number(8))
            return (modulator, Int16(bitPattern: number(4)))
        }

        /// For an order that does not depend on the process.
        var order: UInt64 {
            [source, destination, amountSource, transform].reduce(0) { $0 << 16 | UInt64($1) }
        }

        enum Source: Hashable {
            case velocity, key, keyPressure, channelPressure
            case controller(Int)
            case other(Int)
        }

        var from: Source {
            let number = Int(source & 0x7F)
            if source & 0x80 != 0 { return .controller(number) }
            return switch number {
            case 2: .velocity
            case 3: .key
            case 10: .keyPressure
            case 13: .channelPressure
            default: .other(number)
            }
        }
        var to: Generator? { Generator(rawValue: Int(destination)) }

        /// Whether nothing but the source and the amount has an influence, along this curve: 0 is
        /// linear, 1 concave.
        func isSimple(curve: UInt16) -> Bool { source >> 10 == curve && amountSource == 0 && transform == 0 }
        /// Whether it is the one by which the velocity always changes the gain, or replaces it.
        var isVelocityToGain: Bool {
            from == .velocity && to == .initialAttenuation && source & 0x300 == 0x100 && isSimple(curve: 1)
        }
        /// Those that each zone has unless it replaces them: their amounts, and whether instruments
        /// play them.
        private static let defaults: [Modulator: (amount: Int, isPlayed: Bool)] = [
            .init(source: 0x0502, destination: 48): (960, true), .init(source: 0x0587, destination: 48): (960, true),
            .init(source: 0x058B, destination: 48): (960, true), .init(source: 0x028A, destination: 17): (1_000, true),
            // The pitch wheel: of the pitch, for which some programs write the fine tuning.
            .init(source: 0x020E, destination: 59, amountSource: 0x10): (12_700, true),
            .init(source: 0x020E, destination: 52, amountSource: 0x10): (12_700, true),
            .init(source: 0x0102, destination: 8, amountSource: 0x0D02): (-2_400, false),
            .init(source: 0x000D, destination: 6): (50, false), .init(source: 0x0081, destination: 6): (50, false),
            .init(source: 0x00DB, destination: 16): (200, false), .init(source: 0x00DD, destination: 15): (200, false),
        ]
        /// Its amount in zones that do not replace it; nil if they do not have it.
        var defaultAmount: Int? { Self.defaults[self]?.amount }

        /// Whether a zone with this amount sounds the same without the modulator, in instruments.
        func hasNoEffect(amount: Int) -> Bool {
            guard let known = Self.defaults[self] else { return amount == 0 }
            // FluidSynth's default for the pan is 500, which it reaches at the same value.
            return amount == known.amount || (known.isPlayed ? to == .pan && amount == 500 : amount == 0)
        }

        /// Returns what a linear modulator adds at the source's value 0, and how much more at 127.
        func line(amount: Int) -> (base: Double, slope: Double) {
            let amount = Double(amount)
            return switch (source & 0x200 != 0, source & 0x100 != 0) {
            case (false, false): (0, amount)
            case (false, true): (amount, -amount)
            case (true, false): (-amount, 2 * amount)
            case (true, true): (amount, -2 * amount)
            }
        }

        var description: String {
            let name =
                switch from {
                case .velocity: "velocity"
                case .key: "key"
                case .keyPressure: "key pressure"
                case .channelPressure: "channel pressure"
                case .controller(let number): "controller \(number)"
                case .other(let number): "source \(number)"
                }
            return "\(name) to \(to.map { "\($0)" } ?? "destination \(destination)")"
        }
    }

    /// The modulators of a zone that instruments can play.
    struct Modulation {
        /// 0…1, as that of an instrument's zone.
        private(set) var velocityTracking: Float = 1
        /// Whether the file asks for another curve than the one that this stands for.
        private(set) var hasOtherCurve = false
        /// Cents that are added to the cutoff frequency: always, and by sources.
        private(set) var cents = 0.0
        private(set) var velocityRange = 0.0
        private(set) var keyTracking = 0.0
        private(set) var pressureRange = 0.0
        private(set) var controller: InstrumentZone.Filter.Controller?
        /// Those that have no effect.
        private(set) var unsupported: [Modulator] = []

        var isEmpty: Bool {
            cents == 0 && velocityRange == 0 && keyTracking == 0 && pressureRange == 0 && controller == nil
        }

        init() {}

        init(_ modulators: [Modulator: Int]) {
            for (modulator, amount) in modulators.sorted(by: { $0.key.order < $1.key.order }) {
                if modulator.isVelocityToGain {
                    velocityTracking = Float(min(max(Double(amount) / 960, 0), 1))
                    hasOtherCurve = amount != 0 && amount != 960
                } else if !add(modulator, amount), !modulator.hasNoEffect(amount: amount) {
                    unsupported.append(modulator)
                }
            }
        }

        /// Sets what the key and the velocity add, if they do not depend on the note.
        mutating func fix(key: Int?, velocity: Int?) {
            if let key { (cents, keyTracking) = (cents + keyTracking * Double(key), 0) }
            if let velocity { (cents, velocityRange) = (cents + velocityRange * Double(velocity) / 127, 0) }
        }

        /// The value that a controller has until a message sets it.
        private static func initialValue(ofController number: Int) -> Int {
            switch number {
            case 7: 100
            case 10, 70...79: 64
            case 11: 127
            default: 0
            }
        }

        /// Returns whether instruments can play the modulator.
        private mutating func add(_ modulator: Modulator, _ amount: Int) -> Bool {
            guard modulator.to == .initialFilterFc, modulator.isSimple(curve: 0), amount != 0 else { return false }
            let (base, slope) = modulator.line(amount: amount)
            switch modulator.from {
            case .velocity: velocityRange += slope
            case .key: keyTracking += slope / 127
            case .channelPressure: pressureRange += slope
            case .controller(let number) where controller == nil && number <= 119:
                let rest = Self.initialValue(ofController: number)
                controller = .init(number, range: min(max(slope, -12_000), 12_000), rest: rest)
                cents += slope * Double(rest) / 127
            default: return false
            }
            cents += base
            return true
        }
    }
}
