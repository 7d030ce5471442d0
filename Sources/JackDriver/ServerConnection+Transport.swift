internal import AudioRendering
internal import CJackDriver
internal import Platform

/// The server's transport. The role persists: when the server returns, and when the client becomes
/// active again, the driver takes it up again (keeps SRV-2).
extension ServerConnection {
    // MARK: Calls from the driver

    /// While the server is lost, takes effect when it has returned.
    func useTransport(_ role: TransportRole, replacesLeader: Bool) throws(DriverError) {
        let isStored = state.withLock { state in
            if state.phase == .lost { (state.transport, state.replacesLeader) = (role, replacesLeader) }
            return state.phase == .lost
        }
        if isStored { return }
        let before = state.withLock { $0.transport }
        do throws(DriverError) {
            try call("the request to use the transport") { connection throws(DriverError) in
                try connection.change(role, replacesLeader: replacesLeader)
            }
        } catch {
            // The request may still be carried out: then this one is after it.
            if case .timedOut = error { control.post { try? self.change(before, replacesLeader: false) } }
            throw error
        }
    }

    var isTransportLeader: Bool { state.withLock { $0.phase == .open && $0.client?.isTransportLeader ?? false } }

    func startTransport() throws(DriverError) {
        try request("the request to start the transport") { rcore_jack_start_transport($0) }
    }

    func stopTransport() throws(DriverError) {
        try request("the request to stop the transport") { rcore_jack_stop_transport($0) }
    }

    func locateTransport(to frame: UInt32) throws(DriverError) {
        try request("the request to move the transport to frame \(frame)") {
            rcore_jack_locate_transport($0, frame)
        }
    }

    private func request(
        _ what: String, _ body: @escaping @Sendable (OpaquePointer) -> rcore_jack_status_t
    ) throws(DriverError) {
        try call(what) { connection throws(DriverError) in
            guard let client = connection.state.withLock({ $0.client }) else { throw .serverLost }
            try client.check(body(client.handle), what)
        }
    }

    // MARK: Control thread

    private func change(_ role: TransportRole, replacesLeader: Bool) throws(DriverError) {
        let (client, isActive, before) = state.withLock { ($0.client, $0.isActive, $0.transport) }
        guard let client else { throw .serverLost }
        client.followsTransport = role != .own
        // A client that is not active becomes the leader when it is: as long as it gives no beats,
        // it must not replace another one, and jackd would move the transport if it resigned.
        if role == .leader, isActive {
            do throws(DriverError) {
                try client.becomeLeader(replacesLeader: replacesLeader)
            } catch {
                client.followsTransport = before != .own
                throw error
            }
        }
        if role != .leader, before == .leader { client.resignLeader() }
        state.withLock { ($0.transport, $0.replacesLeader) = (role, replacesLeader && !isActive) }
    }

    /// Makes the client the leader again, if it is to be, after it has become active.
    func postLeader() {
        guard state.withLock({ $0.transport == .leader }) else { return }
        control.post {
            let (client, replaces) = self.state.withLock { state in
                defer { state.replacesLeader = false }
                return (state.transport == .leader && state.isActive ? state.client : nil, state.replacesLeader)
            }
            try? client?.becomeLeader(replacesLeader: replaces)
        }
    }
}

extension JackClient {
    var followsTransport: Bool {
        get { rcore_jack_follows_transport(handle) }
        set { rcore_jack_follow_transport(handle, newValue) }
    }

    fileprivate func becomeLeader(replacesLeader: Bool) throws(DriverError) {
        let status = rcore_jack_become_leader(handle, replacesLeader)
        guard status == RCORE_JACK_REFUSED else {
            return try check(status, "the request to be the leader of the transport")
        }
        throw .refused(
            call: "the request to be the leader of the transport", reason: "another client is; replace it, or follow it"
        )
    }

    func resignLeader() { rcore_jack_resign_leader(handle) }

    fileprivate var isTransportLeader: Bool { rcore_jack_is_leader(handle) }
}
