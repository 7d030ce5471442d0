package import AudioRendering
internal import CJackDriver
internal import Glibc

/// Owns the C monitor (`rcore_jack_monitor_t`), which collects the server's notifications to all
/// clients that a connection opens in succession.
///
/// Unchecked `Sendable`: the handle is immutable, and the C functions used here state which thread
/// may call them.
final class ServerMonitor: @unchecked Sendable {
    let handle: OpaquePointer

    init() throws(DriverError) {
        guard let handle = rcore_jack_monitor_create() else {
            throw .refused(call: "a monitor", reason: "the system is short of memory or file descriptors")
        }
        self.handle = handle
    }

    deinit { rcore_jack_monitor_destroy(handle) }

    var snapshot: rcore_jack_snapshot_t { rcore_jack_read_snapshot(handle) }
}

/// Owns a C client (`rcore_jack_t`) until `close`. Every call except `attach` and `detach` belongs
/// on the control thread.
///
/// Unchecked `Sendable`: the handle is immutable, and the C functions state which thread may call
/// them; `ServerConnection` and `JackDriver.look` obey that.
final class JackClient: @unchecked Sendable {
    let handle: OpaquePointer
    private let monitor: ServerMonitor

    /// Connects to the server of that name; nil is the default server.
    init(server: String?, name: String, monitor: ServerMonitor) throws(DriverError) {
        var status = RCORE_JACK_OK
        guard let handle = rcore_jack_open(server, name, monitor.handle, &status) else {
            switch status {
            case RCORE_JACK_NO_SERVER: throw .noJackServer(server)
            case RCORE_JACK_NO_DESCRIPTORS: throw Self.descriptorShortage()
            case RCORE_JACK_BAD_ARGUMENT:
                throw .refused(
                    call: "a client named '\(name)'",
                    reason:
                        "client names have 1 to 63 bytes, server names (also in JACK_DEFAULT_SERVER) 1 to \(RCORE_JACK_MAX_SERVER_NAME)"
                )
            default: throw .refused(call: "a client named '\(name)'", reason: Self.text(status))
            }
        }
        self.handle = handle
        self.monitor = monitor
    }

    /// Closes the client. The object must not be used afterwards.
    func close() { rcore_jack_close(handle) }

    /// The client name that the server assigned.
    var name: String { String(cString: rcore_jack_client_name(handle)) }

    func registerPorts(outputs: Int, inputs: Int) throws(DriverError) {
        let limit = Int(RCORE_JACK_MAX_PORTS)
        guard (1...limit).contains(outputs) else {
            throw .refused(call: "\(outputs) output ports", reason: "a client has 1 to \(limit)")
        }
        guard (0...limit).contains(inputs) else {
            throw .refused(call: "\(inputs) input ports", reason: "a client has 0 to \(limit)")
        }
        try check(
            rcore_jack_register_ports(handle, UInt32(outputs), UInt32(inputs)),
            "\(outputs) output and \(inputs) input ports")
    }

    /// Sets the function that fills streams before each cycle while the server freewheels. Call it
    /// before activation; the caller keeps `filler` alive as long as the client.
    func setFiller(_ filler: StreamFiller) {
        rcore_jack_set_prepare(
            handle,
            { context in
                guard let context else { return }
                Unmanaged<StreamFiller>.fromOpaque(context).takeUnretainedValue().fill()
            },
            Unmanaged.passUnretained(filler).toOpaque())
    }

    /// Activates the client, which passes no latencies on until connections are made or
    /// `releaseLatencies` is called.
    func activate() throws(DriverError) {
        rcore_jack_hold_latencies(handle, true)
        try check(rcore_jack_activate(handle), "the request to activate the client")
    }

    /// Deactivates the client, which must have no core; its connections are removed.
    func deactivate() throws(DriverError) {
        try check(rcore_jack_deactivate(handle), "the request to deactivate the client")
    }

    /// Records in the monitor what has changed since the last poll, for a client that libjack does
    /// not notify because it is not active; of an active one, only the format.
    func poll() { rcore_jack_poll(handle) }

    var freewheels: Bool { rcore_jack_freewheels(handle) }

    func attach(_ core: RenderCore) { rcore_jack_attach_core(handle, core.handle) }

    func detach() { rcore_jack_detach_core(handle) }

