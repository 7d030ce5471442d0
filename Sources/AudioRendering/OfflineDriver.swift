internal import CRenderCore

/// A driver without a clock: whoever calls `render` is the render thread. Tests, benchmarks, and bouncing to a file.
///
/// The same core as live, so the same bits; streams are filled between cycles, so rendering never outruns the disk.
public final class OfflineDriver: RenderDriver {
    private struct State {
        var format: HardwareFormat
        var core: RenderCore?
        var started = false
        var prepare: (@Sendable () -> Void)?
        var tell: (@Sendable (DriverEvent) -> Void)?
        var latencies: [OutputLatency] = []
        /// nil until the first is plugged in.
        var devices: [HardwareDevice]?
        /// The channels of each port, by uid.
        var channels: [String: Range<Int>] = [:]
    }
    private let state: Locked<State>
    private let renderLock = Locked(())

    /// A device of `channels` outputs and `inputChannels` inputs; `sampleRate` 1,000…768,000, `periodFrames` 1…8,192.
    public init(sampleRate: Int = 48_000, channels: Int = 2, inputChannels: Int = 0, periodFrames: Int = 256) {
        precondition((1_000...768_000).contains(sampleRate), "a rate of 1,000 to 768,000 Hz")
        precondition((1...64).contains(channels), "1 to 64 channels")
        precondition((0...64).contains(inputChannels), "0 to 64 input channels")
        precondition((1...8192).contains(periodFrames), "a period of 1 to 8,192 frames")
        state = Locked(
            State(
                format: HardwareFormat(
                    sampleRate: sampleRate, periodFrames: periodFrames, outputChannels: channels,
                    inputChannels: inputChannels, server: "offline")))
    }

    public func open(core: RenderCore) throws(DriverError) -> HardwareFormat {
        state.withLock { state in
            state.core = core
            return state.format
        }
    }

    public func start() throws(DriverError) {
        try state.withLock { state throws(DriverError) in
            guard state.core != nil else { throw .notOpen }
            state.started = true
        }
    }

    public func stop() {
        renderLock.withLock { _ in state.withLock { $0.started = false } }
    }

    public func close() {
        stop()
        state.withLock { $0.core = nil }
    }

    public var format: HardwareFormat? { state.withLock { $0.core == nil ? nil : $0.format } }

    public var isRendering: Bool { state.withLock { $0.started } }

    public func requestPeriod(frames: Int) throws(DriverError) -> Int {
        let (format, tell) = try state.withLock { state throws(DriverError) in
            guard state.core != nil else { throw .notOpen }
            let changed = state.format.periodFrames != frames && (1...8192).contains(frames)
            if changed { state.format.periodFrames = frames }
            return (state.format, changed ? state.tell : nil)
        }
        tell?(.formatChanged(format))
        return format.periodFrames
    }

    /// Becomes a device of another rate, as a server does that returns with one; 1,000…768,000.
    public func setSampleRate(_ sampleRate: Int) {
        precondition((1_000...768_000).contains(sampleRate), "a rate of 1,000 to 768,000 Hz")
        let (format, tell) = state.withLock { state in
            state.format.sampleRate = sampleRate
            return (state.format, state.core == nil ? nil : state.tell)
        }
        tell?(.formatChanged(format))
    }

    /// Becomes a device of which some channels are those of `device`: its outputs, port after port, from `firstOutput` on, its inputs from
    /// `firstInput`. Plugged in again, it has changed. What plays there is in these channels of what `render` returns.
    public func plug(_ device: HardwareDevice, firstOutput: Int = 0, firstInput: Int = 0) {
        precondition(firstOutput >= 0 && firstInput >= 0, "channels from 0 on")
        change { state in
            var next: [HardwarePort.Direction: Int] = [.output: firstOutput, .input: firstInput]
            for port in device.ports {
                let first = next[port.direction] ?? 0
                next[port.direction] = first + port.channels
                state.channels[port.uid] = first..<(first + port.channels)
            }
            var devices = state.devices ?? []
            if let place = devices.firstIndex(where: { $0.uid == device.uid }) {
                devices[place] = device
            } else {
                devices.append(device)
            }
            state.devices = devices
        }
    }

