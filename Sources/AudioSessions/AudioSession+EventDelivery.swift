internal import AudioRendering
internal import Foundation
internal import SessionArbiter
internal import SessionPolicy

/// Converts the arbiter's notices and the driver's events into notifications, events and calls to
/// participants. Runs on library threads; `NotificationPoster` decides where notifications are
/// posted.
extension AudioSession {
    /// Handles a notice of the arbiter: pauses, stops or resumes participants and notifies the app.
    func receive(_ notice: SessionNotice) {
        defer {
            registered.applyMode()
            limits.updateDuckTimer()
            if notice.effect.kind.changesActivity {
                participants.reportPlaying()
                host.idleSuspension?.update()
            }
        }
        switch notice.effect.kind {
        case .interruptionBegan(let reason): deliverBegan(reason)
        case .interruptionEnded(let shouldResume): deliverEnded(shouldResume: shouldResume)
        case .routeChanged(let previous, let reason): deliverRouteChange(reason, from: previous)
        case .outputDisconnected:
            let isGone = host.hasLostOutput(of: registered)
            for participant in participants.living { participant.sessionOutputWasDisconnected(isGone: isGone) }
        case .availableInputsChanged:
            delivery.yield(.availableInputsChanged)
            post(Self.availableInputsChangeNotification, nil)
        case .silenceSecondaryAudioHint(let begins): deliverHint(begins ? .begin : .end)
        case .outputVolumeChanged(let volume): delivery.yield(.outputVolumeChanged(volume))
        case .outputMuteChanged(let isMuted):
            delivery.yield(.outputMuteChanged(isMuted))
            post(Self.outputMuteStateChangeNotification, [Self.muteStateKey: NSNumber(value: isMuted)])
        case .stateChanged:
            inputs.stopInputsStoppedByArbiter()
            // The arbiter may have taken a report that had failed here, because it hung.
            participants.reportAudible()
            delivery.yield(.stateChanged(state))
        case .deactivatedBySystem:
            // If the session was activated again before this notice arrived, its players belong to
            // the new activation.
            if !isActive { participants.stopAll() }
            host.applyHardwareRequestsAsync()
            deliverEndOfActivity(DeactivationCause(deactivatedBy: notice.effect.rule))
        case .activated:
            if notice.effect.rule == .act14, activation.startAfterGrant() { delivery.yield(.activationGranted) }
            deliverBecameActive()
        case .deactivated: deliverEndOfActivity(.app)
        case .recordPermissionNeeded: host.permission.ask()
        case .recordPermissionChanged(let permission):
            delivery.yield(.recordPermissionChanged(permission))
        case .inputMuteChanged(let isMuted):
            delivery.yield(.inputMuteChanged(isMuted))
            host.application.deliverInputMute(isMuted, decision: notice.decision, by: host.poster)
        case .remoteCommand(let command):
            delivery.yield(.remoteCommand(command))
            if let handler = remoteControl.handler(of: command.kind) { host.poster.post { handler(command) } }
        case .waitMoved, .waitLapsed: break  // not reported to the app
        }
    }

    /// Delivers the start of an interruption. The gate is already closed (INT-1); the players pause
    /// first, then the app is notified (INT-2, INT-9).
    private func deliverBegan(_ reason: InterruptionReason) {
        // If the session was activated again before this notice arrived, its players belong to the
        // new activation (INT-5).
        if !isActive {
            let isGone = reason == .routeDisconnected && host.hasLostOutput(of: registered)
            for participant in participants.living {
                // ROUTE-4: playback that stops because its output is gone does not resume when an
                // output returns.
                reason == .routeDisconnected
                    ? participant.sessionOutputWasDisconnected(isGone: isGone) : participant.sessionWasInterrupted()
            }
        }
        host.applyHardwareRequestsAsync()
        delivery.yield(.interruptionBegan(reason))
        post(
            Self.interruptionNotification,
            [
                AudioSessionInterruptionTypeKey: NSNumber(value: InterruptionType.began.rawValue),
                AudioSessionInterruptionReasonKey: NSNumber(value: reason.rawValue),
            ])
        deliverEndOfActivity(.interruption(reason))
    }

    /// Delivers the end of an interruption. The app is notified first, then players resume as their
    /// policy allows (INT-3, INT-9). If it is notified on the main queue, they wait for its
    /// handlers, but not longer than 1 s.
    private func deliverEnded(shouldResume mayResume: Bool) {
        let shouldResume = mayResume && !outputHasLeft
        let options: InterruptionOptions = shouldResume ? .shouldResume : []
        delivery.yield(.interruptionEnded(shouldResume: shouldResume))
        post(
            Self.interruptionNotification,
            [
                AudioSessionInterruptionTypeKey: NSNumber(value: InterruptionType.ended.rawValue),
                AudioSessionInterruptionOptionKey: NSNumber(value: options.rawValue),
            ])
        let context = ResumptionContext(recommendation: shouldResume ? .shouldResume : .shouldNotResume)
        post(Self.resumptionRecommendationNotification, [Self.resumptionContextKey: context])
        postMessage(ResumptionRecommendationMessage(context))
        let number = delivery.beginResumption()
        // Among the notices, so that it follows those of earlier decisions: an interruption that
        // has begun meanwhile has cancelled it.
        let resumeLater: @Sendable () -> Void = { [weak self] in
            self?.host.arbiter.afterNotices { [weak self] in
                self?.resumeParticipants(number, shouldResume: shouldResume)
            }
        }
        if host.poster.haveBeenHandled(then: resumeLater) {
            resumeParticipants(number, shouldResume: shouldResume)
        }
    }

