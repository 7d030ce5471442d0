internal import AudioRendering
internal import CJackDriver
internal import Dispatch
internal import Platform

/// The work of the watch thread: it waits for changes and calls the handler, one event at a time.
extension ServerConnection {
    /// Runs until `close`: waits for a change or the next deadline, delivers events, and posts the
    /// refreshes that the change requires.
    func watch() {
        var recoveryLimit: DispatchTime?
        var settling: Settling?
        var nextPoll: DispatchTime?
        while true {
            let (switchEnd, connectionCheck, isPolled) = state.withLock {
                ($0.driverSwitch.end, $0.connectionCheck, $0.polledClient != nil)
            }
            nextPoll = isPolled ? nextPoll ?? .now() + Self.pollInterval : nil
            let until = [recoveryLimit, settling?.end, switchEnd, connectionCheck, nextPoll].compactMap(\.self).min()
            let changes = ServerChanges(rawValue: rcore_jack_wait(monitor.handle, Self.milliseconds(until: until)))
            guard state.withLock({ $0.phase != .closed }) else { return }
            deliverPending()
            if changes.contains(.xruns) { handler(.xrun(count: Int(monitor.snapshot.xruns))) }
            if changes.contains(.lost), let limit = handleLoss() { recoveryLimit = limit }
            if changes.contains(.format) { formatChange.signal() }
            if changes.contains(.devices) || (settling != nil && changes.contains(.latency)) {
                settling = Settling(after: settling)
            }
            if !changes.isDisjoint(with: .calls) {
                postRefresh(changes.isDisjoint(with: .deviceFacts) ? nil : .unsettled)
            }
            if state.withLock({ $0.driverSwitch.takeEnd() }) { postRefresh(.settled) }
            if state.withLock({ $0.takeConnectionCheck() }) { postRefresh(nil) }
            if let due = nextPoll, due <= .now() {
                nextPoll = nil
                postPoll()
            }
            if let end = settling?.end, end <= .now() {
                settling = nil
                postRefresh(.settled)
            }
            if let limit = recoveryLimit {
                if limit <= .now() { giveUpIfLost() }
                if state.withLock({ $0.phase != .lost }) { recoveryLimit = nil }
            }
        }
    }

    /// How often a client that is not active is polled, in seconds. The last poll follows its
    /// activation by at most as much, when several cycles have run.
    private static let pollInterval = 1.0

    /// Posts a poll to the control thread, unless one is queued.
    func postPoll() {
        let isPosted = state.withLock { state in
            defer { state.pollIsPosted = true }
            return state.pollIsPosted
        }
        if !isPosted { control.post { self.poll() } }
    }

    private static func milliseconds(until limit: DispatchTime?) -> Int32 {
        guard let limit else { return -1 }
        let now = DispatchTime.now()
        guard limit > now else { return 0 }
        return Int32(clamping: (limit.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000 + 1)
    }

    /// Posts a refresh to the control thread. A refresh that is already queued serves both
    /// requests.
    func postRefresh(_ scan: DeviceScan?) {
        let isPosted = state.withLock { state in
            state.scan = [state.scan, scan].compactMap(\.self).max()
            defer { state.refreshIsPosted = true }
            return state.refreshIsPosted
        }
        if !isPosted { control.post { self.refresh() } }
    }

    private func deliverPending() {
        let events = state.withLock { state in
            defer { state.pendingEvents = [] }
            return state.pendingEvents
        }
        for event in events { deliver(event) }
    }

    private func deliver(_ event: DriverEvent) {
        guard case .serverReturned = event else {
            handler(event)
            return recordDelivery(event)
        }
        // The handler runs while no thread is within the core, but `isRendering` already has the
        // value that it will have afterwards.
        state.withLock { $0.isRendering = $0.phase == .open && $0.wantsRendering }
        handler(event)
        state.withLock { _ = attachCore(&$0) }
        recordDelivery(event)
    }

    /// Wakes callers that wait for another format; they continue only when the handler was notified
    /// of it (HW-6).
    private func recordDelivery(_ event: DriverEvent) {
        switch event {
        case .formatChanged(let format), .serverReturned(let format):
            state.withLock { state in
                state.deliveredFormat = format
                wakeFormatWaiters(&state)
            }
        default: break
        }
    }

    /// Wakes all callers that wait for a format, to check the current one. Also called when the
    /// server is lost or the connection closes, since waiting is then pointless.
    func wakeFormatWaiters(_ state: inout State) {
        for waiter in state.formatWaiters { waiter.set(()) }
        state.formatWaiters = []
    }

    /// Ends rendering, reports the loss (keeps SRV-1), and makes the control thread reconnect if
    /// the configuration requests it. Returns when to give up; nil: never, already done, or the
    /// loss was handled before.
    private func handleLoss() -> DispatchTime? {
        let (isNew, events) = state.withLock { state in
            // If a client dies while recovery sets it up, recovery itself notices that.
            guard state.phase == .open, monitor.snapshot.lost else { return (false, [DriverEvent]()) }
            state.phase = .lost
            state.format = nil
            if state.nodes != nil { state.nodes = [] }
            detachCore(&state)
            wakeFormatWaiters(&state)
            defer { state.pendingEvents = [] }
            return (true, state.pendingEvents)
        }
        guard isNew else { return nil }
        for event in events { deliver(event) }
        handler(.serverLost)
        switch configuration.recovery {
        case .never:
            control.post { self.closeClient() }
            giveUpIfLost()
            return nil
        case .within(let seconds):
            control.post { self.recover() }
            return .now() + max(0, seconds)
        case .always:
            control.post { self.recover() }
            return nil
        }
    }

    /// Ends recovery and reports `serverGone`, unless the server has returned or the connection was
    /// closed.
    private func giveUpIfLost() {
        let isGone = state.withLock { state in
            guard state.phase == .lost else { return false }
            state.phase = .gone
            return true
        }
        guard isGone else { return }
        recoveryEnds.signal()
        handler(.serverGone)
    }
}

/// The changes that `rcore_jack_wait` returns and that matter here; a change of the graph order
/// does not.
private struct ServerChanges: OptionSet {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }
    private init(_ change: rcore_jack_change_t) { rawValue = change.rawValue }

    /// Changes after which the server must be queried.
    static let calls: ServerChanges = [.format, .latency, .connections, .devices]
    /// Changes that may alter the properties of a device.
    static let deviceFacts: ServerChanges = [.format, .latency, .devices]

    static let format = ServerChanges(RCORE_JACK_CHANGED_FORMAT)
    static let latency = ServerChanges(RCORE_JACK_CHANGED_LATENCY)
    static let connections = ServerChanges(RCORE_JACK_CHANGED_CONNECTIONS)
    static let xruns = ServerChanges(RCORE_JACK_CHANGED_XRUNS)
    static let lost = ServerChanges(RCORE_JACK_CHANGED_LOST)
    static let devices = ServerChanges(RCORE_JACK_CHANGED_DEVICES)
}

/// The time until the list of ports counts as stable: a device may appear port by port, so it is
/// reported when no further change has arrived for 50 ms, and after 300 ms at the latest.
private struct Settling {
    private let latest: DispatchTime
    let end: DispatchTime

    /// Starts or extends the wait after a change.
    init(after earlier: Settling?) {
        let now = DispatchTime.now()
        latest = earlier?.latest ?? now + .milliseconds(300)
        end = min(now + .milliseconds(50), latest)
    }
}
