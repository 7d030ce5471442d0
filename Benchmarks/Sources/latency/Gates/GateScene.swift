import AudioRendering
import AudioSessions
import CProbe
import CSessionGate
import Foundation
import Processes
import Servers

/// An event that affects a playing app.
enum GateCase: String, CaseIterable {
    /// Another app's session activates.
    case interruption
    case call
    /// Another app plays a prompt over it.
    case prompt
    case silentSwitch = "silent switch"
}

/// The arbiter of the app.
enum GateArbitration: String, CaseIterable {
    /// The app's own process.
    case inProcess = "in-process"
    /// An audiosessiond that the benchmark starts.
    case service
}

/// Whether the app's own threads run.
enum GateThreads: String, CaseIterable {
    case free
    /// All threads of the app and the library are suspended, except libjack's and, if the app's own
    /// process is the arbiter, the arbiter's thread.
    case blocked
}

/// A process that plays a constant sound through a session, or one that controls the arbitration of
/// the user's sessions and needs no server.
final class GateApp: SessionApp {
    /// The name of the part that performs it.
    static let part = "gate-app"
    static let port = "gate-app:out_1"

    private var voice: Voice?

    override func perform(_ words: [String]) throws -> [Double] {
        switch words[0] {
        case "decide": host = Self.makeHost(words[1], Self.part, inputs: nil, arbitration: .automatic)
        case "open": return try open(server: words[1], words[2])
        case "activate": return try activate()
        case "deactivate": try required().setActive(false)
        case "begin", "end":
            guard let host, let what = GateCase(rawValue: words[1]) else { throw BenchmarkError("unknown case") }
            try change(what, begins: words[0] == "begin", host)
        case "after":
            // Sleeps, so that what follows happens at any phase of a period.
            probe_rest(UInt64(words[1]) ?? 0)
            return try perform(Array(words.dropFirst(2)))
        default: return try super.perform(words)
        }
        return []
    }

    /// Opens a session that plays on return. Returns the process and the address of the session's
    /// gate.
    private func open(server: String, _ arbitration: String) throws -> [Double] {
        let before = Self.gates()
        let isService = arbitration == GateArbitration.service.rawValue
        let host = Self.makeHost(server, Self.part, inputs: nil, arbitration: isService ? .automatic : .inProcess)
        let session = try open(host, category: .soloAmbient)
        // A session also has a gate of its own that stays paused, for the time without its device.
        let gates = Self.gates().filter { !before.contains($0) && !Self.isPaused($0) }
        guard gates.count == 1 else { throw BenchmarkError("one active session has \(gates.count) open gates") }
        let sound = [Float](repeating: GateChange.level, count: 4_800)
        voice = try session.engine.play(.buffer(try AudioBuffer([sound, sound]), loop: .forever), on: session.bus)
        return [Double(getpid()), Double(gates[0])]
    }

    private static func gates() -> [UInt64] {
        var addresses = [UInt64](repeating: 0, count: 64)
        let count = gate_pages_find(&addresses, UInt32(addresses.count))
        return Array(addresses.prefix(Int(count)))
    }

    private static func isPaused(_ gate: UInt64) -> Bool {
        OpaquePointer(bitPattern: UInt(gate)).map { sgate_page_grant($0).paused } ?? true
    }

    /// Activates the session. Returns when the call was made, and how long it blocked, in ns.
    private func activate() throws -> [Double] {
        let session = try required()
        let begun = now()
        try session.setActive(true)
        return [Double(begun), Double(now() - begun)]
    }

    private func change(_ what: GateCase, begins: Bool, _ host: AudioSessionHost) throws {
        switch (what, begins) {
        case (.interruption, true): try host.beginOtherAudio([])
        case (.prompt, true): try host.beginOtherAudio([.duckOthers])
        case (.interruption, false), (.prompt, false): try host.endOtherAudio()
        case (.call, true): try host.beginInterruption(by: .call)
        case (.call, false): try host.endInterruption()
        case (.silentSwitch, _): try host.setSilentSwitch(begins)
        }
    }
}

/// An app that plays, a recorder on its port, and a process that controls what happens to it.
final class GateScene {
    let server: Server
    let arbitration: GateArbitration
    private let app: Performer
    private let recorder: Performer
    private let decider: Performer
    private let process: pid_t
    private let gate: UInt64

    /// Starts the app; it plays on return.
    init(_ server: Server, _ arbitration: GateArbitration, in context: ServerContext) throws {
        (self.server, self.arbitration) = (server, arbitration)
        app = try Performer(GateApp.part, context.environment)
        recorder = try Performer(GateRecorder.part, context.environment)
        let opened = try app.ask("open", server.name, arbitration.rawValue)
        guard opened.count == 2 else { throw BenchmarkError("An app did not report its gate.") }
        (process, gate) = (pid_t(opened[0]), UInt64(opened[1]))
        decider = arbitration == .service ? try Performer(GateApp.part, context.environment) : app
        if arbitration == .service { try decider.ask("decide", server.name) }
        try recorder.ask("open", server.name)
    }

    func close() throws {
        try recorder.ask("close")
        try app.ask("close")
    }

    /// Makes an event happen to the app, once. Like the following, returns nil if the watch or the
    /// server was disturbed.
    func begin(_ what: GateCase, _ threads: GateThreads) throws -> Hearing? {
        try recorder.ask("steady", GateChange.level)
        return try suspendingThreads(threads) { resume in
            try hear(what == .prompt ? .duck : .silence, of: decider, ["begin", what.rawValue], resume)
        }
    }

