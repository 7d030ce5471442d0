internal import AudioRendering
internal import Dispatch
internal import SessionArbiter

/// Carrying out what the arbiter settled among the sessions' wishes (HW-2, ACT-9).
extension AudioSessionHost {
    /// Frames that any server takes at most.
    private static let longestPeriod = 8_192

    /// What was done about wishes here.
    struct CarriedOut {
        var ioBufferDuration: Double?
        var sampleRate: Double?
        /// Not asked for a second time.
        var refused: RateQuestion?
    }

    /// A rate asked of a server.
    struct RateQuestion: Equatable {
        var sampleRate: Int
        var serverName: String
        var server: String
    }

    /// Asks the server for what the active sessions wish; on return its answer is what `format` says (HW-1). A wish that the server
    /// refuses changes nothing.
    func settleHardware() { hardware.sync { carryOutWishes() } }

    /// The same, without waiting: for the thread that tells of interruptions.
    func settleHardwareLater() { hardware.async { [weak self] in self?.carryOutWishes() } }

    /// The same, told by the arbiter, who tells of what was carried out here already, too: then whatever others have done since stands.
    func followHardwareWish() {
        hardware.async { [weak self] in
            guard let self else { return }
            let (wish, done) = (arbiter.hardware, carriedOut.withLock { $0 })
            let isNew = done.ioBufferDuration != wish.ioBufferDuration || done.sampleRate != wish.sampleRate
            // A loan of whoever is gone is everybody's to give back.
            let isOver =
                (wish.ioBufferDuration == nil && wish.loan != nil) || (wish.sampleRate == nil && wish.rateLoan != nil)
            if isNew || isOver { carryOutWishes() }
        }
    }

    private func carryOutWishes() {
        let wish = arbiter.hardware
        carriedOut.withLock { done in
            done.ioBufferDuration = wish.ioBufferDuration
            done.sampleRate = wish.sampleRate
        }
        guard case .success(let engine) = engine, engine.format != nil else { return }
        // The rate first: a period is counted in its frames.
        carryOutRate(wish, engine)
        carryOutPeriod(wish, engine)
    }

    private func carryOutRate(_ wish: HardwareWish, _ engine: AudioEngine) {
        guard let format = engine.format else { return }
        if let wished = wish.sampleRate {
            let question = RateQuestion(
                sampleRate: Int(wished.rounded()), serverName: format.serverName, server: format.server)
            guard question.sampleRate != format.sampleRate, carriedOut.withLock({ $0.refused }) != question else {
                return
            }
            do throws(DriverError) {
                let ours = try engine.driver.requestSampleRate(question.sampleRate)
                keepRate(ours, wish, format)
            } catch {
                switch error {
                case .refused: carriedOut.withLock { $0.refused = question }
                // Where it comes yet while the session is active, it is to be given back.
                case .timedOut: keepRate(question.sampleRate, wish, format)
                default: break
                }
            }
        } else if let loan = wish.rateLoan {
            // Given back only if nobody else has changed it since.
            if format.sampleRate == loan.ours { _ = try? engine.driver.requestSampleRate(loan.before) }
            arbiter.keep(rate: nil)
        }
    }

    private func keepRate(_ ours: Int, _ wish: HardwareWish, _ format: HardwareFormat) {
        // What others have set since our loan is theirs to find again.
        let loan = wish.rateLoan.flatMap { $0.ours == format.sampleRate ? $0 : nil }
        arbiter.keep(rate: RateLoan(before: loan?.before ?? format.sampleRate, ours: ours))
    }

    private func carryOutPeriod(_ wish: HardwareWish, _ engine: AudioEngine) {
        guard let format = engine.format else { return }
        let loan = wish.loan
        if let duration = wish.ioBufferDuration {
            // Rounded down: never longer than asked if a shorter one exists. The small term undoes binary fractions.
            let frames = min(max(1, Int(duration * Double(format.sampleRate) + 1e-6)), Self.longestPeriod)
            guard frames != format.periodFrames, let ours = requestPeriod(frames, engine) else { return }
            let ownLoan = loan.flatMap { $0.ours == format.periodFrames ? $0 : nil }
            arbiter.keep(PeriodLoan(before: ownLoan?.before ?? format.periodFrames, ours: ours))
        } else if let loan {
            if format.periodFrames == loan.ours { _ = try? engine.requestPeriod(frames: loan.before) }
            arbiter.keep(nil)
        }
    }

    /// What came of it; nil when the server keeps its period. A sound card may take powers of two only.
    private func requestPeriod(_ frames: Int, _ engine: AudioEngine) -> Int? {
        do throws(DriverError) {
            return try engine.requestPeriod(frames: frames)
        } catch {
            guard case .refused = error else { return nil }
            return try? engine.requestPeriod(frames: 1 << (Int.bitWidth - 1 - frames.leadingZeroBitCount))
        }
    }
}
