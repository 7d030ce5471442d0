/// A MIDI message that an input received, and its time.
public struct MIDIEvent: Hashable, Sendable {
    public var message: MIDIMessage
    /// The frame at which it arrived, on the clock of `AudioEngine.currentFrame`; of a
    /// system-exclusive message, that of its end.
    public var frame: UInt64

    public init(message: MIDIMessage, frame: UInt64) {
        self.message = message
        self.frame = frame
    }
}
