public import Foundation

extension AudioSession {
    /// Has the session wish for ever shorter I/O buffers until one has xruns, and returns what it settled at, in seconds; the wish stays and is watched no
    /// longer (`IOBufferTuner` goes on watching). Where the app set a wish of its own meanwhile, that stands.
    ///
    /// Takes the configuration's hold for every halving: some 40 s from 1,024 frames with the default. Throws sessionNotActive for a session that is not active,
    /// badParam for a configuration that nothing can be tuned with, mediaServicesFailed when the server is gone for good, and `CancellationError` when the
    /// task is cancelled: the wish is then the last one that was tried.
    @discardableResult
    public func tuneIOBufferDuration(
        _ configuration: IOBufferTuner.Configuration = IOBufferTuner.Configuration()
    ) async throws -> TimeInterval {
        let tuner = try request {
            let tuner = try IOBufferTuner(session: self, configuration: configuration)
            guard isActive else {
                throw AudioSessionError(
                    .sessionNotActive, rule: "ACT-9",
                    "The I/O buffer was to be tuned, but the session is not active; activate it first.")
            }
            return tuner
        }
        tuner.start()
        let outcome = await settlement(of: tuner)
        await tuner.stopped()
        return try outcome.get()
    }

    private func settlement(of tuner: IOBufferTuner) async -> Result<TimeInterval, any Error> {
        for await step in tuner.steps {
            switch step.kind {
            case .settled, .ended(.wishChanged): return .success(ioBufferDuration)
            case .ended(.serverGone):
                return .failure(
                    AudioSessionError(
                        .mediaServicesFailed, rule: "SRV-1",
                        "The I/O buffer was to be tuned, but the server died and did not come back; start it again."))
            case .ended(.refused(let message)): return .failure(AudioSessionError(.unspecified, message))
            default: continue
            }
        }
        return .failure(CancellationError())
    }
}
