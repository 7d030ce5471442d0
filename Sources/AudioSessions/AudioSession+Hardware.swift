internal import AudioRendering
public import Foundation
internal import SessionArbiter
internal import SessionPolicy

/// Wishes for the hardware, and what it is: group HW. What is comes from the server only, never from a wish (keeps HW-1).
extension AudioSession {
    /// The wish for a rate, in Hz; 0 is none. The server's rate may stay another: sources are resampled (HW-3).
    public var preferredSampleRate: Double { preferences.sampleRate }
    /// The wish for a period, in seconds; 0 is none.
    public var preferredIOBufferDuration: TimeInterval { preferences.ioBufferDuration }
    public var preferredInputNumberOfChannels: Int { preferences.inputChannels }
    public var preferredOutputNumberOfChannels: Int { preferences.outputChannels }

    /// Wishes for a rate in Hz; 0 clears, absurd values throw badParam (keeps HW-4).
    public func setPreferredSampleRate(_ sampleRate: Double) throws { try prefer(.sampleRate(sampleRate)) }

    /// Wishes for a period in seconds; takes effect at activation, or at once while active (keeps ACT-9, HW-2, HW-4).
    public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
        try prefer(.ioBufferDuration(duration))
    }

    /// Wishes for input channels; throws incompatibleCategory without an input (keeps HW-4).
    public func setPreferredInputNumberOfChannels(_ count: Int) throws { try prefer(.inputChannels(count)) }

    /// Wishes for output channels (keeps HW-4).
    public func setPreferredOutputNumberOfChannels(_ count: Int) throws { try prefer(.outputChannels(count)) }

    /// The server's rate in Hz; 0 while no server can be reached.
    public var sampleRate: Double { Double(host.format?.sampleRate ?? 0) }
    /// The server's period in seconds; 0 while no server can be reached.
    public var ioBufferDuration: TimeInterval { host.format?.ioBufferDuration ?? 0 }
    /// Channels that this category can play to.
    public var outputNumberOfChannels: Int {
        configuration.category.traits.hasOutput ? maximumOutputNumberOfChannels : 0
    }
    /// Channels that this category can record from.
    public var inputNumberOfChannels: Int { configuration.category.traits.hasInput ? maximumInputNumberOfChannels : 0 }
    /// Channels that lead to the device.
    public var maximumOutputNumberOfChannels: Int { host.format?.outputChannels ?? 0 }
    /// Channels that come from the device.
    public var maximumInputNumberOfChannels: Int { host.format?.inputChannels ?? 0 }
    /// Seconds from an output port to the air, as the server reports them.
    public var outputLatency: TimeInterval { host.format.map { $0.seconds($0.outputLatencyFrames) } ?? 0 }
    /// Seconds from the air to an input port, as the server reports them.
    public var inputLatency: TimeInterval { host.format.map { $0.seconds($0.inputLatencyFrames) } ?? 0 }
    /// Whether the device has an input.
    public var isInputAvailable: Bool {
        _ = host.format
        return status?.isInputAvailable ?? false
    }

    /// The same, of a device that has been reached already; nil before.
    package var knownInputIsAvailable: Bool? {
        guard case .success(let engine) = host.engine else { return nil }
        return engine.format.map { $0.inputChannels > 0 }
    }

    /// The system volume, 0…1 (keeps VOL-1).
    public var outputVolume: Float { status?.volume ?? 1 }
    /// Whether another session plays, of this process or of another (keeps HINT-1).
    public var isOtherAudioPlaying: Bool { status?.isOtherAudioPlaying ?? false }
    /// Whether another session plays that does not mix (keeps HINT-1).
    public var secondaryAudioShouldBeSilencedHint: Bool { status?.secondaryAudioShouldBeSilenced ?? false }

    private var preferences: Preferences { status?.session.preferences ?? Preferences() }

    private func prefer(_ preference: Preference) throws {
        try submit { .prefer($0, preference) }
        if status?.session.isActive == true { host.settleHardware() }
    }
}

extension HardwareFormat {
    fileprivate func seconds(_ frames: Int) -> Double { Double(frames) / Double(sampleRate) }
}
