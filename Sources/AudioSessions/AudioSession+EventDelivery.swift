internal import AudioRendering
internal import Foundation
internal import SessionArbiter
internal import SessionPolicy

/// Converts the arbiter's notices and the driver's events into notifications, events and calls to
/// participants. Runs on library threads.
extension AudioSession {
    /// Handles a notice of the arbiter: pauses, stops or resumes participants and notifies the app.
    func receive(_ notice: SessionNotice) {
        defer {
            applyModeToEngine()
            updateDuckTimer()
        }
        switch notice.effect.kind {
        case .interruptionBegan(let reason): deliverBegan(reason)
        case .interruptionEnded(let shouldResume): deliverEnded(shouldResume: shouldResume)
        case .routeChanged(let previous, let reason):
            deliverRouteChange(reason, from: previous)
            // The route is applied after the notification, in which the app may pause: none of its
            // sound then reaches the new route (ROUTE-4).
            host.applyRouteAsync(of: self)
        case .outputDisconnected:
            let isGone = host.hasLostOutput(of: self)
            for participant in liveParticipants { participant.sessionOutputWasDisconnected(isGone: isGone) }
        case .availableInputsChanged:
            streams.yield(.availableInputsChanged)
            post(Self.availableInputsChangeNotification, nil)
        case .silenceSecondaryAudioHint(let begins): deliverHint(begins ? .begin : .end)
        case .outputVolumeChanged(let volume): streams.yield(.outputVolumeChanged(volume))
        case .outputMuteChanged(let isMuted):
            streams.yield(.outputMuteChanged(isMuted))
            post(Self.outputMuteStateChangeNotification, [Self.muteStateKey: NSNumber(value: isMuted)])
        case .stateChanged:
            stopInputsStoppedByArbiter()
            streams.yield(.stateChanged(state))
        case .deactivatedBySystem:
            // If the session was activated again before this notice arrived, its players belong to
            // the new activation.
            if !isActive {
                for participant in liveParticipants { participant.sessionDidDeactivate() }
                participantsChanged()
            }
            host.applyHardwareRequestsAsync()
            deliverEndOfActivity(DeactivationCause(deactivatedBy: notice.effect.rule))
        case .activated:
            if notice.effect.rule == .act14 { startAfterGrant() }
            deliverBecameActive()
        case .deactivated: deliverEndOfActivity(.app)
        case .recordPermissionNeeded: host.permission.ask(host)
        case .recordPermissionChanged(let permission):
            streams.yield(.recordPermissionChanged(permission))
        case .inputMuteChanged(let isMuted):
            streams.yield(.inputMuteChanged(isMuted))
            host.application.deliverInputMute(isMuted, decision: notice.decision)
        case .waitMoved, .waitLapsed: break  // not reported to the app
        }
    }

    /// Delivers the start of an interruption. The gate is already closed (INT-1); the players pause
    /// first, then the app is notified (INT-2, INT-9).
    private func deliverBegan(_ reason: InterruptionReason) {
        // If the session was activated again before this notice arrived, its players belong to the
        // new activation (INT-5).
        if !isActive {
            let isGone = reason == .routeDisconnected && host.hasLostOutput(of: self)
            for participant in liveParticipants {
                // ROUTE-4: playback that stops because its output is gone does not resume when an
                // output returns.
                reason == .routeDisconnected
                    ? participant.sessionOutputWasDisconnected(isGone: isGone) : participant.sessionWasInterrupted()
            }
        }
        host.applyHardwareRequestsAsync()
        streams.yield(.interruptionBegan(reason))
        post(
            Self.interruptionNotification,
            [
                AudioSessionInterruptionTypeKey: NSNumber(value: InterruptionType.began.rawValue),
                AudioSessionInterruptionReasonKey: NSNumber(value: reason.rawValue),
            ])
        deliverEndOfActivity(.interruption(reason))
    }

    /// Delivers the end of an interruption. The app is notified first, then players resume as their
    /// policy allows (INT-3, INT-9).
    private func deliverEnded(shouldResume: Bool) {
        let options: InterruptionOptions = shouldResume ? .shouldResume : []
        streams.yield(.interruptionEnded(shouldResume: shouldResume))
        post(
            Self.interruptionNotification,
            [
                AudioSessionInterruptionTypeKey: NSNumber(value: InterruptionType.ended.rawValue),
                AudioSessionInterruptionOptionKey: NSNumber(value: options.rawValue),
            ])
        deliverRecommendation(shouldResume ? .shouldResume : .shouldNotResume)
        for participant in liveParticipants { participant.sessionInterruptionEnded(shouldResume: shouldResume) }
    }

    private func deliverEndOfActivity(_ cause: DeactivationCause) {
        updateDuckTimer(afterEnd: true)
        deliverBecameInactive(cause)
    }

    private func deliverHint(_ type: SilenceSecondaryAudioHintType) {
        streams.yield(.silenceSecondaryAudioHint(type))
        post(
            Self.silenceSecondaryAudioHintNotification,
            [AudioSessionSilenceSecondaryAudioHintTypeKey: NSNumber(value: type.rawValue)])
    }

    /// Delivers a route change with the previous route (keeps ROUTE-3).
    private func deliverRouteChange(_ reason: RouteChangeReason, from previous: Route) {
        streams.yield(.routeChanged(reason), from: previous)
        post(
            Self.routeChangeNotification,
            [
                AudioSessionRouteChangeReasonKey: NSNumber(value: reason.rawValue),
                AudioSessionRouteChangePreviousRouteKey: AudioSessionRouteDescription(previous),
            ])
    }

    /// Delivers the driver's events to the app. The return of a server is reported later, by
    /// `notifyReset`.
    func receive(_ event: DriverEvent) {
        switch event {
        case .formatChanged, .serverReturned: streams.yield(.hardwareChanged)
        case .serverLost:
            streams.yield(.mediaServicesWereLost)
            post(Self.mediaServicesWereLostNotification, nil)
        case .xrun(let count): if isActive { streams.yield(.xrun(count: count)) }
        case .serverGone, .devicesChanged: break
        }
    }

    /// Reports to the app that the server has returned. Each of its devices has returned by then or
    /// counts as removed (keeps SRV-2).
    func notifyReset() {
        streams.yield(.mediaServicesWereReset)
        post(Self.mediaServicesWereResetNotification, nil)
    }

    func post(_ name: NSNotification.Name, _ userInfo: [AnyHashable: Any]?) {
        NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }
}

extension AudioSession.DeactivationCause {
    /// The cause for a session that the system deactivated without an interruption: `background`
    /// for all rules without a case of their own.
    fileprivate init(deactivatedBy rule: Rule) {
        self =
            switch rule {
            case .bg3: .suspension
            case .act12: .cutOff
            default: .background
            }
    }
}
