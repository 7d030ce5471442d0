import Testing

/// A server that misbehaves in one way.
struct Misbehaviour: Sendable, CustomTestStringConvertible {
    var name: String
    var script: [String]
    var scenario = "life"
    var arguments: [String] = []
    /// The beginnings of lines that the run must print, in this order.
    var prints: [String]

    var testDescription: String { name }

    init(_ name: String, _ script: String..., scenario: String = "life", arguments: [String] = [], prints: [String]) {
        (self.name, self.script, self.scenario, self.arguments, self.prints) = (
            name, script, scenario, arguments, prints
        )
    }

    /// Normal operation: playback continues through another buffer size, and through the server's
    /// end and return.
    static let well = [
        "open: 48000 Hz", "start: done", "started: sound", "period: 128", "another period: sound",
        "faulty event: serverLost",
        "a call meanwhile: error serverLost", "faulty event: serverReturned 48000 Hz, 128 frames", "returned: sound",
    ]
    /// The server is lost before the app requests another buffer size.
    static let lostEarly = ["open: 48000 Hz", "faulty event: serverLost", "period: error serverLost", "close: done"]

    static let notices = [
        Misbehaviour("Nothing is wrong", prints: well),
        Misbehaviour("Every notification arrives twice", "notify twice", prints: well),
        Misbehaviour("Notifications arrive in reversed order", "notify reversed", prints: well),
        Misbehaviour(
            "A new buffer size without a notification", "cycle 1 period 512 silently", "cycle 2 period 64 silently",
            prints: well),
        Misbehaviour(
            "A new buffer size that the server reports as refused", "on set_buffer_size 1 period 128",
            "fail set_buffer_size 1",
            prints: ["started: sound", "period: 128", "another period: sound"]),
        Misbehaviour(
            "A new buffer size that is refused", "fail set_buffer_size 1",
            prints: ["started: sound", "period: error refused"]),
        Misbehaviour(
            "Cycles of another length than notified", "cycle 3 frames 8192", "cycle 5 frames 0", "cycle 7 frames 1",
            "cycle 9 frames 8193", "cycle 11 frames 65536", "cycle 13 frames 333", prints: well),
        Misbehaviour(
            "A sample rate and a buffer size of 0", "cycle 3 tell rate 0", "cycle 4 tell period 0", prints: well),
        Misbehaviour(
            "Ports registered and unregistered twice, and unknown objects", "cycle 2 tell port 0 0",
            "cycle 3 tell port 0 0",
            "cycle 4 tell port 99999 1", "cycle 5 tell port 99999 1", "cycle 6 tell client nobody 0",
            "cycle 7 tell client nobody 0", "cycle 8 tell link 7777 8888 1", "cycle 9 tell property 12345", prints: well
        ),
        Misbehaviour(
            "A false notification of freewheeling", "cycle 3 tell freewheel 1", "cycle 9 tell freewheel 0", prints: well
        ),
        Misbehaviour("Freewheeling", "cycle 3 freewheel 1", "cycle 30 freewheel 0", prints: well),
        Misbehaviour(
            "Four threads notify everything at once, repeatedly", "cycle 5 storm", "on connect 1 storm",
            "on set_buffer_size 1 storm",
            prints: ["open"]),
        Misbehaviour("Connections that never take effect", "fail port_connected_to every", prints: well),
        Misbehaviour("An xrun in each cycle", "cycle every tell xrun", prints: well),
        Misbehaviour(
            "PipeWire's behaviour", "pipewire",
            prints: [
                "open", "started: sound", "faulty event: serverLost", "faulty event: serverReturned", "returned: sound",
            ]),
    ]

    static let ends = [
        Misbehaviour("The end is reported twice", arguments: ["--end", "info twice"], prints: well),
        Misbehaviour(
            "The end is reported through both callbacks, twice, on both threads",
            arguments: ["--end", "info plain twice cycle"], prints: well),
        Misbehaviour(
            "The end is reported through the plain callback only", arguments: ["--end", "plain"], prints: well),
        Misbehaviour(
            "The notification thread survives the reported end", arguments: ["--end", "info linger"], prints: well),
        Misbehaviour("Cycles continue after the end", arguments: ["--end", "info process"], prints: well),
        Misbehaviour("The end comes before activation", "on activate 1 die info", prints: lostEarly),
        Misbehaviour(
            "The end comes during the wait for connections", "on port_connected_to 1 die info",
            prints: ["open: 48000 Hz", "start: done", "faulty event: serverLost", "period: error serverLost"]),
        Misbehaviour("The end comes before activation returns", "on activate 1 after die plain", prints: lostEarly),
        Misbehaviour(
            "The end is reported within a cycle", "on port_get_buffer 30 die info here",
            prints: ["open", "faulty event: serverLost", "close: done"]),
        Misbehaviour(
            "The end comes right after opening", "on client_open 1 after die info",
            prints: ["open: error", "close: done"]),
    ]

