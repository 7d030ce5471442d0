internal import CRenderCore
internal import Platform

/// Plays sounds as notes, on the exact frames of MIDI messages: from memory, and long ones from
/// their files (`StreamedSound`).
///
/// Messages come from inputs (`MIDIInput.connect`), or from the app (`send`, `CommandQueue.send`).
/// The instrument follows note-on and note-off, pitch bend (its range is set by RPN 0), volume (7),
/// pan (10), expression (11), sustain (64), sostenuto (66), program change, pressure, the
/// controllers of filters, all sound off (120), reset all controllers (121), all notes off
/// (123…127), and MPE.
///
/// The notes play on a session's bus and obey it: while the session is interrupted they are
/// suspended, and continue at the next frame afterwards, unless their key was released meanwhile. A
/// key that is pressed during an interruption is not heard. The notes also end when the instrument
/// is disconnected from an input. When the engine stops rendering, because no session has been
/// active for 5 s or the server is lost, the notes of an instrument that has an input end: their
/// note-offs would be missed. An instrument does not activate its session.
///
/// The notes end within 5 ms when the last reference to the instrument is released.
public final class AudioInstrument: MIDITarget {
    /// How an instrument plays its notes.
    public struct Configuration: Equatable, Sendable {
        /// The most voices that play at once, 1…4,096, taken from the engine's `maximumVoices`; one
        /// more steals the oldest.
        public var polyphony = 64
        /// The priority of its voices, if the engine has a `polyphony`.
        public var priority = VoicePriority.normal
        /// The law of the pan; nil: notes are not panned.
        public var panLaw: Pan.Law? = .equalPower
        /// The range of the pitch bend, up and down, in semitones: 0…96.
        public var bendRange = 2.0
        /// The linear gain at full pressure, 0…16; 1: pressure changes nothing.
        public var pressureGain: Float = 1
        /// The ramp of gain, pan, pitch and cutoff frequency after a controller has changed, in
        /// engine frames: 1…2²⁰.
        public var rampFrames = 240
        /// MPE: the number of member channels of the lower zone, whose manager channel is 0, and of
        /// the upper zone, whose manager channel is 15. 0…15; together at most 14 if both are used.
        public var lowerMembers = 0
        public var upperMembers = 0
        /// The pitch bend range of member channels in semitones: 0…96.
        public var memberBendRange = 48.0

        public init() {}
    }

    public let midiIdentity: MIDITargetIdentity
    private let core: CoreInstrument
    private weak let control: EngineControl?

    init(identity: MIDITargetIdentity, core: CoreInstrument, control: EngineControl) {
        midiIdentity = identity
        self.core = core
        self.control = control
    }

    deinit { control?.removeFromMIDI { $0.removeTarget(midiIdentity.number) } }

    /// The number of voices that its notes play now.
    public var voiceCount: Int { Int(rcore_instrument_voices(core.handle)) }

    /// The number of notes that were not heard because the engine had no free voice.
    public var missedNotes: UInt64 { rcore_instrument_missed_notes(core.handle) }
}

extension AudioInstrument.Configuration {
    /// The core's configuration, without the bus. Throws `invalidArgument`.
    func coreConfiguration() throws(AudioEngineError) -> rcore_instrument_config_t {
        guard (1...4_096).contains(polyphony), (0...15).contains(priority.rawValue), (0...96).contains(bendRange),
            (0...16).contains(pressureGain), (1...1 << 20).contains(rampFrames), (0...96).contains(memberBendRange),
            (0...15).contains(lowerMembers), (0...15).contains(upperMembers),
            lowerMembers == 0 || upperMembers == 0 || lowerMembers + upperMembers <= 14
        else { throw .invalidArgument(what: "an instrument's configuration with a value out of range: \(self)") }
        var config = rcore_instrument_config_default()
        config.max_notes = UInt32(polyphony)
        config.priority = UInt32(priority.rawValue)
        config.pan_law = panLaw.coreLaw
        config.bend_range = Float(bendRange)
        config.pressure_gain = pressureGain
        config.ramp_frames = UInt32(rampFrames)
        config.lower_members = UInt8(lowerMembers)
        config.upper_members = UInt8(upperMembers)
        config.member_bend_range = Float(memberBendRange)
        return config
    }
}
