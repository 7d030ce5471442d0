import AudioRendering
import AudioSessions
import Dispatch
import JackDriver

extension Scenario {
    /// The calls that make the server act, and those for which libjack waits until the server's
    /// graph no longer changes, except for latencies.
    private static let waitingCalls = [
        "client_open", "port_register", "activate", "connect", "disconnect", "port_unregister", "set_buffer_size",
        "recompute_total_latencies", "get_ports", "port_get_all_connections",
    ]

    /// Logs the calls of libjack that a session's first activation has made when it returns, and
    /// those of a later activation.
    ///
    /// The script must hang the first request for latencies that follows the activation, so that
    /// the driver's control thread makes no further calls until it is released here, and keep the
    /// server from sending notifications, which cause calls too. Queries of latencies time out
    /// meanwhile, and the devices are reported when the latencies are read.
    func runActivation() throws {
        let driver = JackDriver(
            configuration: .init(server: .named("fake"), clientName: "app", inputs: nil, callTimeout: timeout))
        let host = AudioSessionHost(driver: driver)
        let session = try AudioSession(host: host)
        try session.setCategory(.playback)
        logWaitingCalls("first") { log.attempt("activate", within: limit) { try session.setActive(true) } }
        log.note("rendering: \(driver.isRendering)")
        let port = driver.devices?.lazy.flatMap(\.ports).first { $0.direction == .output }
        log.attempt("connect the first output", within: limit) { try driver.connect(port?.uid ?? "") }
        let reported = DispatchSemaphore(value: 0)
        let observation = try session.engine.observe {
            if case .driver(.devicesChanged) = $0 { reported.signal() }
        }
        logLatency(driver, port, "overdue")
        // The first query has timed out; another one must not wait again.
        log.attempt("query again", within: 0.5) { logLatency(driver, port, "still overdue") }
        jack.act("release")
        log.note("devices reported: \(reported.wait(timeout: .now() + limit) == .success)")
        logLatency(driver, port, "read")
        observation.cancel()
        host.settle()
        log.attempt("deactivate", within: limit) { try session.setActive(false) }
        // A call that waits until the control thread has made the calls above.
        log.attempt("period", within: limit) { try driver.requestPeriod(frames: 128) }
        logWaitingCalls("later") { log.attempt("activate again", within: limit) { try session.setActive(true) } }
        log.attempt("close", within: limit) { host.close() }
    }

    private func logLatency(_ driver: JackDriver, _ port: DevicePort?, _ name: String) {
        let frames = driver.latencyFrames(ofPort: port?.uid ?? "")
        log.note("latency, \(name): \(frames.map { "\($0)" } ?? "unknown")")
    }

    /// Runs `body`, and logs how often it made each of the waiting calls.
    private func logWaitingCalls(_ name: String, _ body: () -> Void) {
        let before = jack.counts
        body()
        let after = jack.counts
        let made = Self.waitingCalls.compactMap { call -> String? in
            let count = (after["jack_\(call)"] ?? 0) - (before["jack_\(call)"] ?? 0)
            return count > 0 ? "\(call) \(count)" : nil
        }
        log.note("\(name) activation: \(made.isEmpty ? "no calls" : made.joined(separator: ", "))")
    }
}
