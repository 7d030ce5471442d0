internal import AudioRendering

/// What happens to a session, for `events`. The same story as the notifications, in the same order, as values.
public enum AudioSessionEvent: Hashable, Sendable {
    case interruptionBegan(AudioSession.InterruptionReason)
    case interruptionEnded(shouldResume: Bool)
    case routeChanged(AudioSession.RouteChangeReason)
    /// Active, interrupted, ducked, muted: whatever of it is new, with its reasons.
    case stateChanged(AudioSession.State)
    case outputVolumeChanged(Float)
    case outputMuteChanged(Bool)
    /// Other inputs can be chosen from (ROUTE-6).
    case availableInputsChanged
    /// The user's answer to the app's wish to record, or its revocation (PERM-2).
    case recordPermissionChanged(AudioApplication.RecordPermission)
    /// The app muted or unmuted its inputs (PERM-4).
    case inputMuteChanged(Bool)
    /// An activation that was asked for by `requestActivation` is granted (ACT-14).
    case activationGranted
    /// Another primary session began or ceased to play.
    case silenceSecondaryAudioHint(AudioSession.SilenceSecondaryAudioHintType)
    /// Rate, period, latency or channels of the server are others; read them from the session.
    case hardwareChanged
    /// The server died; it may come back (SRV-1).
    case mediaServicesWereLost
    /// The server is back and sound goes on (SRV-2).
    case mediaServicesWereReset
}

/// Who listens to a session's events.
final class EventStreams: Sendable {
    private struct Listeners {
        var continuations: [Int: AsyncStream<AudioSessionEvent>.Continuation] = [:]
        var nextID = 0
    }
    private let listeners = Locked(Listeners())

    /// What a listener that does not read may fall behind, before its oldest events go.
    static let backlog = 1_024

    func make() -> AsyncStream<AudioSessionEvent> {
        AsyncStream(bufferingPolicy: .bufferingNewest(Self.backlog)) { continuation in
            let id = listeners.withLock { listeners in
                listeners.nextID += 1
                listeners.continuations[listeners.nextID] = continuation
                return listeners.nextID
            }
            continuation.onTermination = { [weak self] _ in
                _ = self?.listeners.withLock { $0.continuations.removeValue(forKey: id) }
            }
        }
    }

    func yield(_ event: AudioSessionEvent) {
        for continuation in listeners.withLock({ Array($0.continuations.values) }) { continuation.yield(event) }
    }

    deinit {
        for continuation in listeners.withLock({ Array($0.continuations.values) }) { continuation.finish() }
    }
}

extension AudioSession {
    /// The session's events from now on, each for every listener; ends with the session. A listener that does not read loses the
    /// oldest beyond 1,024.
    public var events: AsyncStream<AudioSessionEvent> { streams.make() }
}
