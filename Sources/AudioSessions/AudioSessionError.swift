public import Foundation

/// AVAudioSession's error codes, with the same values; `AudioSession.ErrorCode` is an alias.
public enum AudioSessionErrorCode: Int, Hashable, Sendable, CaseIterable {
    /// No error; the library never throws it.
    case none = 0
    /// The audio server was lost or did not answer in time; wait until it returns (SRV-1).
    case mediaServicesFailed = 0x6d73_7276
    /// Players or recorders were still running when the session was deactivated; thrown only if a
    /// setting asks for it (ACT-7).
    case isBusy = 0x2161_6374
    /// The category does not allow the request.
    case incompatibleCategory = 0x2163_6174
    /// An app in the background may not interrupt another primary app (ACT-6).
    case cannotInterruptOthers = 0x2169_6e74
    /// Not used by this library.
    case missingEntitlement = 0x656e_743f
    /// Not used by this library.
    case siriIsRecording = 0x7369_7269
    /// An app in the background may not activate this session: it has not declared background
    /// audio, or the category does not allow it (ACT-6).
    case cannotStartPlaying = 0x2170_6c61
    /// As `cannotStartPlaying`, with a category that has input (ACT-6).
    case cannotStartRecording = 0x2172_6563
    /// A value, or a combination of values, is not allowed.
    case badParam = -50
    /// A call, an alarm or the assistant has priority (ACT-5).
    case insufficientPriority = 0x2170_7269
    /// The hardware, or another resource, is not available (ROUTE-9).
    case resourceNotAvailable = 0x2172_6573
    /// Another failure; the message has the details.
    case unspecified = 0x7768_6174
    /// The arbiter does not know the session any longer; create a new one (ACT-12).
    case expiredSession = 0x2173_6573
    /// The request requires an active session.
    case sessionNotActive = 0x696e_6163
}

/// The error of a refused or failed call. A refused call has changed nothing. There are two
/// exceptions: `isBusy` reports a completed deactivation (ACT-7), and an activation that is granted
/// but cannot start audio leaves the session inactive.
///
/// An `NSError` of domain NSOSStatusErrorDomain, because code written for iOS catches errors as
/// such; `code` is `errorCode.rawValue`.
public final class AudioSessionError: NSError, @unchecked Sendable {
    // Immutable, hence Sendable; NSError's own conformance is unchecked as well.

    /// The AVAudioSession code.
    public let errorCode: AudioSessionErrorCode
    /// The id of the rule that refused the call, such as "ACT-5"; nil when the cause is the server
    /// or the machine.
    public let rule: String?
    /// What was requested, the actual state, and what to do.
    public let message: String
    /// The error of a lower layer that caused this one, such as a `DriverError`.
    public let underlying: (any Error)?

    public init(
        _ errorCode: AudioSessionErrorCode, rule: String? = nil, _ message: String, underlying: (any Error)? = nil
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
