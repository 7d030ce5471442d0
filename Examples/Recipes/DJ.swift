import AudioRendering
import AudioSessions

/// A DJ's decks: each track plays on the main output and on the headphones, with a fader for each.
public final class DJ: Sendable {
    /// A track that plays to both outputs at once, with a fader for each.
    public final class Deck: Sendable {
        fileprivate let main: Voice
        fileprivate let cue: Voice?

        fileprivate init(main: Voice, cue: Voice?) {
            self.main = main
            self.cue = cue
        }

        /// Sets the gain on the main output, linear.
        public func setMain(_ gain: Float) throws { try main.setGain(gain, rampFrames: 480) }

        /// Sets the gain on the headphones, linear.
        public func setCue(_ gain: Float) throws { try cue?.setGain(gain, rampFrames: 480) }
    }

    private let session: AudioSession

    /// Configures the session to use every connected output, not only the newest one.
    public init(session: AudioSession) throws {
        try session.setCategory(.multiRoute)
        self.session = session
    }

    /// Plays a track, with both faders down at first. Without headphones there is no cue.
    ///
    /// Each output has its own bus. When the headphones are unplugged, the cue continues silently,
    /// and the main output is not affected. When they return, the cue is audible again.
    public func play(_ record: AudioBuffer) throws -> Deck {
        try session.setActive(true)
        let (engine, session) = (try session.engine, session)
        // Both voices start on the same frame.
        let start = engine.currentFrame + UInt64(session.ioBufferDuration * session.sampleRate)
        let outputs = session.currentRoute.outputs
        func voice(to port: AudioSessionPortDescription?) throws -> Voice? {
            guard let port else { return nil }
            return try engine.play(.buffer(record), on: session.bus(to: [port]), gain: 0, at: start)
        }
        let cue = try voice(to: outputs.first { $0.portType == .headphones })
        guard let main = try voice(to: outputs.first { $0.portType != .headphones } ?? outputs.first) else {
            throw AudioSessionError(.resourceNotAvailable, "Cannot play: no output is connected. Connect one.")
        }
        return Deck(main: main, cue: cue)
    }
}
