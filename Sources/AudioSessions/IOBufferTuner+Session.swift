public import Foundation

extension AudioSession {
    /// Finds the shortest I/O buffer without xruns and returns its duration in seconds.
    ///
    /// Requests shorter and shorter buffers until one has xruns. The final request stays in effect
    /// but is no longer monitored; an `IOBufferTuner` continues to monitor it. If the app sets its
    /// own preferred duration meanwhile, that value stays in effect.
    ///
    /// Each halving takes as long as the configuration's `hold`: with the default configuration,
    /// about 40 s in total from 1,024 frames. Throws sessionNotActive if the session is not active,
    /// badParam for an invalid configuration, mediaServicesFailed when the server is permanently
    /// gone, unspecified when the session refuses a request, and `CancellationError` when the task
    /// is cancelled: the preferred duration is then the last one that was requested.
    @discardableResult
    public func tuneIOBufferDuration(
        _ configuration: IOBufferTuner.Configuration = IOBufferTuner.Configuration()
    ) async throws -> TimeInterval {
        let tuner = try request {
            let tuner = try IOBufferTuner(session: self, configuration: configuration)
            guard isActive else {
                throw AudioSessionError(
                    .sessionNotActive, rule: "ACT-9",
                    "Cannot tune the I/O buffer: the session is not active. Activate it first.")
            }
            return tuner
        }
        tuner.start()
        let outcome = await tuningResult(of: tuner)
        await tuner.stopped()
        return try outcome.get()
    }

    private func tuningResult(of tuner: IOBufferTuner) async -> Result<TimeInterval, any Error> {
        for await step in tuner.steps {
            switch step.kind {
            case .settled, .ended(.requestChanged): return .success(ioBufferDuration)
            case .ended(.serverGone):
                return .failure(
                    AudioSessionError(
                        .mediaServicesFailed, rule: "SRV-1",
                        "Cannot tune the I/O buffer: the server died and did not return. Start it again."))
            case .ended(.refused(let message)): return .failure(AudioSessionError(.unspecified, message))
            default: continue
            }
        }
        return .failure(CancellationError())
    }
}