    func setPeriod(frames: Int) throws(DriverError) {
        try check(rcore_jack_set_period(handle, UInt32(clamping: frames)), "a period of \(frames) frames")
    }

    var cpuLoad: Double { Double(rcore_jack_cpu_load(handle)) }

    var deviceOutputs: Int { Int(rcore_jack_device_port_count(handle, RCORE_JACK_PLAYBACK)) }

    var deviceInputs: Int { Int(rcore_jack_device_port_count(handle, RCORE_JACK_CAPTURE)) }

    /// Returns the server's current values. The latencies are the greatest of the first `outputs`
    /// and `inputs` ports; 0 for ports that are not connected, and without `hasLatencies`.
    func readFormat(outputs: Int, inputs: Int, serverName: String, hasLatencies: Bool = true) -> HardwareFormat {
        let snapshot = monitor.snapshot
        let none = rcore_jack_latency_t(minimum: 0, maximum: 0)
        let latency = hasLatencies ? rcore_jack_read_latency(handle, RCORE_JACK_PLAYBACK, 0, UInt32(outputs)) : none
        let inputLatency = hasLatencies ? rcore_jack_read_latency(handle, RCORE_JACK_CAPTURE, 0, UInt32(inputs)) : none
        return HardwareFormat(
            sampleRate: Int(snapshot.sample_rate), periodFrames: Int(snapshot.period_frames), outputChannels: outputs,
            inputChannels: inputs, outputLatencyFrames: Int(latency.maximum),
            inputLatencyFrames: Int(inputLatency.maximum), server: Self.serverDescription,
            serverName: Self.isPipeWire ? "pipewire" : serverName)
    }

    // MARK: Status codes

    /// Throws the error for a status of the C driver; only `init` converts statuses itself. After a
    /// refusal, waits up to 250 ms for the loss of the server.
    func check(_ status: rcore_jack_status_t, _ call: String) throws(DriverError) {
        if status == RCORE_JACK_OK { return }
        let mayBeLost =
            status == RCORE_JACK_REFUSED
            && rcore_jack_await_loss(monitor.handle, Int32(RCORE_JACK_LOSS_REPORT_MS))
        if status == RCORE_JACK_LOST || mayBeLost || monitor.snapshot.lost { throw .serverLost }
        throw .refused(call: call, reason: Self.text(status))
    }

    /// Throws if fewer file descriptors are free than a client needs. The C driver checks this too;
    /// this check runs before a connection opens anything else.
    static func requireDescriptors() throws(DriverError) {
        if rcore_jack_free_descriptors(RCORE_JACK_MIN_DESCRIPTORS) < RCORE_JACK_MIN_DESCRIPTORS {
            throw descriptorShortage()
        }
    }

    /// Counts the descriptors that are free now. Another thread may have closed files since the
    /// check: the reported count is always below the number needed.
    private static func descriptorShortage() -> DriverError {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return .tooFewDescriptors(
            free: Int(rcore_jack_free_descriptors(RCORE_JACK_MIN_DESCRIPTORS - 1)),
            limit: Int(clamping: limit.rlim_cur),
            needed: Int(RCORE_JACK_MIN_DESCRIPTORS))
    }

    static func text(_ status: rcore_jack_status_t) -> String {
        String(cString: rcore_jack_status_text(status))
    }

    /// The version of the JACK library that the loader chose.
    static var libraryVersion: String { String(cString: rcore_jack_version()) }

    /// Whether the loader chose PipeWire's libjack.
    static var isPipeWire: Bool { rcore_jack_is_pipewire() }

    static var serverDescription: String {
        if isPipeWire { return "PipeWire's JACK \(libraryVersion)" }
        return libraryVersion.hasPrefix("0.") ? "jackd \(libraryVersion)" : "jackd2 \(libraryVersion)"
    }
}

extension DriverError {
    /// No JACK server with this name is running; nil is the default server.
    package static func noJackServer(_ name: String?) -> DriverError {
        let command = name.map { "it with 'jackd -n \($0) -d dummy'" } ?? "one with 'jackd -d alsa'"
        return .noServer(name: name, advice: "start \(command), or use the managed server")
    }
}

/// Boxes the function that fills streams, so that the C driver can hold it as a context pointer.
final class StreamFiller: Sendable {
    let fill: @Sendable () -> Void

    init(_ fill: @escaping @Sendable () -> Void) { self.fill = fill }
}