    /// Whether the session's output left during a suspension of the engine, and the arbiter did not
    /// know that yet when it ended the interruption. As when it knows, the session is then not
    /// asked to resume, so that nothing starts on another output (keeps ROUTE-4).
    private var outputHasLeft: Bool {
        guard let status = registered.status?.session, status.stopsWhenDisconnected,
            status.prefersInterruptionOnRouteDisconnect
        else { return false }
        return host.hasOutputLeft(of: registered)
    }

    /// Resumes the participants, unless the session was interrupted or deactivated since.
    private func resumeParticipants(_ number: UInt64, shouldResume: Bool) {
        guard delivery.takeResumption(number) else { return }
        for participant in participants.living { participant.sessionInterruptionEnded(shouldResume: shouldResume) }
    }

    /// Delivers the start of the session's activity, unless it was already reported. The 2026
    /// notifications derive from the same notices as the older ones, so both report the same
    /// changes, in one order, each once (keeps INT-11).
    private func deliverBecameActive() {
        guard delivery.recordActive() else { return }
        delivery.yield(.becameActive)
        post(Self.didBecomeActiveNotification, nil)
        postMessage(DidBecomeActiveMessage())
    }

    /// Delivers the end of the session's activity, unless it was already reported.
    private func deliverEndOfActivity(_ cause: DeactivationCause) {
        delivery.cancelResumption()
        limits.updateDuckTimer(afterEnd: true)
        guard let cause = delivery.recordInactive(cause) else { return }
        let context = DeactivationContext(cause: cause)
        delivery.yield(.becameInactive(cause))
        post(Self.didBecomeInactiveNotification, [Self.deactivationContextKey: context])
        postMessage(DidBecomeInactiveMessage(context))
    }

    private func deliverHint(_ type: SilenceSecondaryAudioHintType) {
        delivery.yield(.silenceSecondaryAudioHint(type))
        post(
            Self.silenceSecondaryAudioHintNotification,
            [AudioSessionSilenceSecondaryAudioHintTypeKey: NSNumber(value: type.rawValue)])
    }

    /// Delivers a route change with the previous route (keeps ROUTE-3). The route is applied after
    /// the notification, in which the app may pause: none of its sound then reaches the new route.
    /// Therefore the notification does not wait for the main queue (keeps ROUTE-4).
    private func deliverRouteChange(_ reason: RouteChangeReason, from previous: Route) {
        if let route = registered.status?.route, route.inputs.map(\.uid) != previous.inputs.map(\.uid) {
            for participant in participants.living { participant.sessionInputChanged() }
        }
        delivery.yield(.routeChanged(reason), from: previous)
        host.poster.postRouteChange { [weak self] in
            guard let self else { return }
            NotificationCenter.default.post(
                name: Self.routeChangeNotification, object: self,
                userInfo: [
                    AudioSessionRouteChangeReasonKey: NSNumber(value: reason.rawValue),
                    AudioSessionRouteChangePreviousRouteKey: AudioSessionRouteDescription(previous),
                ])
        } then: { [weak host, weak registered] in
            if let host, let registered { host.applyRouteAsync(of: registered) }
        }
    }

    private func post(_ name: NSNotification.Name, _ userInfo: [String: any Sendable]?) {
        host.poster.post { [weak self] in
            if let self { NotificationCenter.default.post(name: name, object: self, userInfo: userInfo) }
        }
    }

    private func postMessage<Message: NotificationCenter.MainActorMessage & Sendable>(_ message: Message)
    where Message.Subject == AudioSession {
        host.poster.postMessage { [weak self] in
            if let self { NotificationCenter.default.post(message, subject: self) }
        }
    }
}

extension AudioSession: HostedSession {
    /// Delivers the driver's events to the app. The return of a server is reported later, by
    /// `notifyReset`.
    func receive(_ event: DriverEvent) {
        switch event {
        case .formatChanged, .serverReturned: delivery.yield(.hardwareChanged)
        case .serverLost:
            delivery.yield(.mediaServicesWereLost)
            post(Self.mediaServicesWereLostNotification, nil)
        case .xrun(let count): if isActive { delivery.yield(.xrun(count: count)) }
        case .serverGone, .devicesChanged, .nodesChanged: break
        }
    }

    func notifyReset() {
        // A participant that has waited for the input no longer does.
        for participant in participants.living { participant.sessionInputChanged() }
        delivery.yield(.mediaServicesWereReset)
        post(Self.mediaServicesWereResetNotification, nil)
    }

    func playbackEnded() { limits.updateIdleTimer() }

    func signalChanged() {
        participants.reportAudible()
        participants.reportPlaying()
        // The report may have been made before, or may say nothing new: a signal that has begun and
        // ended meanwhile kept the session from being idle when its last voice ended.
        limits.updateIdleTimer()
    }

    func reportPlaying() {
        participants.reportAudible()
        participants.reportPlaying()
        remoteControl.reportAgain()
    }
}

extension Effect.Kind {
    /// Whether the session became active or inactive: only while it is active does its signal count
    /// as playing.
    fileprivate var changesActivity: Bool {
        switch self {
        case .activated, .deactivated, .deactivatedBySystem, .interruptionBegan: true
        default: false
        }
    }
}

extension AudioSessionDeactivationCause {
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