    /// Loses the device of that uid; does nothing without one.
    public func unplug(_ uid: String) { change { $0.devices?.removeAll { $0.uid == uid } } }

    private func change(_ change: (inout State) -> Void) {
        let (devices, tell) = state.withLock { state in
            let before = state.devices
            change(&state)
            return (state.devices, state.core == nil || before == state.devices ? nil : state.tell)
        }
        if let devices { tell?(.devicesChanged(devices)) }
    }

    public var devices: [HardwareDevice]? { state.withLock { $0.devices } }

    public func connect(_ port: String) throws(DriverError) -> Range<Int> {
        try state.withLock { state throws(DriverError) in
            let isThere = state.devices?.contains { $0.ports.contains { $0.uid == port } } ?? false
            guard isThere, let channels = state.channels[port] else {
                throw .refused(call: "a connection to '\(port)'", reason: "no such port is plugged in")
            }
            return channels
        }
    }

    public func tellOutputLatencies(_ latencies: [OutputLatency]) { state.withLock { $0.latencies = latencies } }

    /// What the engine said last of what it delays, shortly after the call that changed it.
    public var outputLatencies: [OutputLatency] { state.withLock { $0.latencies } }

    public var statistics: DriverStatistics { DriverStatistics() }

    public func setEventHandler(_ handler: @escaping @Sendable (DriverEvent) -> Void) {
        state.withLock { $0.tell = handler }
    }

    public func setPrepareHandler(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.prepare = handler }
    }

    /// Renders `frames` frames in periods of the present size (the last may be shorter) and returns one array per channel. `inputs` come in
    /// meanwhile, one array per input channel; silence where they are shorter. Throws `notOpen` before `start`.
    @discardableResult
    public func render(frames: Int, inputs: [[Float]] = []) throws(DriverError) -> [[Float]] {
        let channels = state.withLock { $0.format.outputChannels }
        var planes = [[Float]](repeating: [], count: channels)
        for index in planes.indices { planes[index].reserveCapacity(frames) }
        var done = 0
        while done < frames {
            let period = try cycle(maximumFrames: frames - done, inputs: inputs, from: done)
            for (index, plane) in period.enumerated() { planes[index] += plane }
            done += period.first?.count ?? (frames - done)
        }
        state.withLock { $0.prepare }?()
        return planes
    }

    // One period, with streams filled before it.
    private func cycle(maximumFrames: Int, inputs: [[Float]], from first: Int) throws(DriverError) -> [[Float]] {
        state.withLock { $0.prepare }?()
        return try renderLock.withLock { _ throws(DriverError) in
            let (core, format, started) = state.withLock { ($0.core, $0.format, $0.started) }
            guard let core, started else { throw .notOpen }
            let frames = min(format.periodFrames, maximumFrames)
            var samples = [Float](repeating: 0, count: frames * format.outputChannels)
            var incoming = [Float](repeating: 0, count: frames * format.inputChannels)
            for (channel, plane) in inputs.prefix(format.inputChannels).enumerated() where first < plane.count {
                let present = plane[first..<min(first + frames, plane.count)]
                incoming.replaceSubrange((channel * frames)..<(channel * frames + present.count), with: present)
            }
            samples.withUnsafeMutableBufferPointer { buffer in
                incoming.withUnsafeBufferPointer { input in
                    let planes: [UnsafeMutablePointer<Float>?] = (0..<format.outputChannels).map { channel in
                        buffer.baseAddress.map { $0 + channel * frames }
                    }
                    let sources: [UnsafePointer<Float>?] = (0..<format.inputChannels).map { channel in
                        input.baseAddress.map { $0 + channel * frames }
                    }
                    rcore_process(
                        core.handle, sources, UInt32(sources.count), planes, UInt32(planes.count), UInt32(frames))
                }
            }
            return (0..<format.outputChannels).map { Array(samples[($0 * frames)..<(($0 + 1) * frames)]) }
        }
    }
}