    static let ports = [
        Misbehaviour(
            "Ports vanish between listing and querying", "on get_ports every after unplug system",
            prints: ["open", "close: done"]),
        Misbehaviour("Ports appear while they are listed", "on get_ports every plug another 2 2", prints: well),
        Misbehaviour("Invalid names", "garbage", prints: well),
        Misbehaviour("NULL aliases", "garbage", "aliases null", prints: well),
        Misbehaviour("More aliases than there is room for", "garbage", "aliases many", prints: well),
        Misbehaviour("Negative latencies", "latency 4294967295 4294967295", prints: well),
        // After the first of the two cycles that the scenario waits for before it sets the period.
        Misbehaviour(
            "NULL port buffers", "cycle 1 buffers null", "on set_buffer_size 1 buffers there",
            prints: ["open", "start: done", "another period: sound", "returned: sound"]),
        Misbehaviour("A hundred ports", "plug crowd 60 40", prints: well),
        Misbehaviour("A hundred ports, unplugged", "plug crowd 60 40", "cycle 5 unplug crowd", prints: well),
    ]

    static let switches = [
        Misbehaviour(
            "The server reopens its driver: its device stays, and other changes meanwhile are reported",
            scenario: "switch",
            prints: [
                "faulty event: devicesChanged 2", "away: server, Cans", "back: server", "links: 4 of 4",
                "afterwards: sound",
            ]),
        Misbehaviour(
            "The server's own device stays away: reported once no driver can take that long", scenario: "switch",
            prints: ["close: done", "start: done", "faulty event: devicesChanged 0"]),
        Misbehaviour(
            "PipeWire has no driver of its own: removed devices are reported at once", "pipewire", scenario: "switch",
            prints: ["away: Cans"]),
    ]

    static let hangs = [
        Misbehaviour(
            "Opening never returns", "hang client_open every", arguments: ["--timeout", "1"],
            prints: ["open: error timedOut", "close: done"]),
        Misbehaviour(
            "Activation never returns", "hang activate every", arguments: ["--timeout", "1"],
            prints: ["open: 4", "start: error timedOut", "close: done"]),
        Misbehaviour(
            "Connecting never returns", "hang connect every", arguments: ["--timeout", "1"],
            prints: ["open: 4", "start: error timedOut", "close: done"]),
        Misbehaviour(
            "Listing ports never returns", "hang get_ports every", arguments: ["--timeout", "1"],
            prints: ["open: error timedOut", "close: done"]),
        Misbehaviour(
            "A change of the buffer size never returns", "hang set_buffer_size every", arguments: ["--timeout", "1"],
            prints: ["started: sound", "period: error timedOut", "close: done"]),
        Misbehaviour(
            "Closing never returns", "hang client_close every", arguments: ["--timeout", "1"],
            prints: ["started: sound", "close: done"]),
    ]
}

extension Misbehaviour {
    /// jackd's graph is about to change when a client has been opened, and when it has been
    /// activated and connected: libjack then sleeps in each request for latencies and connections,
    /// here for ever.
    static let activation = Misbehaviour(
        "libjack sleeps when the client has been opened, activated and connected", "notify never",
        "hang port_get_latency_range 1", scenario: "activation",
        prints: [
            "activate: done", "first activation: client_open 1, port_register 4, activate 1, connect 4, get_ports 3",
            "rendering: true", "connect the first output: 0..<2", "latency, overdue: unknown",
            "latency, still overdue: unknown", "query again: done", "devices reported: true", "latency, read: 256",
            "activate again: done", "later activation: no calls",
            "close: done",
        ])
}

@Suite("A JACK server that misbehaves")
struct MisbehaviourTests {
    @Test("Notifications and cycles", arguments: Misbehaviour.notices)
    func notices(misbehaviour: Misbehaviour) throws { try check(misbehaviour) }

    @Test("SRV-1, SRV-2: how the server's end is reported", arguments: Misbehaviour.ends)
    func ends(misbehaviour: Misbehaviour) throws { try check(misbehaviour) }

    @Test("Ports and names", arguments: Misbehaviour.ports)
    func ports(misbehaviour: Misbehaviour) throws { try check(misbehaviour) }

    @Test("ROUTE-4, HW-2: a sample rate change is not an unplugged device", arguments: Misbehaviour.switches)
    func switches(misbehaviour: Misbehaviour) throws { try check(misbehaviour) }

    @Test("An activation waits for no call that the first block does not need")
    func activation() throws { try check(.activation) }

    @Test("SRV-1: calls that never return are timed out, and the program ends", arguments: Misbehaviour.hangs)
    func hangs(misbehaviour: Misbehaviour) throws { try check(misbehaviour) }

    private func check(_ misbehaviour: Misbehaviour) throws {
        let outcome = try Runner.run(misbehaviour.scenario, misbehaviour.script, arguments: misbehaviour.arguments)
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(outcome.prints(misbehaviour.prints), "\(outcome.output)")
        #expect(
            misbehaviour.script.isEmpty || !outcome.lines.contains("fired: 0") || !misbehaviour.hasRules,
            "\(outcome.output)")
    }
}

extension Misbehaviour {
    /// Whether the script has rules, at least one of which must have fired.
    var hasRules: Bool {
        script.contains { line in ["on ", "cycle ", "hang ", "fail "].contains { line.hasPrefix($0) } }
    }
}
