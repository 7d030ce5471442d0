import AudioRendering
import AudioSessions
import Synchronization

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
    private let decks = Mutex<[Deck]>([])
    private let observer = SessionObserver()

    /// Every connected output at once, instead of the one that was plugged in last.
    public init(session: AudioSession) throws {
        try session.setCategory(.multiRoute)
        self.session = session
        observer.observe(session) { [weak self] event in self?.follow(event) }
    }

    /// Puts a record on, at first with both faders down. Without headphones there is no cue.
    public func play(_ record: AudioBuffer) throws -> Deck {
        try session.setActive(true)
        let (engine, bus) = (try session.engine, try session.bus)
        let start = engine.currentFrame + UInt64(session.ioBufferDuration * session.sampleRate)  // both on one frame
        let outputs = session.currentRoute.outputs
        func voice(to port: AudioSessionPortDescription?) throws -> Voice? {
            guard let port else { return nil }
            let map = try map(from: record.channels, to: port, of: outputs)
            return try engine.play(.buffer(record), on: bus, gain: 0, map: map, at: start)
        }
        let cue = try voice(to: outputs.first { $0.portType == .headphones })
        guard let main = try voice(to: outputs.first { $0.portType != .headphones } ?? outputs.first) else {
            throw AudioSessionError(.resourceNotAvailable, "A record was to be played, but no output is connected.")
        }
        let deck = Deck(main: main, cue: cue)
        decks.withLock { $0.append(deck) }
        return deck
    }

    /// The outputs of the route lie on the channels of the session's bus one after the other; a record goes to one of them.
    private func map(
        from channels: Int, to port: AudioSessionPortDescription, of outputs: [AudioSessionPortDescription]
    ) throws -> ChannelMap {
        let first = outputs.prefix { $0 != port }.reduce(0) { $0 + ($1.channels?.count ?? 0) }
        let own = first..<(first + (port.channels?.count ?? 0))
        return try ChannelMap.gains(
            (0..<session.outputNumberOfChannels).map { output in
                (0..<channels).map { input in own.contains(output) && output - first == input ? 1 : 0 }
            })
    }

    private func follow(_ event: AudioSessionEvent) {
        // The headphones are gone: what was for the DJ's ear alone is for nobody. The dancers hear nothing of it.
        guard case .routeChanged(.oldDeviceUnavailable) = event,
            !session.currentRoute.outputs.contains(where: { $0.portType == .headphones })
        else { return }
        for deck in decks.withLock({ $0 }) { try? deck.setCue(0) }
    }
}
