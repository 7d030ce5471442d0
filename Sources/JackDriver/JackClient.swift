internal import AudioRendering
internal import CJackDriver
internal import Glibc

/// Owns the C news (`rcore_jack_news_t`): what the server tells, over all clients of a connection.
///
/// Unchecked `Sendable`: the handle is immutable, and the C functions used here say which thread may call them.
final class ServerNews: @unchecked Sendable {
    let handle: OpaquePointer

    init() throws(DriverError) {
        guard let handle = rcore_jack_news_create() else {
            throw .refused(call: "news of the server", reason: "the system is short of memory or file descriptors")
        }
        self.handle = handle
    }

    deinit { rcore_jack_news_destroy(handle) }

    var snapshot: rcore_jack_snapshot_t { rcore_jack_read_snapshot(handle) }
}

/// Owns a C client (`rcore_jack_t`) until `close`. Every call but attach and detach belongs on the control thread.
///
/// Unchecked `Sendable`: the handle is immutable, and the C functions say which thread may call them; the connection keeps to that.
final class JackClient: @unchecked Sendable {
    let handle: OpaquePointer
    private let news: ServerNews

    /// Connects to a server, nil: the default one.
    init(server: String?, name: String, news: ServerNews) throws(DriverError) {
        var status = RCORE_JACK_OK
        guard let handle = rcore_jack_open(server, name, news.handle, &status) else {
            switch status {
            case RCORE_JACK_NO_SERVER: throw .noServer(name: server)
            case RCORE_JACK_NO_DESCRIPTORS: throw Self.descriptorShortage()
            case RCORE_JACK_BAD_ARGUMENT:
                throw .refused(
                    call: "a client named '\(name)'",
                    reason:
                        "a client's name has 1 to 63 bytes, a server's (that in JACK_DEFAULT_SERVER too) 1 to \(RCORE_JACK_MAX_SERVER_NAME)"
                )
            default: throw .refused(call: "a client named '\(name)'", reason: Self.text(status))
            }
        }
        self.handle = handle
        self.news = news
    }

    /// Gives the client up; the object is of no use afterwards.
    func close() { rcore_jack_close(handle) }

    /// The name the server gave it.
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

    /// Has streams filled while the server freewheels; before activation. The connection keeps `filler` for the client's life.
    func fill(with filler: StreamFiller) {
        rcore_jack_set_prepare(
            handle,
            { context in
                guard let context else { return }
                Unmanaged<StreamFiller>.fromOpaque(context).takeUnretainedValue().fill()
            },
            Unmanaged.passUnretained(filler).toOpaque())
    }

    func activate() throws(DriverError) {
        try check(rcore_jack_activate(handle), "the request to take part in its cycle")
    }

    func attach(_ core: RenderCore) { rcore_jack_attach_core(handle, core.handle) }

    func detach() { rcore_jack_detach_core(handle) }

    func setPeriod(frames: Int) throws(DriverError) {
        try check(rcore_jack_set_period(handle, UInt32(clamping: frames)), "a period of \(frames) frames")
    }

    var cpuLoad: Double { Double(rcore_jack_cpu_load(handle)) }

    var deviceOutputs: Int { Int(rcore_jack_device_port_count(handle, RCORE_JACK_PLAYBACK)) }

    var deviceInputs: Int { Int(rcore_jack_device_port_count(handle, RCORE_JACK_CAPTURE)) }

    /// The server's values now; latencies are those of the first ports, 0 where they have none yet.
    func readFormat(outputs: Int, inputs: Int, serverName: String, hasLatencies: Bool = true) -> HardwareFormat {
        let snapshot = news.snapshot
        let none = rcore_jack_latency_t(minimum: 0, maximum: 0)
        let latency = hasLatencies ? rcore_jack_read_latency(handle, RCORE_JACK_PLAYBACK, 0, UInt32(outputs)) : none
        let inputLatency = hasLatencies ? rcore_jack_read_latency(handle, RCORE_JACK_CAPTURE, 0, UInt32(inputs)) : none
        return HardwareFormat(
            sampleRate: Int(snapshot.sample_rate), periodFrames: Int(snapshot.period_frames), outputChannels: outputs,
            inputChannels: inputs, outputLatencyFrames: Int(latency.maximum),
            inputLatencyFrames: Int(inputLatency.maximum), server: Self.serverDescription,
            serverName: Self.isPipeWire ? "pipewire" : serverName)
    }

    // MARK: Statuses

    /// The one place where this driver's C statuses become errors.
    func check(_ status: rcore_jack_status_t, _ call: String) throws(DriverError) {
        if status == RCORE_JACK_OK { return }
        // A server that is dying says no as well, and a moment later its end is told.
        let mayBeLost = status == RCORE_JACK_REFUSED && rcore_jack_await_loss(news.handle, 250)
        if status == RCORE_JACK_LOST || mayBeLost || news.snapshot.lost { throw .serverLost }
        throw .refused(call: call, reason: Self.text(status))
    }

    /// Throws when too few file descriptors are free to open a client. The C driver checks this too;
    /// this check comes before a connection opens anything else.
    static func requireDescriptors() throws(DriverError) {
        if rcore_jack_free_descriptors(RCORE_JACK_MIN_DESCRIPTORS) < RCORE_JACK_MIN_DESCRIPTORS {
            throw descriptorShortage()
        }
    }

    /// Counts what is free now. Another thread may have closed files since the check: the count
    /// reported is always below what is needed.
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

    /// Whether the loader chose PipeWire's libjack.
    static var isPipeWire: Bool { JackDriver.libraryVersion.contains("PipeWire") }

    static var serverDescription: String {
        let version = JackDriver.libraryVersion
        if isPipeWire { return "PipeWire's JACK \(version)" }
        return version.hasPrefix("0.") ? "jackd \(version)" : "jackd2 \(version)"
    }
}
