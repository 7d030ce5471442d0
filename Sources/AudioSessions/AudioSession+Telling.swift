internal import AudioRendering
internal import Foundation
internal import SessionArbiter
internal import SessionPolicy

/// From the arbiter's notices and the engine's events to notifications, events and participants. On the library's threads.
extension AudioSession {
    func receive(_ notice: SessionNotice) {
        defer {
            followMode()
            followDuck()
        }
        switch notice.effect.kind {
        case .interruptionBegan(let reason): tellBegan(InterruptionReason(rawValue: reason.rawValue) ?? .default)
        case .interruptionEnded(let shouldResume): tellEnded(shouldResume: shouldResume)
        case .routeChanged(let previous, let reason):
            tellRouteChange(RouteChangeReason(rawValue: reason.rawValue) ?? .unknown, from: previous)
            // Not before: who was told has paused, and none of it is heard on the new route (ROUTE-4).
            host.patchLater(self)
        case .outputDisconnected:
            let isGone = host.lostOutput(of: self)
            for participant in liveParticipants { participant.sessionOutputWasDisconnected(isGone: isGone) }
        case .availableInputsChanged:
            streams.yield(.availableInputsChanged)
            post(Self.availableInputsChangeNotification, nil)
        case .silenceSecondaryAudioHint(let begins): tellHint(begins ? .begin : .end)
        case .outputVolumeChanged(let volume): streams.yield(.outputVolumeChanged(volume))
        case .outputMuteChanged(let isMuted):
            streams.yield(.outputMuteChanged(isMuted))
            post(Self.outputMuteStateChangeNotification, [Self.muteStateKey: NSNumber(value: isMuted)])
        case .stateChanged:
            followInputs()
            streams.yield(.stateChanged(state))
        case .deactivatedBySystem:
            // Activated again before this was told: its players belong to the new activation.
            if !isActive {
                for participant in liveParticipants { participant.sessionDidDeactivate() }
                participantsChanged()
            }
            host.settleHardwareLater()
            tellEndOfActivity(DeactivationCause(deactivatedBy: notice.effect.rule))
        case .activated:
            if notice.effect.rule == .act14 { startAfterGrant() }
            tellBecameActive()
        case .deactivated: tellEndOfActivity(.app)
        case .recordPermissionNeeded: host.permission.ask(host)
        case .recordPermissionChanged(let permission):
            streams.yield(.recordPermissionChanged(AudioApplication.RecordPermission(permission)))
        case .inputMuteChanged(let isMuted):
            streams.yield(.inputMuteChanged(isMuted))
            host.application.tellInputMute(isMuted, decision: notice.decision)
        case .waitMoved, .waitLapsed: break
        }
    }

    /// The gate is shut already (INT-1); players pause, then the app is told (INT-2, INT-9).
    private func tellBegan(_ reason: InterruptionReason) {
        // Activated again before this was told: its players belong to the new activation (INT-5).
        if !isActive {
            let isGone = reason == .routeDisconnected && host.lostOutput(of: self)
            for participant in liveParticipants {
                // ROUTE-4: what stops because its output is gone does not start again when one returns.
                reason == .routeDisconnected
                    ? participant.sessionOutputWasDisconnected(isGone: isGone) : participant.sessionWasInterrupted()
            }
        }
        host.settleHardwareLater()
        streams.yield(.interruptionBegan(reason))
        post(
            Self.interruptionNotification,
            [
                AudioSessionInterruptionTypeKey: NSNumber(value: InterruptionType.began.rawValue),
                AudioSessionInterruptionReasonKey: NSNumber(value: reason.rawValue),
            ])
        tellEndOfActivity(.interruption(reason))
    }

    /// The app is told first, then players resume as they may (INT-3, INT-9).
    private func tellEnded(shouldResume: Bool) {
        let options: InterruptionOptions = shouldResume ? .shouldResume : []
        streams.yield(.interruptionEnded(shouldResume: shouldResume))
        post(
            Self.interruptionNotification,
            [
                AudioSessionInterruptionTypeKey: NSNumber(value: InterruptionType.ended.rawValue),
                AudioSessionInterruptionOptionKey: NSNumber(value: options.rawValue),
            ])
        tellRecommendation(shouldResume ? .shouldResume : .shouldNotResume)
        for participant in liveParticipants { participant.sessionInterruptionEnded(shouldResume: shouldResume) }
    }

    private func tellEndOfActivity(_ cause: DeactivationCause) {
        followDuck(afterEnd: true)
        tellBecameInactive(cause)
    }

    private func tellHint(_ type: SilenceSecondaryAudioHintType) {
        streams.yield(.silenceSecondaryAudioHint(type))
        post(
            Self.silenceSecondaryAudioHintNotification,
            [AudioSessionSilenceSecondaryAudioHintTypeKey: NSNumber(value: type.rawValue)])
    }

    /// Carries the route before (keeps ROUTE-3).
    private func tellRouteChange(_ reason: RouteChangeReason, from previous: Route) {
        streams.yield(.routeChanged(reason), from: previous)
        post(
            Self.routeChangeNotification,
            [
                AudioSessionRouteChangeReasonKey: NSNumber(value: reason.rawValue),
                AudioSessionRouteChangePreviousRouteKey: AudioSessionRouteDescription(previous),
            ])
    }

    /// Delivers events of the driver. A server's return is completed by `notifyReset`.
    func receive(_ event: DriverEvent) {
        switch event {
        case .formatChanged, .serverReturned: streams.yield(.hardwareChanged)
        case .serverLost:
            streams.yield(.mediaServicesWereLost)
            post(Self.mediaServicesWereLostNotification, nil)
        case .serverGone, .xrun, .devicesChanged: break
        }
    }

    /// The server has returned, and its devices have or are taken to be removed (keeps SRV-2).
    func notifyReset() {
        streams.yield(.mediaServicesWereReset)
        post(Self.mediaServicesWereResetNotification, nil)
    }

    func post(_ name: NSNotification.Name, _ userInfo: [AnyHashable: Any]?) {
        NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }
}

extension AudioSession.DeactivationCause {
    /// Why the system deactivated a session, where none interrupted it.
    fileprivate init(deactivatedBy rule: Rule) {
        self =
            switch rule {
            case .bg3: .suspension
            case .act12: .cutOff
            default: .background
            }
    }
}
