internal import AudioRendering
internal import SessionArbiter
internal import SessionPolicy

/// The only mapping of lower layers' errors to AVAudioSession's codes.
extension AudioSessionError {
    convenience init(_ error: ArbiterError) {
        switch error {
        case .refused(let refusal):
            self.init(
                AudioSessionErrorCode(refusal.code), rule: refusal.rule.rawValue, refusal.message, underlying: refusal)
        case .unavailable: self.init(.resourceNotAvailable, error.description, underlying: error)
        }
    }

    convenience init(_ error: DriverError) {
        let code: AudioSessionErrorCode =
            switch error {
            case .serverLost, .timedOut: .mediaServicesFailed
            case .noServer, .cannotStartServer, .tooFewDescriptors, .cannotCreateThread: .resourceNotAvailable
            case .refused, .notOpen: .unspecified
            }
        self.init(code, error.description, underlying: error)
    }

    convenience init(_ error: AudioEngineError) {
        self.init(.resourceNotAvailable, error.description, underlying: error)
    }
}

extension AudioSessionErrorCode {
    fileprivate init(_ code: Refusal.Code) {
        self =
            switch code {
            case .badParam: .badParam
            case .incompatibleCategory: .incompatibleCategory
            case .insufficientPriority: .insufficientPriority
            case .expiredSession: .expiredSession
            case .resourceNotAvailable: .resourceNotAvailable
            case .sessionNotActive: .sessionNotActive
            case .cannotStartPlaying: .cannotStartPlaying
            case .cannotStartRecording: .cannotStartRecording
            case .cannotInterruptOthers: .cannotInterruptOthers
            }
    }
}
