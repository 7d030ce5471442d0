public import AudioRendering
internal import Dispatch
internal import Platform

// Changing a server's sample rate, which no JACK client can do: each kind of server has its own
// way, or none.

extension ManagedServer {
    /// The sample rates that a server may have, in Hz.
    public static let sampleRates = 8_000...384_000

    /// Changes the sample rate of the running server, in Hz, and returns when the server has that
    /// rate; its clients stay connected. The server opens the sound card again and notifies every
    /// client, which may take seconds. The `sampleRate` of this value, with which a server is
    /// started, does not change.
    ///
    /// Throws `noServer` if no server accepts requests on the control socket, `refused` if the rate
    /// is outside `sampleRates` or the device does not support it (the server then keeps the
    /// previous rate), and `timedOut` if no reply arrives within `seconds`.
    @discardableResult
    public func setSampleRate(_ sampleRate: Int, within seconds: Double = 10) throws(DriverError) -> Int {
        let call = "a rate of \(sampleRate) Hz"
        guard Self.sampleRates.contains(sampleRate) else {
            throw .refused(call: call, reason: "rates range from 8,000 to 384,000 Hz")
        }
        do throws(ServerControl.Failure) {
            let reply = try control().ask("rate \(sampleRate)", seconds: seconds)
            guard let rate = Int(reply) else { throw .refused("its control socket replied '\(reply)'") }
            return rate
        } catch {
            switch error {
            case .absent: throw .noJackServer(name)
            case .timedOut: throw .timedOut(call: call, seconds: seconds)
            case .refused(let reason): throw .refused(call: call, reason: reason)
            }
        }
    }

    /// Returns the server's control socket.
    func control() throws(ServerControl.Failure) -> ServerControl {
        do throws(SystemFailure) {
            return ServerControl(path: try runtimePath("control"))
        } catch {
            throw .refused(error.reason)
        }
    }
}

extension ServerConnection {
    /// Requests a sample rate and returns the one that the server then has: the requested one,
    /// except that PipeWire may keep another. Makes libjack calls on the control thread only;
    /// otherwise blocks the caller.
    func requestSampleRate(_ sampleRate: Int) throws(DriverError) -> Int {
        let format = try requireFormat()
        guard format.sampleRate != sampleRate else { return sampleRate }
        let call = "a rate of \(sampleRate) Hz"
        guard ManagedServer.sampleRates.contains(sampleRate) else {
            throw .refused(call: call, reason: "rates range from 8,000 to 384,000 Hz")
        }
        if JackClient.isPipeWire {
            let remote = state.withLock { $0.identity?.server.outsideName }
            try PipeWireSettings.force(sampleRate, at: remote)
            let actualRate = try awaitFormat { $0.sampleRate == sampleRate }.sampleRate
            // A running graph keeps its rate. If the rate is PipeWire's own, the forced rate is
            // released only once the graph has it.
            if actualRate == sampleRate { try PipeWireSettings.release(at: remote, ifDefault: sampleRate) }
            return actualRate
        } else {
            // Any server may be a managed one, also if it was requested by name.
            var server = configuration.managedServer
            server.name = state.withLock { $0.identity?.serverName } ?? server.name
            do throws(DriverError) {
                try server.setSampleRate(sampleRate, within: configuration.callTimeout)
            } catch {
                guard case .noServer = error else { throw error }
                throw .refused(
                    call: call,
                    reason:
                        "its sample rate is fixed at \(format.sampleRate) Hz, and other rates are resampled; restart it with '-r \(sampleRate)', or use the managed server"
                )
            }
        }
        let actualRate = try awaitFormat { $0.sampleRate == sampleRate }.sampleRate
        // The server has the new rate, but this client has not seen it within the limit.
        guard actualRate == sampleRate else { throw .timedOut(call: call, seconds: configuration.callTimeout) }
        return actualRate
    }

    /// Waits until the server's format satisfies `isReached` and the handler was notified of it, or
    /// until the time limit for a call is over; with PipeWire, which may accept a request that
    /// never takes effect, the limit is at most 2 s. Returns the format at that time. Throws
    /// `serverLost` if the server is lost.
    func awaitFormat(_ isReached: @escaping @Sendable (HardwareFormat) -> Bool) throws(DriverError) -> HardwareFormat {
        let deadline =
            DispatchTime.now()
            + (JackClient.isPipeWire ? min(configuration.callTimeout, 2) : configuration.callTimeout)
        while true {
            let change = Promise<Void>()
            let (format, isOver, isInactive) = try state.withLock { state throws(DriverError) in
                guard let format = state.format else { throw .serverLost }
                let isNotified = state.deliveredFormat.map(isReached) ?? false
                let isOver = (isReached(format) && isNotified) || DispatchTime.now() >= deadline
                if !isOver { state.formatWaiters.append(change) }
                return (format, isOver, state.inactiveClient != nil)
            }
            guard !isOver else { return format }
            let now = min(DispatchTime.now(), deadline)
            let rest = Double(deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1e9
            // libjack does not notify a client that is not active.
            if isInactive { postPoll() }
            _ = change.wait(seconds: isInactive ? min(rest, 0.02) : rest)
        }
    }

    /// Returns the period that results from a request for `frames`, after which the server had
    /// `period`. PipeWire accepts at once, rounds down to a power of two and applies the value
    /// later. jackd has the period when it accepts, but a client that has just been activated may
    /// be notified of it later.
    ///
    /// PipeWire considers the request of a client that is not active only when it is activated, and
    /// the activation may wait for this call: returns the value that the server will have.
    func settledPeriod(_ period: Int, requested frames: Int) throws(DriverError) -> Int {
        guard JackClient.isPipeWire || period != frames else { return period }
        let expected = JackClient.isPipeWire ? frames.powerOfTwoBelow : frames
        if JackClient.isPipeWire, state.withLock({ $0.inactiveClient != nil }) { return expected }
        return try awaitFormat { $0.periodFrames == expected }.periodFrames
    }
}

extension Int {
    /// The greatest power of two that is not above this number; for positive numbers.
    fileprivate var powerOfTwoBelow: Int { 1 << (Int.bitWidth - 1 - leadingZeroBitCount) }
}
