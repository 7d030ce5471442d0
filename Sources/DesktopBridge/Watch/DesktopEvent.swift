/// What a service of the desktop has reported. A state may be reported again.
package enum DesktopEvent: Hashable, Sendable {
    /// The machine is about to go to sleep, or else it is awake.
    case sleeping(Bool)
    /// A service says whether the screen is locked; nil: it no longer does.
    case lock(source: String, Bool?)
    /// The state of a call; nil: it has ended.
    case call(DesktopCall, DesktopCall.State?)
    /// A service says whether it is set not to disturb; nil: it no longer does.
    case doNotDisturb(source: String, Bool?)
    /// The services of this bus that existed at the start have reported their state, or have not
    /// replied in time. Once.
    case synced
}

/// A call of a modem.
package struct DesktopCall: Hashable, Comparable, Sendable {
    /// The name of the service on the bus.
    package var service: String
    /// The path of the call's object.
    package var path: String

    package init(service: String, path: String) {
        self.service = service
        self.path = path
    }

    package enum State: Hashable, Sendable {
        /// It has not been accepted.
        case incoming
        /// It is being dialed, or the other side has not accepted it.
        case dialing
        case active
        case held
    }

    package static func < (a: DesktopCall, b: DesktopCall) -> Bool {
        (a.service, a.path) < (b.service, b.path)
    }
}

/// What a watch follows.
package enum DesktopSource: Hashable, Sendable, CaseIterable {
    case sleep, lock, calls, doNotDisturb
}
