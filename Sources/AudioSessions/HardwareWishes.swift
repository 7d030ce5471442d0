internal import AudioRendering
internal import Dispatch
internal import SessionArbiter

/// Carrying out what the arbiter settled among the sessions' wishes (HW-2, ACT-9).
extension AudioSessionHost {
    /// Asks the server for what the active sessions wish; on return its answer is what `format` says (HW-1). A wish that the server
    /// refuses changes nothing.
    func settleHardware() { hardware.sync { settlePeriod() } }

    /// The same, without waiting: for the thread that tells of interruptions.
    func settleHardwareLater() { hardware.async { [weak self] in self?.settlePeriod() } }

    /// The same, told by the arbiter, who tells of what was carried out here already, too: then whatever others have done since stands.
    func followHardwareWish() {
        hardware.async { [weak self] in
            guard let self else { return }
            let (wish, isLent) = (arbiter.hardware.ioBufferDuration, arbiter.hardware.loan != nil)
            // A loan of whoever is gone is everybody's to give back.
            if carriedOut.withLock({ $0 }) != wish || (wish == nil && isLent) { settlePeriod() }
        }
    }

    private func settlePeriod() {
        let hardware = arbiter.hardware
        carriedOut.withLock { $0 = hardware.ioBufferDuration }
        guard case .success(let engine) = engine, let format = engine.format else { return }
        let loan = hardware.loan
        if let wish = hardware.ioBufferDuration {
            // Rounded down: never longer than asked if a shorter one exists. The small term undoes binary fractions.
            let frames = max(1, Int(wish * Double(format.sampleRate) + 1e-6))
            guard frames != format.periodFrames, let ours = try? engine.requestPeriod(frames: frames) else { return }
            arbiter.keep(PeriodLoan(before: loan?.before ?? format.periodFrames, ours: ours))
        } else if let loan {
            // Given back only if nobody else has changed it since.
            if format.periodFrames == loan.ours { _ = try? engine.requestPeriod(frames: loan.before) }
            arbiter.keep(nil)
        }
    }
}
