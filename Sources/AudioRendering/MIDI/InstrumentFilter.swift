extension InstrumentZone {
    /// A filter of notes, and what moves its cutoff frequency.
    ///
    /// Key, velocity, pressure, a controller and an envelope each add cents to `cutoff`, for every
    /// note separately. The frequency moves without steps, however coarse the controller is, and
    /// may leave the audible range. When the sound of a note ends, its filter fades out within
    /// 5 ms.
    public struct Filter: Equatable, Sendable {
        public var response: Response
        /// In hertz, 1…96,000; limited to 45 % of the server's sample rate.
        public var cutoff: Double
        /// The gain at the cutoff frequency in decibels, 0…40, in addition to the 3 dB that a
        /// filter without resonance attenuates. It narrows `bandPass` and `bandReject`, and has no
        /// effect on filters of 6 dB per octave.
        public var resonance: Double
        /// Cents per key, −1,200…1,200; 100: the cutoff frequency follows the pitch.
        public var keyTracking = 0.0
        /// The key at which the key tracking adds nothing, 0…127.
        public var centerKey = 60
        /// Cents at the velocity 127, in proportion to the velocity: −12,000…12,000.
        public var velocityRange = 0.0
        /// Cents at full channel or key pressure: −12,000…12,000.
        public var pressureRange = 0.0
        /// A controller that moves the frequency.
        public var controller: Controller?
        /// Cents at the level 1 of the envelope: −12,000…12,000.
        public var envelopeRange = 0.0
        /// Linear in cents, whatever its `curve`.
        public var envelope = Envelope()

        /// A filter with a fixed cutoff frequency.
        public init(_ response: Response, cutoff: Double, resonance: Double = 0) {
            (self.response, self.cutoff, self.resonance) = (response, cutoff, resonance)
        }

        /// What a filter passes. The number is its slope in decibels per octave.
        public enum Response: CaseIterable, Sendable {
            case lowPass6
            case lowPass12
            case lowPass24
            case highPass6
            case highPass12
            case highPass24
            /// Frequencies around the cutoff frequency, which passes at 0 dB; 6 dB per octave to
            /// each side.
            case bandPass
            /// All frequencies but those around the cutoff frequency.
            case bandReject
        }

        /// A MIDI controller that adds range · (value − rest) / 127 cents. On a member channel of
        /// an MPE zone, the controllers of the member and of the manager channel both do.
        public struct Controller: Equatable, Sendable {
            /// 0…119: 1 is the modulation wheel, 74 the third dimension of MPE.
            public var number: Int
            /// −12,000…12,000 cents.
            public var range: Double
            /// The value at which it adds nothing, which it has until a message sets it: 0…127.
            public var rest: Int

            public init(_ number: Int, range: Double, rest: Int = 0) {
                (self.number, self.range, self.rest) = (number, range, rest)
            }
        }
    }
}