    /// Ends the event. Returns the result of the app's return; nil also if it is not recorded.
    func end(_ what: GateCase) throws -> Hearing? {
        let (silentSwitch, prompt) = (GateCase.silentSwitch.rawValue, GateCase.prompt.rawValue)
        // With the silent switch on, the app need not wait for a prompt's slow ramp.
        if what == .prompt { try decider.ask("begin", silentSwitch) }
        try recorder.ask("steady", 0)
        switch what {
        case .interruption, .call:
            try decider.ask("end", what.rawValue)
            return try hear(.sound, of: app, ["activate"])
        case .silentSwitch: return try hear(.sound, of: decider, ["end", silentSwitch])
        case .prompt:
            try decider.ask("end", prompt)
            try decider.ask("end", silentSwitch)
            return nil
        }
    }

    /// Ends the prompt, after which the app's level rises slowly.
    func rise(from level: Float) throws -> Hearing? {
        try recorder.ask("steady", level)
        return try hear(.unduck, of: decider, ["end", GateCase.prompt.rawValue])
    }

    /// Activates the app's session, which lacks only the grant. Returns the result from the call
    /// on, and how long the call blocked, in ms.
    func activate() throws -> (heard: Hearing?, blocked: Double) {
        try app.ask("deactivate")
        try recorder.ask("steady", 0)
        let times = try app.ask("after", Int.random(in: 0..<period), "activate")
        guard times.count == 2 else { throw BenchmarkError("An app did not report when it activated.") }
        return (try listen(.sound, after: UInt64(times[0]), until: UInt64(times[0])), times[1] / 1e6)
    }

    /// Sends the command that changes the gate, watches the change, and records the result. Calls
    /// `resume` if the command waits for a thread that is suspended: if the arbiter is in the app's
    /// process, such a thread may hold a lock that the arbiter's thread needs, that of the
    /// allocator for instance.
    private func hear(
        _ change: GateChange, of performer: Performer, _ words: [String], _ resume: () -> Void = {}
    ) throws -> Hearing? {
        // The controlling process wakes up on its own, so that it and this process do not delay
        // each other.
        let watched = Result {
            try self.watch { try performer.send(["after", "\(Int.random(in: 0..<period))"] + words) }
        }
        let isStuck = !performer.hasAnswer(within: 2_000)
        if isStuck { resume() }
        // An error of the command is more informative than the absence of a change.
        _ = try performer.answer()
        guard !isStuck else { return nil }
        let watch = try watched.get()
        guard sgate_grant_unpack(watch.word).causes(change) else {
            throw BenchmarkError("'\(words.joined(separator: " "))' resulted in another grant than \(change).")
        }
        let heard = try listen(change, after: watch.after_ns, until: watch.until_ns)
        // Discards a watch that did not read the gate for half a period.
        return watch.until_ns - watch.after_ns < UInt64(period / 2) ? heard : nil
    }

    /// Watches when the gate's word changes. Uses real-time priority if available, so that the
    /// controlling process does not delay the watch.
    private func watch(_ change: () throws -> Void) throws -> gate_watch_t {
        var watch = gate_watch_t()
        try check(gate_watch_look(process, gate, &watch))
        let isRealTime = (try? Scheduling.useRealTime()) != nil
        defer { if isRealTime { Scheduling.useNormal() } }
        try change()
        try check(gate_watch_await_change(process, gate, &watch, 20_000))
        return watch
    }

    private func listen(_ change: GateChange, after: UInt64, until: UInt64) throws -> Hearing? {
        Hearing(try recorder.ask("heard", change.rawValue, after, until))
    }

    /// The period in ns.
    private var period: Int { 1_000_000_000 * server.period / Server.sampleRate }

    /// Suspends the app's threads during `body`, if they are to be blocked, or until it calls
    /// `resume`.
    private func suspendingThreads<Result>(
        _ threads: GateThreads, _ body: (_ resume: () -> Void) throws -> Result
    ) throws -> Result {
        guard threads == .blocked else { return try body({}) }
        var frozen = gate_frozen_t()
        // The arbiter runs on the thread that answers the commands.
        try check(gate_freeze(process, arbitration == .inProcess ? process : 0, &frozen))
        defer { gate_thaw(&frozen) }
        guard frozen.count > 0, frozen.spared > 0 else {
            throw BenchmarkError(
                "\(frozen.count) threads of the app are suspended; \(frozen.spared) belong to libjack.")
        }
        return try body { gate_thaw(&frozen) }
    }

    private func check(_ status: Int32) throws {
        guard status != 0 else { return }
        let fix = status == -EPERM ? "; allow programs to debug their children: sysctl kernel.yama.ptrace_scope=1" : ""
        throw BenchmarkError("Cannot watch the app: \(String(cString: strerror(-status)))\(fix).")
    }
}

extension sgate_grant_t {
    fileprivate func causes(_ change: GateChange) -> Bool {
        switch change {
        case .silence: paused || muted
        case .duck: !paused && !muted && attenuation == GateChange.duckDecibels * Int(SGATE_ATTENUATION_PER_DECIBEL)
        case .sound, .unduck: !paused && !muted && attenuation == 0
        }
    }
}
