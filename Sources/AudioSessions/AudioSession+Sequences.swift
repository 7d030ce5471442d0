internal import SessionPolicy
internal import AudioRendering

/// Each notification as a typed asynchronous sequence.
///
/// Each read of one of these properties returns a new sequence, which starts with the next event.
/// Every listener receives all events, in one order (ACT-11, INT-11). A sequence ends when the
/// session is released. If a listener has more than 1,024 unread elements, the oldest are dropped.
extension AudioSession {
    /// The start or end of an interruption, as `interruptionNotification` reports it.
    public enum Interruption: Hashable, Sendable {
        case began(InterruptionReason)
        case ended(InterruptionOptions)
    }

    /// A change of the session's activity, as `didBecomeActiveNotification` and
    /// `didBecomeInactiveNotification` report it.
    public enum ActivityChange: Hashable, Sendable {
        case becameActive
        case becameInactive(DeactivationCause)
    }

    /// A change of the route, as `routeChangeNotification` reports it.
    public struct RouteChange: Sendable {
        public let reason: RouteChangeReason
        let previous: Route

        /// The previous route (ROUTE-3).
        public var previousRoute: AudioSessionRouteDescription { AudioSessionRouteDescription(previous) }
    }

    /// The loss or return of the audio server, as the media services notifications report it.
    public enum MediaServicesChange: Hashable, Sendable {
        /// The server was lost. Calls throw `mediaServicesFailed` until it returns (SRV-1).
        case lost
        /// The server has returned and the library has restored everything (SRV-2).
        case reset
    }

    /// The session's events from now on, each delivered to every listener. Includes the events of
    /// all sequences below.
    public var events: AsyncStream<AudioSessionEvent> { delivery.stream { $0.event } }

    /// Starts and ends of interruptions (INT-2, INT-3).
    public var interruptions: AsyncStream<Interruption> {
        delivery.stream { delivered in
            switch delivered.event {
            case .interruptionBegan(let reason): .began(reason)
            case .interruptionEnded(let shouldResume): .ended(shouldResume ? .shouldResume : [])
            default: nil
            }
        }
    }

    /// Changes between active and inactive, with their cause.
    public var activityChanges: AsyncStream<ActivityChange> {
        delivery.stream { delivered in
            switch delivered.event {
            case .becameActive: .becameActive
            case .becameInactive(let cause): .becameInactive(cause)
            default: nil
            }
        }
    }

    /// Whether to resume, delivered when an interruption ends (INT-3). Some interruptions never
    /// end.
    public var resumptionRecommendations: AsyncStream<ResumptionRecommendation> {
        delivery.stream { delivered in
            guard case .interruptionEnded(let shouldResume) = delivered.event else { return nil }
            return shouldResume ? .shouldResume : .shouldNotResume
        }
    }

    /// Changes of the route, each with its reason and the previous route (ROUTE-3).
    public var routeChanges: AsyncStream<RouteChange> {
        delivery.stream { delivered in
            guard case .routeChanged(let reason) = delivered.event, let previous = delivered.previousRoute else {
                return nil
            }
            return RouteChange(reason: reason, previous: previous)
        }
    }

    /// Changes of the available inputs (ROUTE-6); read the inputs from `availableInputs`.
    public var availableInputsChanges: AsyncStream<Void> {
        delivery.stream { if case .availableInputsChanged = $0.event { () } else { nil } }
    }

    /// `begin` when another primary session starts playing, `end` when none plays any longer
    /// (HINT-2).
    public var silenceSecondaryAudioHints: AsyncStream<SilenceSecondaryAudioHintType> {
        delivery.stream { if case .silenceSecondaryAudioHint(let type) = $0.event { type } else { nil } }
    }

    /// Loss and return of the server (SRV-1, SRV-2).
    public var mediaServicesChanges: AsyncStream<MediaServicesChange> {
        delivery.stream { delivered in
            switch delivered.event {
            case .mediaServicesWereLost: .lost
            case .mediaServicesWereReset: .reset
            default: nil
            }
        }
    }

    /// Changes of the session's own output mute (VOL-3); true means muted.
    public var outputMuteChanges: AsyncStream<Bool> {
        delivery.stream { if case .outputMuteChanged(let isMuted) = $0.event { isMuted } else { nil } }
    }

    /// Changes of the app's input mute while the session takes input (PERM-4); true means muted.
    public var inputMuteChanges: AsyncStream<Bool> {
        delivery.stream { if case .inputMuteChanged(let isMuted) = $0.event { isMuted } else { nil } }
    }

    /// Changes of the app's permission to record: the user's answers, and their revocation
    /// (PERM-2).
    public var recordPermissionChanges: AsyncStream<AudioApplication.RecordPermission> {
        delivery.stream { if case .recordPermissionChanged(let permission) = $0.event { permission } else { nil } }
    }
}
