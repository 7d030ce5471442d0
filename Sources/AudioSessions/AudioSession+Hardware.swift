internal import AudioRendering
public import Foundation
internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// The hardware values that the session prefers, and the actual ones (group HW). Actual values come
/// only from the server, never from a request (keeps HW-1).
extension AudioSession {
    /// The preferred sample rate in Hz; 0 if none. The server may run at another rate: sources are
    /// then resampled (HW-3).
    public var preferredSampleRate: Double { preferences.sampleRate }
    /// The preferred I/O buffer duration in seconds; 0 if none.
    public var preferredIOBufferDuration: TimeInterval { preferences.ioBufferDuration }
    /// The preferred number of input channels; 0 if none.
    public var preferredInputNumberOfChannels: Int { preferences.inputChannels }
    /// The preferred number of output channels; 0 if none.
    public var preferredOutputNumberOfChannels: Int { preferences.outputChannels }

    /// Sets the preferred sample rate, 1,000 to 1,536,000 Hz; 0 clears it. Other values throw
    /// badParam. The rate is requested at activation, or immediately while the session is active
    /// (keeps ACT-9, HW-2, HW-4). Blocks as `setActive` does.
    public func setPreferredSampleRate(_ sampleRate: Double) throws { try prefer(.sampleRate(sampleRate)) }

    /// Sets the preferred I/O buffer duration, 0.000 3 to 10 seconds; 0 clears it. Other values
    /// throw badParam. The duration is requested at activation, or immediately while the session is
    /// active (keeps ACT-9, HW-2, HW-4). Blocks as `setActive` does.
    public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
        try prefer(.ioBufferDuration(duration))
    }

    /// Sets the preferred number of input channels, 1 to 1,024; 0 clears it. Throws badParam for
    /// other values, and incompatibleCategory if the category has no input (keeps HW-4). The number
    /// is stored but does not change the route.
    public func setPreferredInputNumberOfChannels(_ count: Int) throws { try prefer(.inputChannels(count)) }

    /// Sets the preferred number of output channels, 1 to 1,024; 0 clears it. Throws badParam for
    /// other values, and incompatibleCategory if the category has no output (keeps HW-4). The
    /// number is stored but does not change the route.
    public func setPreferredOutputNumberOfChannels(_ count: Int) throws { try prefer(.outputChannels(count)) }

    /// The server's sample rate in Hz; 0 while no server can be reached.
    public var sampleRate: Double { Double(host.format?.sampleRate ?? 0) }
    /// The server's I/O buffer duration (the length of its period) in seconds; 0 while no server
    /// can be reached.
    public var ioBufferDuration: TimeInterval { host.format?.ioBufferDuration ?? 0 }
    /// The number of channels of the route's outputs; 0 if the category has no output.
    public var outputNumberOfChannels: Int {
        configuration.category.traits.hasOutput ? maximumOutputNumberOfChannels : 0
    }
    /// The number of channels of the route's inputs; 0 if the category has no input.
    public var inputNumberOfChannels: Int { configuration.category.traits.hasInput ? maximumInputNumberOfChannels : 0 }
    /// The total number of channels of the route's outputs.
    public var maximumOutputNumberOfChannels: Int { channels(\.outputs, of: \.outputChannels) }
    /// The total number of channels of the route's inputs.
    public var maximumInputNumberOfChannels: Int { channels(\.inputs, of: \.inputChannels) }
    /// Whether the app has declared that it plays more than two channels.
    public var supportsMultichannelContent: Bool { isMultichannel.withLock { $0 } }
    /// Declares whether the app plays more than two channels. The session can use every channel of
    /// its route in either case.
    public func setSupportsMultichannelContent(_ inValue: Bool) throws { isMultichannel.withLock { $0 = inValue } }
    /// The latency in seconds from the engine to the device's terminals, as the server reports it
    /// (ROUTE-1); for several outputs, the highest one. It does not include the latency of limiters
    /// and inserts (`latencyFrames`). 0 while no server can be reached. Right after the session has
    /// connected to the server, the first query of a latency may take one or two periods.
    public var outputLatency: TimeInterval { latency(\.outputs, or: \.outputLatencyFrames) }
    /// The latency in seconds from the device's terminals to the engine, as the server reports it
    /// (ROUTE-1); for several inputs, the highest one. 0 while no server can be reached.
    public var inputLatency: TimeInterval { latency(\.inputs, or: \.inputLatencyFrames) }
    /// Whether any device has an input. Connects to the server if necessary.
    public var isInputAvailable: Bool {
        _ = host.format
        return status?.isInputAvailable ?? false
    }

    /// Whether an input is available, without connecting to the server; nil until the server has
    /// reported devices.
    package var knownInputIsAvailable: Bool? { host.devices.isEmpty ? nil : status?.isInputAvailable }

    /// The system volume, 0…1 (keeps VOL-1).
    public var outputVolume: Float { status?.volume ?? 1 }
    /// Whether another session plays, in this process or in another (keeps HINT-1).
    public var isOtherAudioPlaying: Bool { status?.isOtherAudioPlaying ?? false }
    /// Whether another primary session plays: one that does not mix with others (keeps HINT-1).
    public var secondaryAudioShouldBeSilencedHint: Bool { status?.secondaryAudioShouldBeSilenced ?? false }

    /// Returns the total number of channels of the ports on one side of the route. If the driver
    /// does not know these ports, returns the number that it opened with.
    private func channels(
        _ side: KeyPath<Route, [DevicePort]>, of driverValue: KeyPath<HardwareFormat, Int>
    ) -> Int {
        guard let format = host.format else { return 0 }
        guard let ports = driverPorts(side) else { return format[keyPath: driverValue] }
        return ports.reduce(0) { $0 + $1.channels }
    }

    /// Returns the highest latency of the ports on one side of the route, in seconds.
    private func latency(
        _ side: KeyPath<Route, [DevicePort]>, or driverValue: KeyPath<HardwareFormat, Int>
    ) -> TimeInterval {
        guard let format = host.format else { return 0 }
        guard let ports = driverPorts(side), case .success(let engine) = host.engine else {
            return format.seconds(format[keyPath: driverValue])
        }
        let frames = ports.compactMap { engine.driver.latencyFrames(ofPort: $0.uid) }.max()
        return format.seconds(frames ?? format[keyPath: driverValue])
    }

    /// Returns the driver's ports for one side of the route. Nil if the driver reports no devices,
    /// or if the route contains a virtual device that exists only in the policy.
    private func driverPorts(_ side: KeyPath<Route, [DevicePort]>) -> [DevicePort]? {
        guard case .success(let engine) = host.engine, let devices = engine.driver.devices, let status else {
            return nil
        }
        let known = devices.flatMap(\.ports)
        let ports = status.route[keyPath: side].map { port in known.first { $0.uid == port.uid } }
        return ports.contains { $0 == nil } ? nil : ports.compactMap(\.self)
    }

    private var preferences: Preferences { status?.session.preferences ?? Preferences() }

    /// Sets a preferred value, and applies it at once while the session is active.
    private func prefer(_ preference: Preference) throws {
        try submit { .prefer($0, preference) }
        if status?.session.isActive == true { host.applyHardwareRequests() }
    }
}

extension HardwareFormat {
    fileprivate func seconds(_ frames: Int) -> Double { Double(frames) / Double(sampleRate) }
}
