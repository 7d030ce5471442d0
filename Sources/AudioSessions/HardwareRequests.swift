internal import AudioRendering
internal import Dispatch
internal import Platform
internal import SessionArbiter

/// Applies the hardware values that the arbiter has resolved from the sessions' requests (HW-2,
/// ACT-9).
extension AudioSessionHost {
    /// The maximum period to request, in frames.
    private static let maximumPeriod = 8_192

    /// The requests that this host last attempted to apply. They are recorded even if the engine
    /// was not open or the server refused.
    struct AttemptedRequests {
        var ioBufferDuration: Double?
        var sampleRate: Double?
        /// The last sample-rate request that the server refused; it is not repeated.
        var refusedRate: SampleRateRequest?
    }

    /// A request for a sample rate, to one server.
    struct SampleRateRequest: Equatable {
        var sampleRate: Int
        var serverName: String
        var server: String
    }

    /// Requests from the server the values that the active sessions prefer, or restores the
    /// server's own values if no session prefers any. On return `format` holds the server's actual
    /// values (HW-1). A request that the server refuses changes nothing.
    func applyHardwareRequests() { hardware.sync { applyRequestsOnQueue() } }

    /// Applies the requests without blocking, for the thread that delivers interruptions.
    func applyHardwareRequestsAsync() { hardware.async { [weak self] in self?.applyRequestsOnQueue() } }

    /// Applies the requests without blocking when the arbiter reports a change. If the arbiter
    /// reports requests that this host has already applied, they are not applied again, so that
    /// later changes by other clients stay in effect.
    func hardwareRequestsDidChange() {
        hardware.async { [weak self] in
            guard let self else { return }
            let (request, last) = (arbiter.hardware, attemptedRequests.withLock { $0 })
            let isNew = last.ioBufferDuration != request.ioBufferDuration || last.sampleRate != request.sampleRate
            // If the host that made an override is gone, any host may restore the previous value.
            let mustRestore =
                (request.ioBufferDuration == nil && request.bufferSizeOverride != nil)
                || (request.sampleRate == nil && request.sampleRateOverride != nil)
            if isNew || mustRestore { applyRequestsOnQueue() }
        }
    }

    private func applyRequestsOnQueue() {
        let request = arbiter.hardware
        attemptedRequests.withLock { last in
            last.ioBufferDuration = request.ioBufferDuration
            last.sampleRate = request.sampleRate
        }
        guard case .success(let engine) = engine, engine.format != nil else { return }
        // A suspended engine has no part in requests of active sessions: the app that has one of
        // them applies its own once its engine has started. But any app restores values.
        if engine.isSuspended {
            guard request.ioBufferDuration == nil, request.sampleRate == nil else { return }
            _ = try? engine.open()  // polls the server: the override may be newer than the format
        }
        // Set the rate first: the duration is converted to frames at that rate.
        applySampleRate(request, engine)
        applyBufferSize(request, engine)
    }

    /// Requests the preferred sample rate; without one, restores the server's own rate.
    private func applySampleRate(_ request: HardwareRequest, _ engine: AudioEngine) {
        guard let format = engine.format else { return }
        if let rate = request.sampleRate {
            let rateRequest = SampleRateRequest(
                sampleRate: Int(rate.rounded()), serverName: format.serverName, server: format.server)
            guard rateRequest.sampleRate != format.sampleRate,
                attemptedRequests.withLock({ $0.refusedRate }) != rateRequest
            else { return }
            do throws(DriverError) {
                let ours = try engine.driver.requestSampleRate(rateRequest.sampleRate)
                recordOverride(ours: ours, request, format)
            } catch {
                switch error {
                case .refused: attemptedRequests.withLock { $0.refusedRate = rateRequest }
                // The server may still apply the request later, so the previous rate must be
                // restored.
                case .timedOut: recordOverride(ours: rateRequest.sampleRate, request, format)
                default: break
                }
            }
        } else if let hardwareOverride = request.sampleRateOverride {
            // Restored only if no other client has changed the rate since.
            if format.sampleRate == hardwareOverride.ours {
                _ = try? engine.driver.requestSampleRate(hardwareOverride.before)
            }
            arbiter.setOverride(rate: nil)
        }
    }

    /// Records that this host requested the rate `ours`, and which rate to restore later.
    private func recordOverride(ours: Int, _ request: HardwareRequest, _ format: HardwareFormat) {
        // If another client has changed the rate since, its rate is the one to restore later.
        let inEffect = request.sampleRateOverride.flatMap { $0.ours == format.sampleRate ? $0 : nil }
        arbiter.setOverride(
            rate: SampleRateOverride(before: inEffect?.before ?? format.sampleRate, ours: ours))
    }

    /// Requests the preferred buffer duration; without one, restores the server's own period.
    private func applyBufferSize(_ request: HardwareRequest, _ engine: AudioEngine) {
        guard let format = engine.format else { return }
        let hardwareOverride = request.bufferSizeOverride
        if let duration = request.ioBufferDuration {
            // Rounded down, so that the period is not longer than requested. The small term keeps
            // an exact number of frames from being rounded down to the next lower one.
            let frames = min(max(1, Int(duration * Double(format.sampleRate) + 1e-6)), Self.maximumPeriod)
            guard frames != format.periodFrames, let ours = requestPeriod(frames, engine) else { return }
            let inEffect = hardwareOverride.flatMap { $0.ours == format.periodFrames ? $0 : nil }
            arbiter.setOverride(
                BufferSizeOverride(before: inEffect?.before ?? format.periodFrames, ours: ours))
        } else if let hardwareOverride {
            // Restored only if no other client has changed the period since.
            if format.periodFrames == hardwareOverride.ours {
                _ = try? engine.requestPeriod(frames: hardwareOverride.before)
            }
            arbiter.setOverride(nil)
        }
    }

    /// Requests a period and returns the resulting one; nil if the request failed. If the server
    /// refuses, requests the greatest power of two that is not longer, since a sound card may
    /// accept only powers of two.
    private func requestPeriod(_ frames: Int, _ engine: AudioEngine) -> Int? {
        do throws(DriverError) {
            return try engine.requestPeriod(frames: frames)
        } catch {
            guard case .refused = error else { return nil }
            return try? engine.requestPeriod(frames: 1 << (Int.bitWidth - 1 - frames.leadingZeroBitCount))
        }
    }
}
