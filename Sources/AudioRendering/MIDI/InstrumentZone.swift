/// A sound, and the notes for which an instrument plays it. Times are in seconds, frames are those
/// of the sound.
public struct InstrumentZone: Sendable {
    /// The samples. Without a sample rate, one frame of them is played per frame of the server at
    /// the root key, and times in seconds apply to the server's rate when the instrument is made.
    public var sound: any InstrumentSound
    /// The keys, 0…127; 60 is middle C.
    public var keys: ClosedRange<Int> = 0...127
    /// The note-on velocities, 1…127.
    public var velocities: ClosedRange<Int> = 1...127
    /// The programs, 0…127.
    public var programs: ClosedRange<Int> = 0...127
    /// The key at which the sound has its own pitch, 0…127.
    public var rootKey = 60
    /// A detuning in cents, −12,000…12,000.
    public var tuning = 0.0
    /// The change of pitch from key to key in cents, −1,200…1,200; 0: the same pitch at every key.
    public var keyTracking = 100.0
    /// Linear, finite.
    public var gain: Float = 1
    /// 0: the gain does not depend on the velocity; 1: it is (velocity / 127)².
    public var velocityTracking: Float = 1
    /// −1 (left) … 1 (right), added to the channel's pan.
    public var pan: Float = 0
    /// The first frame to play. Of a streamed sound, it must be preloaded, with some after it.
    public var startFrame = 0
    /// The frames that repeat while the note sounds; nil: the sound is played once, as one-shots
    /// and sounds of releases always are.
    public var loop: Range<Int>?
    /// The number of frames at the end of the loop that crossfade with those before its beginning;
    /// at most as many as lie before the beginning, and at most the loop's length.
    public var loopFadeFrames = 0
    /// Whether the note plays what follows the loop once it is released, instead of repeating the
    /// loop while it fades out.
    public var leavesLoop = false
    /// The gain over time.
    public var envelope = Envelope()
    /// What the notes are filtered with; nil: they are not. Only for sounds of up to 8 channels.
    public var filter: Filter?
    /// Whether the sound is played to its end, whenever the key is released.
    public var isOneShot = false
    /// What starts the sound.
    public var trigger = Trigger.attack
    /// The sound's part in a round robin; nil: every note plays it.
    public var roundRobin: RoundRobin?
    /// The group that the zone belongs to, from 1 on; 0: none.
    public var group = 0
    /// A group whose notes end those of this zone, as a closed hi-hat ends an open one; 0: none.
    public var chokedBy = 0
    /// The fade-out of a note that is ended so, by the curve of its envelope: 0…60 s.
    public var chokeTime = 0.005

    public init(_ sound: any InstrumentSound) { self.sound = sound }

    public init(_ sound: any InstrumentSound, keys: ClosedRange<Int>, rootKey: Int) {
        self.sound = sound
        self.keys = keys
        self.rootKey = rootKey
    }

    /// A level over time: stays at 0 for the delay, while the sound already plays, rises to 1,
    /// stays there, falls to the sustain level, and falls to 0 once the note is released. A note
    /// whose gain has a sustain level of 0 ends after the decay. Times are 0…60 s.
    public struct Envelope: Equatable, Sendable {
        public var delay: Double
        public var attack: Double
        public var hold: Double
        public var decay: Double
        /// 0…1.
        public var sustain: Double
        public var release: Double
        /// How the gain falls; it rises linearly.
        public var curve: Curve

        /// The full level from the first frame on, and a release of 5 ms.
        public init(
            delay: Double = 0, attack: Double = 0, hold: Double = 0, decay: Double = 0, sustain: Double = 1,
            release: Double = 0.005, curve: Curve = .linear
        ) {
            self.delay = delay
            self.attack = attack
            self.hold = hold
            self.decay = decay
            self.sustain = sustain
            self.release = release
            self.curve = curve
        }

        /// How an envelope falls.
        public enum Curve: Sendable {
            /// Linearly in gain.
            case linear
            /// Exponentially, as strings and percussion fade: the distance to the sustain level, or
            /// to 0, falls by 90 dB in the time of the decay or release, equally fast all the time.
            /// A release ends at −90 dB.
            case exponential
        }
    }

    /// What starts a zone's sound.
    public enum Trigger: Sendable {
        /// A note-on.
        case attack
        /// The release of a note.
        case release
    }

    /// Of `count` successive notes in the zone's range, the zone plays the one at `position`.
    public struct RoundRobin: Equatable, Sendable {
        /// 1…count.
        public var position: Int
        /// 1…127.
        public var count: Int

        public init(position: Int, of count: Int) {
            self.position = position
            self.count = count
        }
    }
}
