public import AudioSessionTypes
internal import CRenderCore
internal import Platform

/// A driver without a clock, for tests, benchmarks and bouncing to a file. The caller of `render`
/// is the render thread.
///
/// It runs the same core as in real time, so the output is the same bit for bit. The
/// engine's background work, such as filling streams, is done between cycles, so rendering never
/// outruns the disk.
public final class OfflineDriver: RenderDriver {
    private struct State {
        var format: HardwareFormat
        var core: RenderCore?
        var started = false
        var prepare: (@Sendable () -> Void)?
        var notify: (@Sendable (DriverEvent) -> Void)?
        var latencies: [OutputLatency] = []
        /// nil until the first device is plugged in.
        var devices: [AudioDevice]?
        /// The channels of each port, by uid.
        var channels: [String: Range<Int>] = [:]
        /// The latency of each port in frames, by uid.
        var portLatencies: [String: Int] = [:]
        var midiPorts: [MIDIPort] = []
        /// What the MIDI outputs have sent since the last call of `takeMIDI`, by name.
        var sent: [String: [MIDIEvent]] = [:]
        var transport = OfflineTransport()
    }
    private let state: Mutex<State>
    private let renderLock = Mutex(())

    /// Creates a driver with `channels` outputs and `inputChannels` inputs. `sampleRate` is
    /// 1,000…768,000 Hz, `periodFrames` 1…8,192.
    public init(sampleRate: Int = 48_000, channels: Int = 2, inputChannels: Int = 0, periodFrames: Int = 256) {
        precondition((1_000...768_000).contains(sampleRate), "a rate of 1,000 to 768,000 Hz")
        precondition((1...64).contains(channels), "1 to 64 channels")
        precondition((0...64).contains(inputChannels), "0 to 64 input channels")
        precondition((1...8192).contains(periodFrames), "a period of 1 to 8,192 frames")
        state = Mutex(
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

    public var hasClock: Bool { false }

    /// Changes the period, 1…8,192 frames, and returns it. For other values, returns the current
    /// one.
    public func requestPeriod(frames: Int) throws(DriverError) -> Int {
        let (format, notify) = try state.withLock { state throws(DriverError) in
            guard state.core != nil else { throw .notOpen }
            let changed = state.format.periodFrames != frames && (1...8192).contains(frames)
            if changed { state.format.periodFrames = frames }
            return (state.format, changed ? state.notify : nil)
        }
        notify?(.formatChanged(format))
        return format.periodFrames
    }

    /// Changes the sample rate, as if the server had changed it; 1,000…768,000 Hz.
    public func setSampleRate(_ sampleRate: Int) {
        precondition((1_000...768_000).contains(sampleRate), "a rate of 1,000 to 768,000 Hz")
        let (format, notify) = state.withLock { state in
            state.format.sampleRate = sampleRate
            return (state.format, state.core == nil ? nil : state.notify)
        }
        notify?(.formatChanged(format))
    }

    /// Plugs in a device, or updates the one with its uid. The device uses channels of the driver:
    /// its outputs, port by port, from `firstOutput` on, and its inputs from `firstInput` on. In
    /// the result of `render`, these channels have the signal of its outputs. `latencyFrames` is
    /// the latency that the driver reports for each of its ports.
    public func plug(_ device: AudioDevice, firstOutput: Int = 0, firstInput: Int = 0, latencyFrames: Int = 0) {
        precondition(firstOutput >= 0 && firstInput >= 0, "channels from 0 on")
        precondition(latencyFrames >= 0, "a latency of 0 or more frames")
        change { state in
            var next: [DevicePort.Direction: Int] = [.output: firstOutput, .input: firstInput]
            for port in device.ports {
                let first = next[port.direction] ?? 0
                next[port.direction] = first + port.channels
                state.channels[port.uid] = first..<(first + port.channels)
                state.portLatencies[port.uid] = latencyFrames
            }
            var devices = state.devices ?? []
            if let index = devices.firstIndex(where: { $0.uid == device.uid }) {
                devices[index] = device
            } else {
                devices.append(device)
            }
            state.devices = devices
        }
    }

    /// Unplugs the device with this uid, if there is one.
    public func unplug(_ uid: String) { change { $0.devices?.removeAll { $0.uid == uid } } }

    /// Changes the state, and reports the devices if they or their latencies differ afterwards.
    private func change(_ change: (inout State) -> Void) {
        let (devices, notify) = state.withLock { state in
            let (devices, latencies) = (state.devices, state.portLatencies)
            change(&state)
            let isChanged = devices != state.devices || latencies != state.portLatencies
            return (state.devices, state.core != nil && isChanged ? state.notify : nil)
        }
        if let devices { notify?(.devicesChanged(devices)) }
    }

    public var devices: [AudioDevice]? { state.withLock { $0.devices } }

    public func latencyFrames(ofPort uid: String) -> Int? {
        state.withLock { state in
            let isPluggedIn = state.devices?.contains { $0.ports.contains { $0.uid == uid } } ?? false
            return isPluggedIn ? state.portLatencies[uid] : nil
        }
    }

    public func connect(_ port: String) throws(DriverError) -> Range<Int> {
        try state.withLock { state throws(DriverError) in
            let isPluggedIn = state.devices?.contains { $0.ports.contains { $0.uid == port } } ?? false
            guard isPluggedIn, let channels = state.channels[port] else {
                throw .refused(call: "a connection to '\(port)'", reason: "no device with this port is plugged in")
            }
            return channels
        }
    }

    public func reportOutputLatencies(_ latencies: [OutputLatency]) { state.withLock { $0.latencies = latencies } }

    /// The latencies that the engine last reported; updated shortly after the call that changed
    /// them.
    public var outputLatencies: [OutputLatency] { state.withLock { $0.latencies } }

    public var statistics: DriverStatistics { DriverStatistics() }

    public func setEventHandler(_ handler: @escaping @Sendable (DriverEvent) -> Void) {
        state.withLock { $0.notify = handler }
    }

    public func setPrepareHandler(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.prepare = handler }
    }

    public func addMIDIPort(_ port: MIDIPort) throws(DriverError) { state.withLock { $0.midiPorts.append(port) } }

    public func removeMIDIPort(_ port: MIDIPort) {
        state.withLock { state in
            state.midiPorts.removeAll { $0 == port }
            if port.direction == .output { state.sent[port.name] = nil }
        }
    }

    /// Returns what a MIDI output has sent since the last call, with its frames on the clock of
    /// `AudioEngine.currentFrame`. A system-exclusive message that was sent in parts is left out.
    /// Call it from time to time: the driver keeps all that was sent.
    public func takeMIDI(from output: MIDIOutput) -> [MIDIEvent] {
        state.withLock { $0.sent.removeValue(forKey: output.name) ?? [] }
    }

    /// The driver has a transport like a server's, with the engine as its only client.
    public func useTransport(_ role: TransportRole, replacesLeader: Bool) throws(DriverError) {
        state.withLock { $0.transport.role = role }
    }

    public var isTransportLeader: Bool { state.withLock { $0.transport.role == .leader } }

    public func startTransport() throws(DriverError) { state.withLock { $0.transport.start() } }

    public func stopTransport() throws(DriverError) { state.withLock { $0.transport.stop() } }

    public func locateTransport(to frame: UInt32) throws(DriverError) {
        state.withLock { $0.transport.locate(to: frame) }
    }

    /// Renders `frames` frames in periods of the current size (the last may be shorter) and returns
    /// one array per channel. `inputs` has one array per input channel, silence beyond its end.
    /// `midi` has the messages that MIDI inputs receive, by the name of the port, in the order of
    /// their frames on the clock of `AudioEngine.currentFrame`; a message whose frame has passed is
    /// received in the first period. Throws `notOpen` before `start`.
    @discardableResult
    public func render(
        frames: Int, inputs: [[Float]] = [], midi: [String: [MIDIEvent]] = [:]
    ) throws(DriverError) -> [[Float]] {
        let channels = state.withLock { $0.format.outputChannels }
        var planes = [[Float]](repeating: [], count: channels)
        for index in planes.indices { planes[index].reserveCapacity(frames) }
        var rendered = 0
        while rendered < frames {
            let period = try cycle(maximumFrames: frames - rendered, inputs: inputs, from: rendered) { core, frames in
                receive(midi, core, frames: frames, isFirst: rendered == 0)
            }
            for (index, plane) in period.enumerated() { planes[index] += plane }
            rendered += period.first?.count ?? (frames - rendered)
        }
        state.withLock { $0.prepare }?()
        return planes
    }

    /// Passes the messages whose frames lie in the next period to the core.
    private func receive(_ midi: [String: [MIDIEvent]], _ core: RenderCore, frames: Int, isFirst: Bool) {
        guard !midi.isEmpty else { return }
        let begin = rcore_time(core.handle)
        for port in state.withLock({ $0.midiPorts }) where port.direction == .input {
            for event in midi[port.name] ?? [] {
                guard event.frame < begin + UInt64(frames), event.frame >= begin || isFirst else { continue }
                let offset = UInt32(max(event.frame, begin) - begin)
                let bytes = event.message.bytes
                rcore_midi_receive(core.handle, UInt32(port.number), offset, bytes, bytes.count)
            }
        }
    }

    /// Stores what the outputs have sent in the period that began at `begin`.
    private func collectMIDI(_ core: RenderCore, from begin: UInt64) {
        for port in state.withLock({ $0.midiPorts }) where port.direction == .output {
            for index in 0..<rcore_midi_event_count(core.handle, UInt32(port.number)) {
                let event = rcore_midi_event_at(core.handle, UInt32(port.number), index)
                let bytes = UnsafeBufferPointer(start: event.bytes, count: Int(event.size))
                guard let message = MIDIMessage(bytes: bytes) else { continue }
                let sent = MIDIEvent(message: message, frame: begin + UInt64(event.offset))
                state.withLock { $0.sent[port.name, default: []].append(sent) }
            }
        }
    }

    /// Calls `body` on behalf of the render thread, while no cycle runs; not while the driver is
    /// closed.
    func withCore(_ body: (RenderCore) -> Void) {
        renderLock.withLock { _ in
            if let core = state.withLock({ $0.core }) { body(core) }
        }
    }

    // Calls the prepare handler, not under the lock: it fills the streams and calls handlers of the
    // app, which may stop the driver. Then renders one period, or `maximumFrames` if that is less.
    // The period's first frame has index `first` in the arrays of `inputs`.
    private func cycle(
        maximumFrames: Int, inputs: [[Float]], from first: Int, receive: (RenderCore, Int) -> Void
    ) throws(DriverError) -> [[Float]] {
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
            receive(core, frames)
            state.withLock { $0.transport.begin(core.handle) }
            let time = rcore_time(core.handle)
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
            state.withLock { $0.transport.end(frames: frames) }
            collectMIDI(core, from: time)
            return (0..<format.outputChannels).map { Array(samples[($0 * frames)..<(($0 + 1) * frames)]) }
        }
    }
}
