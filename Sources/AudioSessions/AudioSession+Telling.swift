internal import AudioRendering
internal import Foundation
internal import SessionArbiter
internal import SessionPolicy

/// From the arbiter's notices and the engine's events to notifications, events and participants. On the library's threads.
extension AudioSession {
    func receive(_ notice: SessionNotice) {
        switch notice.effect.kind {
        case .interruptionBegan(let reason): tellBegan(InterruptionReason(rawValue: reason.rawValue) ?? .default)
        case .interruptionEnded(let shouldResume): tellEnded(shouldResume: shouldResume)
        case .routeChanged(let reason, let category):
            tellCategoryChange(RouteChangeReason(rawValue: reason.rawValue) ?? .unknown, category)
        case .silenceSecondaryAudioHint(let begins): tellHint(begins ? .begin : .end)
        case .outputVolumeChanged(let volume): streams.yield(.outputVolumeChanged(volume))
        case .outputMuteChanged(let isMuted):
            streams.yield(.outputMuteChanged(isMuted))
            post(Self.outputMuteStateChangeNotification, [Self.muteStateKey: NSNumber(value: isMuted)])
        case .stateChanged: streams.yield(.stateChanged(state))
        case .deactivatedBySystem:
            // Activated again before this was told: its players belong to the new activation.
            if !isActive {
                for participant in liveParticipants { participant.sessionDidDeactivate() }
                participantsChanged()
            }
            host.settleHardwareLater()
        case .activated: if notice.effect.rule == .act14 { startAfterGrant() }
        case .recordPermissionNeeded: host.permission.ask(host)
        case .recordPermissionChanged(let permission):
            streams.yield(.recordPermissionChanged(AudioApplication.RecordPermission(permission)))
        case .inputMuteChanged(let isMuted):
            streams.yield(.inputMuteChanged(isMuted))
            host.application.tellInputMute(isMuted, decision: notice.decision)
        case .deactivated, .waitMoved, .waitLapsed: break
        }
    }

    /// The gate is shut already (INT-1); players pause, then the app is told (INT-2, INT-9).
    private func tellBegan(_ reason: InterruptionReason) {
        // Activated again before this was told: its players belong to the new activation (INT-5).
        if !isActive {
            for participant in liveParticipants { participant.sessionWasInterrupted() }
        }
        host.settleHardwareLater()
        streams.yield(.interruptionBegan(reason))
        post(
            Self.interruptionNotification,
            [
                AudioSessionInterruptionTypeKey: NSNumber(value: InterruptionType.began.rawValue),
                AudioSessionInterruptionReasonKey: NSNumber(value: reason.rawValue),
            ])
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
        for participant in liveParticipants { participant.sessionInterruptionEnded(shouldResume: shouldResume) }
    }

    private func tellHint(_ type: SilenceSecondaryAudioHintType) {
        streams.yield(.silenceSecondaryAudioHint(type))
        post(
            Self.silenceSecondaryAudioHintNotification,
            [AudioSessionSilenceSecondaryAudioHintTypeKey: NSNumber(value: type.rawValue)])
    }

    /// The route follows another category.
    private func tellCategoryChange(_ reason: RouteChangeReason, _ category: SessionPolicy.Category) {
        let now = RouteFacts(host.format, category)
        var previous = route.withLock { route in
            defer { route = now }
            return route
        }
        // The first to be told: the device was there before.
        previous.device = previous.device ?? now.device
        tellRouteChange(reason, from: previous)
    }

    /// The first device seen is no change of route.
    func noteDevice(_ format: HardwareFormat) {
        route.withLock { $0.device = $0.device ?? RouteFacts.Device(format) }
    }

    /// Another device, or other channels, are another route; another rate or period is not.
    private func tellDevice(_ format: HardwareFormat) {
        let device = RouteFacts.Device(format)
        let previous = route.withLock { route in
            defer { route.device = device }
            return route
        }
        guard previous.device != nil, previous.device != device else { return }
        tellRouteChange(.routeConfigurationChange, from: previous)
    }

    /// Carries the route before (keeps ROUTE-3).
    private func tellRouteChange(_ reason: RouteChangeReason, from previous: RouteFacts) {
        streams.yield(.routeChanged(reason))
        post(
            Self.routeChangeNotification,
            [
                AudioSessionRouteChangeReasonKey: NSNumber(value: reason.rawValue),
                AudioSessionRouteChangePreviousRouteKey: previous.description,
            ])
    }

    /// From the driver: format, server lost and back.
    func receive(_ event: DriverEvent) {
        switch event {
        case .formatChanged(let format):
            streams.yield(.hardwareChanged)
            tellDevice(format)
        case .serverLost:
            streams.yield(.mediaServicesWereLost)
            post(Self.mediaServicesWereLostNotification, nil)
        case .serverReturned(let format):
            streams.yield(.hardwareChanged)
            tellDevice(format)
            streams.yield(.mediaServicesWereReset)
            post(Self.mediaServicesWereResetNotification, nil)
        case .serverGone, .xrun: break
        }
    }

    private func post(_ name: NSNotification.Name, _ userInfo: [AnyHashable: Any]?) {
        NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }
}
