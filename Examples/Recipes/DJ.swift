import AudioRendering
import AudioSessions

/// A DJ's decks: one record for the dancers, the next one in the headphones.
public final class DJ: Sendable {
    /// A record that turns, on both outputs at once; its faders say where it is heard.
    public final class Deck: Sendable {
        fileprivate let main: Voice
        fileprivate let cue: Voice?

        fileprivate init(main: Voice, cue: Voice?) {
            self.main = main
            self.cue = cue
        }

        /// The fader to the dancers, linear.
        public func setMain(_ gain: Float) throws { try main.setGain(gain, rampFrames: 480) }

        /// The fader to the headphones, linear.
        public func setCue(_ gain: Float) throws { try cue?.setGain(gain, rampFrames: 480) }
    }

    private let session: AudioSession

    /// Every connected output at once, instead of the one that was plugged in last.
    public init(session: AudioSession) throws {
        try session.setCategory(.multiRoute)
        self.session = session
    }

    /// Puts a record on, at first with both faders down. Without headphones there is no cue.
    ///
    /// Each output has a bus of its own. When the headphones leave, the cue turns on in silence, and the dancers hear nothing of it; when they
    /// return, so does the cue.
    public func play(_ record: AudioBuffer) throws -> Deck {
        try session.setActive(true)
        let (engine, session) = (try session.engine, session)
        let start = engine.currentFrame + UInt64(session.ioBufferDuration * session.sampleRate)  // both on one frame
        let outputs = session.currentRoute.outputs
        func voice(to port: AudioSessionPortDescription?) throws -> Voice? {
            guard let port else { return nil }
            return try engine.play(.buffer(record), on: session.bus(to: [port]), gain: 0, at: start)
        }
        let cue = try voice(to: outputs.first { $0.portType == .headphones })
        guard let main = try voice(to: outputs.first { $0.portType != .headphones } ?? outputs.first) else {
            throw AudioSessionError(.resourceNotAvailable, "A record was to be played, but no output is connected.")
        }
        return Deck(main: main, cue: cue)
    }
}
