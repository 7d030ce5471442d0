import Testing

/// One server that does what no server should.
struct Misbehaviour: Sendable, CustomTestStringConvertible {
    var name: String
    var script: [String]
    var story = "life"
    var arguments: [String] = []
    /// How lines begin that must be told, in this order.
    var tells: [String]

    var testDescription: String { name }

    init(_ name: String, _ script: String..., story: String = "life", arguments: [String] = [], tells: [String]) {
        (self.name, self.script, self.story, self.arguments, self.tells) = (name, script, story, arguments, tells)
    }

    /// It plays as if nothing were: through another period, and the server's death and return.
    static let well = [
        "open: 48000 Hz", "start: done", "started: sound", "period: 128", "another period: sound",
        "faulty event: serverLost",
        "a call meanwhile: error serverLost", "faulty event: serverReturned 48000 Hz, 128 frames", "returned: sound",
    ]
    /// It is lost before it was asked to change its period.
    static let lostEarly = ["open: 48000 Hz", "faulty event: serverLost", "period: error serverLost", "close: done"]

    static let notices = [
        Misbehaviour("Nothing is wrong", tells: well),
        Misbehaviour("Every notice comes twice", "notify twice", tells: well),
        Misbehaviour("Notices come in reversed order", "notify reversed", tells: well),
        Misbehaviour(
            "A new period without notice", "cycle 1 period 512 silently", "cycle 2 period 64 silently", tells: well),
        Misbehaviour(
            "A new period that the server calls refused", "on set_buffer_size 1 period 128", "fail set_buffer_size 1",
            tells: ["started: sound", "period: 128", "another period: sound"]),
        Misbehaviour(
            "A new period that is refused", "fail set_buffer_size 1",
            tells: ["started: sound", "period: error refused"]),
        Misbehaviour(
            "Cycles of another length than told", "cycle 3 frames 8192", "cycle 5 frames 0", "cycle 7 frames 1",
            "cycle 9 frames 8193", "cycle 11 frames 65536", "cycle 13 frames 333", tells: well),
        Misbehaviour("A rate and a period of 0", "cycle 3 tell rate 0", "cycle 4 tell period 0", tells: well),
        Misbehaviour(
            "Registered and unregistered twice, and what nobody knows", "cycle 2 tell port 0 0",
            "cycle 3 tell port 0 0",
            "cycle 4 tell port 99999 1", "cycle 5 tell port 99999 1", "cycle 6 tell client nobody 0",
            "cycle 7 tell client nobody 0", "cycle 8 tell link 7777 8888 1", "cycle 9 tell property 12345", tells: well),
        Misbehaviour("Freewheeling that is none", "cycle 3 tell freewheel 1", "cycle 9 tell freewheel 0", tells: well),
        Misbehaviour("Freewheeling", "cycle 3 freewheel 1", "cycle 30 freewheel 0", tells: well),
        Misbehaviour(
            "Four threads tell everything at once, again and again", "cycle 5 storm", "on connect 1 storm",
            "on set_buffer_size 1 storm",
            tells: ["open"]),
        Misbehaviour("An xrun in each cycle", "cycle every tell xrun", tells: well),
        Misbehaviour(
            "PipeWire's ways", "pipewire",
            tells: [
                "open", "started: sound", "faulty event: serverLost", "faulty event: serverReturned", "returned: sound",
            ]),
    ]

    static let ends = [
        Misbehaviour("The end is told twice", arguments: ["--end", "info twice"], tells: well),
        Misbehaviour(
            "Both ends are told, twice, on both threads", arguments: ["--end", "info plain twice cycle"], tells: well),
        Misbehaviour("Only the plain end is told", arguments: ["--end", "plain"], tells: well),
        Misbehaviour("The server that said it ends lives on", arguments: ["--end", "info linger"], tells: well),
        Misbehaviour("Cycles go on after the end", arguments: ["--end", "info process"], tells: well),
        Misbehaviour("The end comes before activation", "on activate 1 die info", tells: lostEarly),
        Misbehaviour("The end comes before activation returns", "on activate 1 after die plain", tells: lostEarly),
        Misbehaviour(
            "The end is told within a cycle", "on port_get_buffer 30 die info here",
            tells: ["open", "faulty event: serverLost", "close: done"]),
        Misbehaviour(
            "The end comes right after opening", "on client_open 1 after die info",
            tells: ["open: error", "close: done"]),
    ]

