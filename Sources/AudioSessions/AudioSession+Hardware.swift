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
    /// Channels of the outputs of the route, one after the other.
    public var maximumOutputNumberOfChannels: Int { channels(\.outputs, of: \.outputChannels) }
    /// Channels of the input of the route.
    public var maximumInputNumberOfChannels: Int { channels(\.inputs, of: \.inputChannels) }
    /// Whether the app said that it plays more than two channels.
    public var supportsMultichannelContent: Bool { isMultichannel.withLock { $0 } }
    /// Says so. A session reaches every channel of its route here, said or not.
    public func setSupportsMultichannelContent(_ inValue: Bool) throws { isMultichannel.withLock { $0 = inValue } }
    /// Seconds from the engine to the air, as the server reports them (ROUTE-1): of the route's slowest output. What a limiter and inserts delay comes on
    /// top (`latencyFrames`).
    public var outputLatency: TimeInterval { latency(\.outputs, or: \.outputLatencyFrames) }
    /// Seconds from the air to the engine, as the server reports them (ROUTE-1).
    public var inputLatency: TimeInterval { latency(\.inputs, or: \.inputLatencyFrames) }
    /// Whether the device has an input.
    public var isInputAvailable: Bool {
        _ = host.format
        return status?.isInputAvailable ?? false
    }

    /// The same, without reaching for the server; nil while no device has been seen.
    package var knownInputIsAvailable: Bool? { host.devices.isEmpty ? nil : status?.isInputAvailable }

    /// The system volume, 0…1 (keeps VOL-1).
    public var outputVolume: Float { status?.volume ?? 1 }
    /// Whether another session plays, of this process or of another (keeps HINT-1).
    public var isOtherAudioPlaying: Bool { status?.isOtherAudioPlaying ?? false }
    /// Whether another session plays that does not mix (keeps HINT-1).
    public var secondaryAudioShouldBeSilencedHint: Bool { status?.secondaryAudioShouldBeSilenced ?? false }

    /// Of the ports of the route that the driver knows; of what it opened with where it knows of no ports.
    private func channels(
        _ side: KeyPath<Route, [DevicePort]>, of own: KeyPath<HardwareFormat, Int>
    ) -> Int {
        guard let format = host.format else { return 0 }
        guard let ports = realPorts(side) else { return format[keyPath: own] }
        return ports.reduce(0) { $0 + $1.channels }
    }

    private func latency(
        _ side: KeyPath<Route, [DevicePort]>, or own: KeyPath<HardwareFormat, Int>
    ) -> TimeInterval {
        guard let format = host.format else { return 0 }
        return format.seconds(realPorts(side)?.map(\.latencyFrames).max() ?? format[keyPath: own])
    }

    /// Nil where the driver knows of no devices, and where a stand-in of the policy alone is in the route.
    private func realPorts(_ side: KeyPath<Route, [DevicePort]>) -> [HardwarePort]? {
        guard case .success(let engine) = host.engine, let devices = engine.driver.devices, let status else {
            return nil
        }
        let known = devices.flatMap(\.ports)
        let ports = status.route[keyPath: side].map { port in known.first { $0.uid == port.uid } }
        return ports.contains { $0 == nil } ? nil : ports.compactMap(\.self)
    }

    private var preferences: Preferences { status?.session.preferences ?? Preferences() }

    private func prefer(_ preference: Preference) throws {
        try submit { .prefer($0, preference) }
        if status?.session.isActive == true { host.settleHardware() }
    }
}

extension HardwareFormat {
    fileprivate func seconds(_ frames: Int) -> Double { Double(frames) / Double(sampleRate) }
}
