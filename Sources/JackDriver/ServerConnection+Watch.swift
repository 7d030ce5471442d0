internal import AudioRendering
internal import CJackDriver
internal import Dispatch

/// What runs on the watch thread: it waits for news and tells the handler, one event at a time.
extension ServerConnection {
    func watch() {
        var limit: DispatchTime?
        while true {
            let changes = ServerChanges(rawValue: rcore_jack_wait(news.handle, Self.milliseconds(until: limit)))
            guard state.withLock({ $0.phase != .closed }) else { return }
            tellUntold()
            if changes.contains(.xruns) { handler(.xrun(count: Int(news.snapshot.xruns))) }
            if changes.contains(.lost), let until = lose() { limit = until }
            if !changes.isDisjoint(with: [.format, .latency, .connections]) { postRefresh() }
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

    private func postRefresh() {
        let isPosted = state.withLock { state in
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
        guard case .serverReturned = event else { return handler(event) }
        // The engine learns of it while nobody is within the core, and knows that somebody will be.
        state.withLock { $0.isRendering = $0.phase == .open && $0.wantsRendering }
        handler(event)
        state.withLock { _ = render(&$0) }
    }

    /// Ends rendering, tells the loss and has control come back (keeps SRV-1). Returns when to give up.
    private func lose() -> DispatchTime? {
        let (isNew, events) = state.withLock { state in
            // A client that died while recovery tried it is recovery's to notice.
            guard state.phase == .open, news.snapshot.lost else { return (false, [DriverEvent]()) }
            state.phase = .lost
            state.format = nil
            silence(&state)
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

    static let format = ServerChanges(RCORE_JACK_CHANGED_FORMAT)
    static let latency = ServerChanges(RCORE_JACK_CHANGED_LATENCY)
    static let connections = ServerChanges(RCORE_JACK_CHANGED_CONNECTIONS)
    static let xruns = ServerChanges(RCORE_JACK_CHANGED_XRUNS)
    static let lost = ServerChanges(RCORE_JACK_CHANGED_LOST)
}