    static let ports = [
        Misbehaviour(
            "Ports vanish between listing and asking", "on get_ports every after unplug system",
            tells: ["open", "close: done"]),
        Misbehaviour("Ports come while they are listed", "on get_ports every plug another 2 2", tells: well),
        Misbehaviour("Names that are none", "garbage", tells: well),
        Misbehaviour("Aliases that are none", "garbage", "aliases null", tells: well),
        Misbehaviour("More aliases than there is room for", "garbage", "aliases many", tells: well),
        Misbehaviour("Latencies below nothing", "latency 4294967295 4294967295", tells: well),
        Misbehaviour(
            "Port buffers that are not there", "cycle 3 buffers null", "on set_buffer_size 1 buffers there",
            tells: ["open", "start: done", "another period: sound", "returned: sound"]),
        Misbehaviour("A hundred ports", "plug crowd 60 40", tells: well),
        Misbehaviour("A hundred ports, unplugged", "plug crowd 60 40", "cycle 5 unplug crowd", tells: well),
    ]

    static let switches = [
        Misbehaviour(
            "The server opens its driver anew: its device stays, and what came and went meanwhile is told",
            story: "switch",
            tells: [
                "faulty event: devicesChanged 2", "away: server, Cans", "back: server", "links: 4 of 4",
                "afterwards: sound",
            ]),
        Misbehaviour(
            "The server's own device stays away: told when no driver takes that long", story: "switch",
            tells: ["close: done", "start: done", "faulty event: devicesChanged 0"]),
        Misbehaviour(
            "PipeWire has no driver of its own: what is gone is gone", "pipewire", story: "switch",
            tells: ["away: Cans"]),
    ]

    static let hangs = [
        Misbehaviour(
            "Opening never returns", "hang client_open every", arguments: ["--timeout", "1"],
            tells: ["open: error timedOut", "close: done"]),
        Misbehaviour(
            "Activation never returns", "hang activate every", arguments: ["--timeout", "1"],
            tells: ["open: 4", "start: error timedOut", "close: done"]),
        Misbehaviour(
            "Connecting never returns", "hang connect every", arguments: ["--timeout", "1"],
            tells: ["open: 4", "start: error timedOut", "close: done"]),
        Misbehaviour(
            "Listing ports never returns", "hang get_ports every", arguments: ["--timeout", "1"],
            tells: ["open: error timedOut", "close: done"]),
        Misbehaviour(
            "Another period never comes", "hang set_buffer_size every", arguments: ["--timeout", "1"],
            tells: ["started: sound", "period: error timedOut", "close: done"]),
        Misbehaviour(
            "Closing never returns", "hang client_close every", arguments: ["--timeout", "1"],
            tells: ["started: sound", "close: done"]),
    ]
}

@Suite("A JACK server that misbehaves")
struct MisbehaviourTests {
    @Test("Notices and cycles", arguments: Misbehaviour.notices)
    func notices(misbehaviour: Misbehaviour) throws { try check(misbehaviour) }

    @Test("SRV-1, SRV-2: ends", arguments: Misbehaviour.ends)
    func ends(misbehaviour: Misbehaviour) throws { try check(misbehaviour) }

    @Test("Ports and names", arguments: Misbehaviour.ports)
    func ports(misbehaviour: Misbehaviour) throws { try check(misbehaviour) }

    @Test("ROUTE-4, HW-2: a change of rate is not an unplugged device", arguments: Misbehaviour.switches)
    func switches(misbehaviour: Misbehaviour) throws { try check(misbehaviour) }

    @Test("SRV-1: calls that never return are timed out, and the program ends", arguments: Misbehaviour.hangs)
    func hangs(misbehaviour: Misbehaviour) throws { try check(misbehaviour) }

    private func check(_ misbehaviour: Misbehaviour) throws {
        let outcome = try Runner.run(misbehaviour.story, misbehaviour.script, arguments: misbehaviour.arguments)
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(outcome.tells(misbehaviour.tells), "\(outcome.output)")
        #expect(
            misbehaviour.script.isEmpty || !outcome.lines.contains("fired: 0") || !misbehaviour.hasRules,
            "\(outcome.output)")
    }
}

extension Misbehaviour {
    /// Whether something in the script waits for its moment: then that must have come.
    var hasRules: Bool {
        script.contains { line in ["on ", "cycle ", "hang ", "fail "].contains { line.hasPrefix($0) } }
    }
}
