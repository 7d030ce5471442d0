internal import SessionPolicy
internal import AudioRendering

/// Every notification as a typed asynchronous sequence: from now on, each for every listener, in one order (ACT-11, INT-11). They end with the
/// session. A listener that does not read loses the oldest beyond 1,024.
extension AudioSession {
    /// One end of an interruption: what `interruptionNotification` tells.
    public enum Interruption: Hashable, Sendable {
        case began(InterruptionReason)
        case ended(InterruptionOptions)
    }

    /// A step in the session's activity: what `didBecomeActiveNotification` and `didBecomeInactiveNotification` tell.
    public enum ActivityChange: Hashable, Sendable {
        case becameActive
        case becameInactive(DeactivationCause)
    }

    /// What `routeChangeNotification` tells.
    public struct RouteChange: Sendable {
        public let reason: RouteChangeReason
        let previous: Route

        /// The route before (ROUTE-3).
        public var previousRoute: AudioSessionRouteDescription { AudioSessionRouteDescription(previous) }
    }

    /// What the notifications of the media services tell.
    public enum MediaServicesChange: Hashable, Sendable {
        /// The server died; calls throw `mediaServicesFailed` until it is back (SRV-1).
        case lost
        /// The server is back and everything is as it was (SRV-2).
        case reset
    }

    /// The session's events from now on, each for every listener: all of the sequences below in one.
    public var events: AsyncStream<AudioSessionEvent> { streams.make { $0.event } }

    /// Beginnings and ends of interruptions (INT-2, INT-3).
    public var interruptions: AsyncStream<Interruption> {
        streams.make { told in
            switch told.event {
            case .interruptionBegan(let reason): .began(reason)
            case .interruptionEnded(let shouldResume): .ended(shouldResume ? .shouldResume : [])
            default: nil
            }
        }
    }

    /// When the session became active and inactive, and why.
    public var activityChanges: AsyncStream<ActivityChange> {
        streams.make { told in
            switch told.event {
            case .becameActive: .becameActive
            case .becameInactive(let cause): .becameInactive(cause)
            default: nil
            }
        }
    }

    /// Whether to go on, after each interruption that is told to be over (INT-3).
    public var resumptionRecommendations: AsyncStream<ResumptionRecommendation> {
        streams.make { told in
            guard case .interruptionEnded(let shouldResume) = told.event else { return nil }
            return shouldResume ? .shouldResume : .shouldNotResume
        }
    }

    /// Changes of the route, each with its reason and the route before (ROUTE-3).
    public var routeChanges: AsyncStream<RouteChange> {
        streams.make { told in
            guard case .routeChanged(let reason) = told.event, let previous = told.previousRoute else { return nil }
            return RouteChange(reason: reason, previous: previous)
        }
    }

    /// When other primary audio began and ceased to play (HINT-2).
    public var silenceSecondaryAudioHints: AsyncStream<SilenceSecondaryAudioHintType> {
        streams.make { if case .silenceSecondaryAudioHint(let type) = $0.event { type } else { nil } }
    }

    /// The server's loss and return (SRV-1, SRV-2).
    public var mediaServicesChanges: AsyncStream<MediaServicesChange> {
        streams.make { told in
            switch told.event {
            case .mediaServicesWereLost: .lost
            case .mediaServicesWereReset: .reset
            default: nil
            }
        }
    }

    /// Whether the session's own output was muted, at each change (VOL-3).
    public var outputMuteChanges: AsyncStream<Bool> {
        streams.make { if case .outputMuteChanged(let isMuted) = $0.event { isMuted } else { nil } }
    }

    /// Whether the app's inputs were muted, at each change while the session takes input (PERM-4).
    public var inputMuteChanges: AsyncStream<Bool> {
        streams.make { if case .inputMuteChanged(let isMuted) = $0.event { isMuted } else { nil } }
    }

    /// The user's answers to the app's wish to record, and their revocation (PERM-2).
    public var recordPermissionChanges: AsyncStream<AudioApplication.RecordPermission> {
        streams.make { if case .recordPermissionChanged(let permission) = $0.event { permission } else { nil } }
    }
}
