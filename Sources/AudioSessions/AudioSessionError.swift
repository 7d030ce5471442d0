public import Foundation

extension AudioSession {
    /// AVAudioSession's error codes, with its values.
    public enum ErrorCode: Int, Hashable, Sendable, CaseIterable {
        case none = 0
        /// The media server died; wait until it is back (SRV-1).
        case mediaServicesFailed = 0x6d73_7276
        /// Players or recorders still run (ACT-7).
        case isBusy = 0x2161_6374
        /// The category does not go with what was asked.
        case incompatibleCategory = 0x2163_6174
        /// From the background, over another primary app (ACT-6).
        case cannotInterruptOthers = 0x2169_6e74
        case missingEntitlement = 0x656e_743f
        case siriIsRecording = 0x7369_7269
        /// From the background without declared background audio (ACT-6).
        case cannotStartPlaying = 0x2170_6c61
        case cannotStartRecording = 0x2172_6563
        /// A value, or a combination of values, is not allowed.
        case badParam = -50
        /// A call, an alarm or the assistant goes first (ACT-5).
        case insufficientPriority = 0x2170_7269
        /// The hardware is not there (ROUTE-9).
        case resourceNotAvailable = 0x2172_6573
        case unspecified = 0x7768_6174
        /// The session is gone.
        case expiredSession = 0x2173_6573
        /// Needs an active session.
        case sessionNotActive = 0x696e_6163
    }
}

/// Why the session refused; nothing changed.
///
/// An `NSError` of domain NSOSStatusErrorDomain, because code written for iOS catches it as one: `code` is `errorCode.rawValue`.
public final class AudioSessionError: NSError, @unchecked Sendable {
    // Immutable, hence Sendable; NSError's own promise is unchecked as well.

    /// Which of AVAudioSession's codes it is.
    public let errorCode: AudioSession.ErrorCode
    /// The id of the rule that refused, such as "ACT-5"; nil when the cause is the server or the machine.
    public let rule: String?
    /// What was asked, what is so, and what to do.
    public let message: String
    /// The error of a lower layer that this one stands for, such as a `DriverError`.
    public let underlying: (any Error)?

    public init(
        _ errorCode: AudioSession.ErrorCode, rule: String? = nil, _ message: String, underlying: (any Error)? = nil
    ) {
        self.errorCode = errorCode
        self.rule = rule
        self.message = message
        self.underlying = underlying
        super.init(
            domain: "NSOSStatusErrorDomain", code: errorCode.rawValue, userInfo: [NSLocalizedDescriptionKey: message])
    }

    @available(*, unavailable, message: "errors are not archived")
    public required init?(coder: NSCoder) { nil }

    public override var description: String { rule.map { "\(message) [\($0)]" } ?? message }
    public override var localizedDescription: String { message }
}
