public import AudioRendering
internal import CJackDriver
internal import Dispatch
internal import Foundation
internal import Platform

// Changing a server's rate, which no JACK client can: each kind of server has a way of its own, or none.

extension ManagedServer {
    /// Rates that a server may have, in Hz.
    public static let sampleRates = 8_000...384_000

    /// Changes the rate of the server that runs, in Hz; its clients go on. On return it has that rate. Throws `noServer` when none runs that
    /// could be asked, `refused` when its device does not take the rate (then it has the one before), `timedOut` when there is no answer within
    /// `seconds`: a sound card is opened anew, and every client takes note. `sampleRate` of this value, which it is started with, stays.
    @discardableResult
    public func setSampleRate(_ sampleRate: Int, within seconds: Double = 10) throws(DriverError) -> Int {
        let call = "a rate of \(sampleRate) Hz"
        guard Self.sampleRates.contains(sampleRate) else {
            throw .refused(call: call, reason: "a rate has 8,000 to 384,000 Hz")
        }
        do throws(ServerControl.Failure) {
            let answer = try control().ask("rate \(sampleRate)", seconds: seconds)
            guard let rate = Int(answer) else { throw .refused("its control socket said '\(answer)'") }
            return rate
        } catch {
            switch error {
            case .absent: throw .noServer(name: name)
            case .late: throw .timedOut(call: call, seconds: seconds)
            case .refused(let reason): throw .refused(call: call, reason: reason)
            }
        }
    }

    /// Where the server listens.
    func control() throws(ServerControl.Failure) -> ServerControl {
        do throws(SystemFailure) {
            return ServerControl(path: try runtimePath("control"))
        } catch {
            throw .refused(error.reason)
        }
    }
}

extension ServerConnection {
    /// Makes no libjack call but on the control thread; the rest is the caller's to wait for.
    func requestSampleRate(_ sampleRate: Int) throws(DriverError) -> Int {
        let format = try requireFormat()
        guard format.sampleRate != sampleRate else { return sampleRate }
        let call = "a rate of \(sampleRate) Hz"
        guard ManagedServer.sampleRates.contains(sampleRate) else {
            throw .refused(call: call, reason: "a rate has 8,000 to 384,000 Hz")
        }
        if JackDriver.libraryVersion.contains("PipeWire") {
            let remote = state.withLock { $0.identity?.server.outsideName }
            try PipeWireSettings.force(sampleRate, at: remote)
            let reached = try awaitFormat { $0.sampleRate == sampleRate }.sampleRate
            // A graph that runs keeps its rate for as long as it runs: at its own one it is left to itself only once it is there.
            if reached == sampleRate { try PipeWireSettings.release(at: remote, ifOwn: sampleRate) }
            return reached
        } else {
            let server = state.withLock { $0.identity?.server }
            do throws(DriverError) {
                try configuration.managed(at: server).setSampleRate(
                    sampleRate, within: configuration.callTimeout)
            } catch {
                guard case .noServer = error else { throw error }
                throw .refused(
                    call: call,
                    reason:
                        "it keeps the rate it was started with, \(format.sampleRate) Hz, and what has another is resampled; restart it with '-r \(sampleRate)', or use the managed server"
                )
            }
        }
        let reached = try awaitFormat { $0.sampleRate == sampleRate }.sampleRate
        // The server has it: whoever reads the one before reads too early.
        guard reached == sampleRate else { throw .timedOut(call: call, seconds: configuration.callTimeout) }
        return reached
    }

    /// Waits until the server's values have become such as `isReached` says and everybody was told, or until the time for a call is over: a shorter one
    /// with PipeWire, which may say yes to what never comes. Returns what they are then.
    func awaitFormat(_ isReached: @escaping @Sendable (HardwareFormat) -> Bool) throws(DriverError) -> HardwareFormat {
        let deadline =
            DispatchTime.now()
            + (JackClient.isPipeWire ? min(configuration.callTimeout, 2) : configuration.callTimeout)
        while true {
            let news = Answer<Void>()
            let (format, isOver) = try state.withLock { state throws(DriverError) in
                guard let format = state.format else { throw .serverLost }
                let isTold = state.toldFormat.map(isReached) ?? false
                let isOver = (isReached(format) && isTold) || DispatchTime.now() >= deadline
                if !isOver { state.formatWaiters.append(news) }
                return (format, isOver)
            }
            guard !isOver else { return format }
            let now = min(DispatchTime.now(), deadline)
            _ = news.wait(seconds: Double(deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1e9)
        }
    }
}

extension JackDriver.Configuration {
    /// The managed server that a connection has reached: also one that is known by name only.
    fileprivate func managed(at server: ReachedServer?) -> ManagedServer {
        guard case .outside(let name) = server else { return managedServer }
        var other = managedServer
        let named = ProcessInfo.processInfo.environment["JACK_DEFAULT_SERVER"] ?? ""
        other.name = name ?? (named.isEmpty ? "default" : named)
        return other
    }
}

extension ServerConnection {
    /// The period that came of a request for `frames`. PipeWire takes it later, rounded down to a power of two, and says yes at once. jackd has it when
    /// it says yes, but a client that has only just been activated may be told of it later.
    func settledPeriod(_ period: Int, askedFor frames: Int) throws(DriverError) -> Int {
        let isPipeWire = JackDriver.libraryVersion.contains("PipeWire")
        guard isPipeWire || period != frames else { return period }
        let expected = isPipeWire ? frames.powerOfTwoBelow : frames
        return try awaitFormat { $0.periodFrames == expected }.periodFrames
    }
}

extension Int {
    /// The greatest power of two up to this; for positive numbers.
    fileprivate var powerOfTwoBelow: Int { 1 << (Int.bitWidth - 1 - leadingZeroBitCount) }
}
