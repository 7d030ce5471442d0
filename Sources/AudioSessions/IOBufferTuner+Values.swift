extension IOBufferTuner {
    /// How a buffer is tuned. What is counted in time is time of sound: frames that were rendered.
    public struct Configuration: Hashable, Sendable {
        /// Frames that the server is asked for at least and at most, within 1…8,192. What it has is halved and doubled, so the ends may not be reached
        /// exactly.
        public var periods: ClosedRange<Int>
        /// How long a buffer must be clean before a shorter one is asked for, 0.1 s…an hour. What is too short is heard once the hold is over, so a
        /// long one costs patience, and a short one xruns.
        public var hold: Duration
        /// How often a buffer must have xruns until it counts as too short, 1…100: one xrun may be an accident.
        public var tries: Int
        /// How long a buffer must be clean until earlier xruns in it are forgotten, at least the hold and at most a day.
        public var trust: Duration

        public init(
            periods: ClosedRange<Int> = 16...4_096, hold: Duration = .seconds(5), tries: Int = 2,
            trust: Duration = .seconds(600)
        ) {
            self.periods = periods
            self.hold = hold
            self.tries = tries
            self.trust = trust
        }
    }

    /// One thing that happened while a buffer was tuned.
    public struct Step: Hashable, Sendable {
        public let kind: Kind
        /// Frames of sound since the beginning.
        public let frame: Int
        /// The same in seconds.
        public let seconds: Double
        /// The server's period by now, in frames.
        public let periodFrames: Int
        /// All that the driver counted since the beginning, with those that a change of the period caused.
        public let xruns: Int

        public enum Kind: Hashable, Sendable {
            /// The first step; again where another rate or another server makes void what was found out.
            case began
            /// The server gave a shorter buffer, as asked.
            case shortened(from: Int)
            /// Xruns in a buffer that was to be kept; a longer one is asked for, if there is one.
            case xrun
            /// The same where the server told of none: the sound took longer than it lasts.
            case late
            /// The server gave a longer buffer, as asked.
            case lengthened(from: Int)
            /// The server, or another session's shorter wish, keeps the period.
            case refused(asked: Int)
            /// Another session, or someone at the server, changed the period.
            case changedByOthers(from: Int)
            /// No other buffer is asked for, unless something changes.
            case settled(Settlement)
            /// The session is not active, or the server is lost. The wish stands.
            case paused
            case resumed
            /// The last step.
            case ended(Ending)
        }
    }

    /// Why no other buffer is asked for.
    public enum Settlement: String, Hashable, Sendable {
        /// It is the shortest that the configuration allows.
        case shortest
        /// The next shorter one had xruns as often as `tries` says.
        case shorterHasXruns
        /// The server does not give the one that was asked for.
        case serverKeepsIt
        /// Someone at the server chose a longer one than any session's wish.
        case setByOthers
        /// It is the longest that the configuration allows, and has xruns.
        case longest
    }

    /// Why a tuner ended.
    public enum Ending: Hashable, Sendable {
        case stopped
        /// The app set a wish of its own, which stands.
        case wishChanged
        /// The server did not come back.
        case serverGone
        /// The session refused the wish; the error's message.
        case refused(String)
    }
}

extension IOBufferTuner.Configuration {
    /// Throws badParam for what no buffer could be tuned with (HW-4).
    func check() throws(AudioSessionError) {
        func refuse(_ what: String) -> AudioSessionError {
            AudioSessionError(.badParam, rule: "HW-4", "An I/O buffer was to be tuned with \(what).")
        }
        guard periods.lowerBound >= 1, periods.upperBound <= 8_192 else {
            throw refuse("periods of \(periods.lowerBound) to \(periods.upperBound) frames; a server takes 1 to 8,192")
        }
        guard hold >= .milliseconds(100), hold <= .seconds(3_600) else {
            throw refuse("a hold of \(hold); give 0.1 s to an hour")
        }
        guard (1...100).contains(tries) else { throw refuse("\(tries) tries; give 1 to 100") }
        guard trust >= hold, trust <= .seconds(86_400) else {
            throw refuse(
                "a trust of \(trust); give at least the hold of \(hold), and at most a day"
            )
        }
    }
}
