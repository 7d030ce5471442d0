public import AudioSessions

/// Names of iOS 3 to 16 that source code still uses. Each deprecation names the replacement.
extension AudioSession {
    /// The user's answer to the app's request to record.
    public enum RecordPermission: UInt, Hashable, Sendable {
        case undetermined = 0x756e_6474
        case denied = 0x6465_6e79
        case granted = 0x6772_6e74
    }

    /// Whether the app may record (PERM-1).
    @available(*, deprecated, message: "use AVAudioApplication.shared.recordPermission")
    public var recordPermission: RecordPermission {
        switch host.application.recordPermission {
        case .undetermined: .undetermined
        case .denied: .denied
        case .granted: .granted
        }
    }

    /// Asks the user for permission to record, once (PERM-2). The library calls `response` on one
    /// of its own threads.
    @available(*, deprecated, message: "use AVAudioApplication.requestRecordPermission")
    public func requestRecordPermission(_ response: @escaping (Bool) -> Void) {
        let response = Response(body: response)
        host.application.requestRecordPermission { response.body($0) }
    }

    /// Calls `setActive(_:options:)` with options that are given as a number.
    @available(*, deprecated, renamed: "setActive(_:options:)")
    public func setActive(_ active: Bool, withFlags flags: Int) throws {
        try setActive(active, options: SetActiveOptions(rawValue: UInt(bitPattern: flags)))
    }

    @available(*, deprecated, renamed: "isInputAvailable")
    public var inputIsAvailable: Bool { isInputAvailable }
    @available(*, deprecated, renamed: "sampleRate")
    public var currentHardwareSampleRate: Double { sampleRate }
    @available(*, deprecated, renamed: "inputNumberOfChannels")
    public var currentHardwareInputNumberOfChannels: Int { inputNumberOfChannels }
    @available(*, deprecated, renamed: "outputNumberOfChannels")
    public var currentHardwareOutputNumberOfChannels: Int { outputNumberOfChannels }
    @available(*, deprecated, renamed: "preferredSampleRate")
    public var preferredHardwareSampleRate: Double { preferredSampleRate }
    @available(*, deprecated, renamed: "setPreferredSampleRate(_:)")
    public func setPreferredHardwareSampleRate(_ sampleRate: Double) throws { try setPreferredSampleRate(sampleRate) }
}

/// In the flags of `endInterruption(withFlags:)`: the app may resume automatically.
@available(*, deprecated, message: "use AVAudioSession.InterruptionOptions.shouldResume")
public let AVAudioSessionInterruptionFlags_ShouldResume = 1
/// In the flags of `setActive(_:withFlags:)`: others are notified that they may resume.
@available(*, deprecated, message: "use AVAudioSession.SetActiveOptions.notifyOthersOnDeactivation")
public let AVAudioSessionSetActiveFlags_NotifyOthersOnDeactivation = 1
/// Never in a notification of this library: `AVAudioSessionInterruptionReasonKey` reports a
/// suspension.
@available(*, deprecated, renamed: "AVAudioSessionInterruptionReasonKey")
public let AVAudioSessionInterruptionWasSuspendedKey = "AVAudioSessionInterruptionWasSuspendedKey"

/// Unchecked `Sendable`: called once. As on iOS, the app does not declare that its closure may run
/// on another thread, and must write it so that it may.
private struct Response: @unchecked Sendable {
    let body: (Bool) -> Void
}
