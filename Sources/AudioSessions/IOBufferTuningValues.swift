/// The limits and times of the tuning. Durations are measured by the number of rendered frames.
public struct IOBufferTuningConfiguration: Hashable, Sendable {
    /// The shortest and the longest buffer to request from the server, in frames, within 1…8,192.
    /// The tuner halves and doubles the server's buffer, so it may not reach these limits exactly.
    public var periods: ClosedRange<Int>
    /// How long a buffer must be free of xruns before a shorter one is requested, 0.1 s to an hour.
    /// A longer hold slows the tuning down; a shorter one causes more xruns.
    public var hold: Duration
    /// How many xruns a buffer must have before it counts as too short, 1…100: a single xrun may
    /// have another cause.
    public var tries: Int
    /// How long a buffer must be free of xruns before its earlier xruns are forgotten, from `hold`
    /// to one day.
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

/// One event of the tuning.
public struct IOBufferTuningStep: Hashable, Sendable {
    public let kind: Kind
    /// The number of frames rendered since the tuner was started.
    public let frame: Int
    /// The duration of these frames in seconds.
    public let seconds: Double
    /// The server's current period, in frames.
    public let periodFrames: Int
    /// The number of xruns that the driver has counted since the tuner was started, including those
    /// caused by changes of the period.
    public let xruns: Int

    public enum Kind: Hashable, Sendable {
        /// The first step. Occurs again when the results are discarded: by another sample rate,
        /// another server or `restart()`.
        case began
        /// The server granted a shorter buffer, as requested.
        case shortened(from: Int)
        /// Xruns occurred with this buffer; the tuner requests a longer one, if the limits allow
        /// it.
        case xrun
        /// Rendering fell behind real time, although the server reported no xruns. Counts as
        /// `xrun`.
        case late
        /// The server granted a longer buffer, as requested.
        case lengthened(from: Int)
        /// The period did not change as requested: the server refused, or another session requests
        /// a shorter one.
        case refused(asked: Int)
        /// Another session, or another client of the server, changed the period.
        case changedByOthers(from: Int)
        /// The tuner requests no other buffer until something changes.
        case settled(IOBufferTuningSettlement)
        /// The session is not active, or nothing is rendered, as when the server is lost. The
        /// preferred duration stays as it is.
        case paused
        case resumed
        /// The last step.
        case ended(IOBufferTuningEnding)
    }
}

/// Why the tuner requests no other buffer.
public enum IOBufferTuningSettlement: String, Hashable, Sendable {
    /// The buffer is the shortest that the configuration allows.
    case shortest
    /// The next shorter buffer had xruns `tries` times.
    case shorterHasXruns
    /// The server refused the buffer that was requested.
    case serverKeepsIt
    /// Another client of the server set a longer buffer than this session requested.
    case setByOthers
    /// The buffer is the longest that the configuration allows, and has xruns.
    case longest
}

/// Why a tuner ended.
public enum IOBufferTuningEnding: Hashable, Sendable {
    case stopped
    /// The app set its own preferred duration, which stays in effect.
    case requestChanged
    /// The server did not return.
    case serverGone
    /// The session refused the request; carries the error's message.
    case refused(String)
}

extension IOBufferTuningConfiguration {
    /// Throws badParam for a configuration with which no buffer can be tuned (HW-4).
    func check() throws(AudioSessionError) {
        func refuse(_ what: String) -> AudioSessionError {
            AudioSessionError(.badParam, rule: "HW-4", "Cannot tune the I/O buffer with \(what).")
        }
        guard periods.lowerBound >= 1, periods.upperBound <= 8_192 else {
            throw refuse("periods of \(periods.lowerBound) to \(periods.upperBound) frames; use 1 to 8,192")
        }
        guard hold >= .milliseconds(100), hold <= .seconds(3_600) else {
            throw refuse("a hold of \(hold); use 0.1 s to an hour")
        }
        guard (1...100).contains(tries) else { throw refuse("\(tries) tries; use 1 to 100") }
        guard trust >= hold, trust <= .seconds(86_400) else {
            throw refuse(
                "a trust of \(trust); use at least the hold of \(hold), and at most a day"
            )
        }
    }
}
