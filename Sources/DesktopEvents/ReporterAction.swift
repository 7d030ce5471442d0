package import SessionPolicy

/// A request to the arbiter.
package enum ReporterRequest: Hashable, Sendable {
    case begin(Rank, isRinging: Bool)
    case accept(SessionID)
    case activate(SessionID)
    case end(SessionID, shouldResume: Bool)
    case setScreenLocked(Bool)
    case setDoNotDisturb(Bool)
}

/// The arbiter's reply.
package enum ReporterReply: Hashable, Sendable {
    /// To `begin`.
    case begun(SessionID)
    case done
    /// A rule refuses it, so that repeating it does not help.
    case refused
    /// It was not decided; it is repeated later.
    case unavailable
}

/// What the reporter wants done.
package enum ReporterAction: Hashable, Sendable {
    /// Send a request; `DesktopReporter.replied` receives the reply. There is at most one without a
    /// reply.
    case send(ReporterRequest)
    case takeInhibitor
    case releaseInhibitor
    /// Call `DesktopReporter.timerEnded` after some seconds.
    case start(ReporterTimer, seconds: Double)
    /// Store what is set, for a successor of a killed process.
    case store(DesktopMarks)
    /// Everything is undone; `stop` was called.
    case finished
}

package enum ReporterTimer: Hashable, Sendable {
    /// The inhibitor of a sleep, by the number of the sleep, need not be held any longer.
    case inhibitor(sleep: Int)
    /// The pause of that number is over.
    case retry(Int)
    /// Calls ring although the switches are not known.
    case ringing
    /// A switch may change again.
    case change(DesktopSwitch)
}

/// What the desktop turns on and off.
package enum DesktopSwitch: Hashable, Sendable {
    case lock, doNotDisturb
}

/// What has been set at the arbiter on behalf of the desktop and outlives this program.
package struct DesktopMarks: Hashable, Sendable {
    package var isScreenLocked = false
    package var isDoNotDisturbOn = false

    package init(isScreenLocked: Bool = false, isDoNotDisturbOn: Bool = false) {
        self.isScreenLocked = isScreenLocked
        self.isDoNotDisturbOn = isDoNotDisturbOn
    }

    /// Reads the text of a file: "lock", "do-not-disturb", each on a line.
    package init(text: String) {
        let words = text.split(whereSeparator: \.isWhitespace)
        isScreenLocked = words.contains("lock")
        isDoNotDisturbOn = words.contains("do-not-disturb")
    }

    package var text: String {
        (isScreenLocked ? "lock\n" : "") + (isDoNotDisturbOn ? "do-not-disturb\n" : "")
    }
}
