internal import AudioRendering
internal import CJackDriver
internal import Dispatch

/// What runs on the watch thread: it waits for news and tells the handler, one event at a time.
extension ServerConnection {
    func watch() {
        var limit: DispatchTime?
        var settling: Settling?
        while true {
            let (switchEnd, patchLook) = state.withLock { ($0.driverSwitch.end, $0.patchLook) }
            let until = [limit, settling?.end, switchEnd, patchLook].compactMap(\.self).min()
            let changes = ServerChanges(rawValue: rcore_jack_wait(news.handle, Self.milliseconds(until: until)))
            guard state.withLock({ $0.phase != .closed }) else { return }
            tellUntold()
            if changes.contains(.xruns) { handler(.xrun(count: Int(news.snapshot.xruns))) }
            if changes.contains(.lost), let until = lose() { limit = until }
            if changes.contains(.format) { formatNews.signal() }
            if changes.contains(.devices) || (settling != nil && changes.contains(.latency)) {
                settling = Settling(after: settling)
            }
            if !changes.isDisjoint(with: .calls) {
                postRefresh(changes.isDisjoint(with: .deviceFacts) ? nil : .unsettled)
            }
            if state.withLock({ $0.driverSwitch.takeEnd() }) { postRefresh(.settled) }
            if state.withLock({ $0.takePatchLook() }) { postRefresh(nil) }
            if let end = settling?.end, end <= .now() {
                settling = nil
                postRefresh(.settled)
            }
            if let until = limit {
                if until <= .now() { giveUpIfLost() }
                if state.withLock({ $0.phase != .lost }) { limit = nil }
            }
        }
    }

    private static func milliseconds(until limit: DispatchTime?) -> Int32 {
        guard let limit else { return -1 }
        let now = DispatchTime.now()
        guard limit > now else { return 0 }
        return Int32(clamping: (limit.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000 + 1)
    }

    /// Has control read what the server says. One that is on its way already does what both want.
    func postRefresh(_ look: DeviceLook?) {
        let isPosted = state.withLock { state in
            state.look = [state.look, look].compactMap(\.self).max()
            defer { state.refreshIsPosted = true }
            return state.refreshIsPosted
        }
        if !isPosted { control.post { self.refresh() } }
    }

    private func tellUntold() {
        let events = state.withLock { state in
            defer { state.untold = [] }
            return state.untold
        }
        for event in events { tell(event) }
    }

    private func tell(_ event: DriverEvent) {
        guard case .serverReturned = event else {
            handler(event)
            return noteTold(event)
        }
        // The engine learns of it while nobody is within the core, and knows that somebody will be.
        state.withLock { $0.isRendering = $0.phase == .open && $0.wantsRendering }
        handler(event)
        state.withLock { _ = render(&$0) }
        noteTold(event)
    }

    /// Whoever waits for other values of the server's learns of them when everybody has (HW-6).
    private func noteTold(_ event: DriverEvent) {
        switch event {
        case .formatChanged(let format), .serverReturned(let format):
            state.withLock { state in
                state.toldFormat = format
                wakeFormatWaiters(&state)
            }
        default: break
        }
    }

    /// They look what there is now; also when there is nothing more to wait for.
    func wakeFormatWaiters(_ state: inout State) {
        for waiter in state.formatWaiters { waiter.set(()) }
        state.formatWaiters = []
    }

    /// Ends rendering, tells the loss and has control come back (keeps SRV-1). Returns when to give up, if ever.
    private func lose() -> DispatchTime? {
        let (isNew, events) = state.withLock { state in
            // A client that died while recovery tried it is recovery's to notice.
            guard state.phase == .open, news.snapshot.lost else { return (false, [DriverEvent]()) }
            state.phase = .lost
            state.format = nil
            silence(&state)
            wakeFormatWaiters(&state)
            defer { state.untold = [] }
            return (true, state.untold)
        }
        guard isNew else { return nil }
        for event in events { tell(event) }
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

/// What `rcore_jack_wait` says may have changed.
private struct ServerChanges: OptionSet {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }
    private init(_ change: rcore_jack_change_t) { rawValue = change.rawValue }

    /// What the server is to be asked about.
    static let calls: ServerChanges = [.format, .latency, .connections, .devices]
    /// What may say another thing of a device.
    static let deviceFacts: ServerChanges = [.format, .latency, .devices]

    static let format = ServerChanges(RCORE_JACK_CHANGED_FORMAT)
    static let latency = ServerChanges(RCORE_JACK_CHANGED_LATENCY)
    static let connections = ServerChanges(RCORE_JACK_CHANGED_CONNECTIONS)
    static let xruns = ServerChanges(RCORE_JACK_CHANGED_XRUNS)
    static let lost = ServerChanges(RCORE_JACK_CHANGED_LOST)
    static let devices = ServerChanges(RCORE_JACK_CHANGED_DEVICES)
}

/// A device may come port by port: it is told when nothing more has come for a while.
private struct Settling {
    private let latest: DispatchTime
    let end: DispatchTime

    /// Something came.
    init(after earlier: Settling?) {
        let now = DispatchTime.now()
        latest = earlier?.latest ?? now + .milliseconds(300)
        end = min(now + .milliseconds(50), latest)
    }
}
