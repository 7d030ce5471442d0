import CGateTap
import CSessionGate
import Foundation
import Processes
import Servers

/// Whether the app's own threads run.
enum GateThreads: String, CaseIterable {
    case free
    /// All threads of the app and the library are suspended, except libjack's and, if the app's own
    /// process is the arbiter, the arbiter's thread.
    case blocked
}

/// An app that plays, a recorder on its port, and a process that controls what happens to it.
final class GateScene {
    let server: Server
    let arbitration: GateArbitration
    private let app: Performer
    private let tap: Performer
    private let decider: Performer
    private let process: pid_t
    private let gate: UInt64

    /// Starts the app; it plays on return.
    init(_ server: Server, _ arbitration: GateArbitration, in context: ServerContext) throws {
        (self.server, self.arbitration) = (server, arbitration)
        app = try Performer(GateApp.part, context.environment)
        tap = try Performer(GateTap.part, context.environment)
        let opened = try app.ask("open", server.name, arbitration.rawValue)
        guard opened.count == 2 else { throw BenchmarkError("An app did not report its gate.") }
        (process, gate) = (pid_t(opened[0]), UInt64(opened[1]))
        decider = arbitration == .service ? try Performer(GateApp.part, context.environment) : app
        if arbitration == .service { try decider.ask("decide", server.name, arbitration.rawValue) }
        try tap.ask("open", server.name, GateApp.port)
    }

    func close() throws {
        try tap.ask("close")
        try app.ask("close")
    }

    /// The result of one change; nil if the watch or the server was disturbed.
    typealias Heard = GateTrace.Hearing?

    /// Makes an event happen to the app, once.
    func begin(_ what: GateCase, _ threads: GateThreads) throws -> Heard {
        try tap.ask("steady", "\(GateChange.level)")
        return try suspendingThreads(threads) { try hear(what.change, of: decider, ["begin", what.rawValue]) }
    }

    /// Ends the event. Returns the result of the app's return; nil also if it is not recorded.
    func end(_ what: GateCase) throws -> Heard {
        switch what {
        case .interruption, .call:
            try tap.ask("steady", "0")
            try decider.ask("end", what.rawValue)
            return try hear(.sound, of: app, ["activate"])
        case .silentSwitch:
            try tap.ask("steady", "0")
            return try hear(.sound, of: decider, ["end", what.rawValue])
        case .prompt:
            // With the silent switch on, the app need not wait for the slow ramp.
            try decider.ask("begin", GateCase.silentSwitch.rawValue)
            try tap.ask("steady", "0")
            try decider.ask("end", what.rawValue)
            try decider.ask("end", GateCase.silentSwitch.rawValue)
            return nil
        }
    }

    /// Ends the prompt, after which the app's level rises slowly.
    func rise(from level: Float) throws -> Heard {
        try tap.ask("steady", "\(level)")
        return try hear(.unduck, of: decider, ["end", GateCase.prompt.rawValue])
    }

    /// Activates the app's session, which lacks only the grant. Returns the result from the call
    /// on, and how long the call blocked, in ms.
    func activate() throws -> (heard: Heard, blocked: Double) {
        try app.ask("deactivate")
        try tap.ask("steady", "0")
        let times = try app.ask("after", "\(Int.random(in: 0..<period))", "activate")
        guard times.count == 2 else { throw BenchmarkError("An app did not report when it activated.") }
        let begun = UInt64(times[0])
        return (try listen(.sound, after: begun, until: begun), times[1] / 1e6)
    }

    /// Sends the command that changes the gate, watches the change, and records the result.
    private func hear(_ change: GateChange, of performer: Performer, _ words: [String]) throws -> Heard {
        // The controlling process wakes up on its own, so that it and this process do not delay
        // each other.
        let watched = Result {
            try self.watch { try performer.send(["after", "\(Int.random(in: 0..<period))"] + words) }
        }
        // An error of the command is more informative than the absence of a change.
        _ = try performer.answer()
        let watch = try watched.get()
        guard sgate_grant_unpack(watch.word).is(change) else {
            throw BenchmarkError("'\(words.joined(separator: " "))' resulted in another grant than \(change).")
        }
        let heard = try listen(change, after: watch.after_ns, until: watch.until_ns)
        // Discards a watch that did not read the gate for half a period.
        let isKnown = watch.until_ns - watch.after_ns < UInt64(period / 2)
        return isKnown ? heard : nil
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

    private func listen(_ change: GateChange, after: UInt64, until: UInt64) throws -> Heard {
        switch try GateHearing(try tap.ask("heard", change.rawValue, "\(after)", "\(until)")) {
        case .heard(let hearing): hearing
        case .interrupted, .straddled: nil
        }
    }

    /// The period in ns.
    private var period: Int { 1_000_000_000 * server.period / Server.sampleRate }

    /// Suspends the app's threads during `body`, if they are to be blocked.
    private func suspendingThreads<Result>(_ threads: GateThreads, _ body: () throws -> Result) throws -> Result {
        guard threads == .blocked else { return try body() }
        var frozen = gate_frozen_t()
        // The arbiter runs on the thread that answers the commands.
        try check(gate_freeze(process, arbitration == .inProcess ? process : 0, &frozen))
        defer { gate_thaw(&frozen) }
        guard frozen.count > 0, frozen.spared > 0 else {
            throw BenchmarkError(
                "\(frozen.count) threads of the app are suspended; \(frozen.spared) belong to libjack.")
        }
        return try body()
    }

    private func check(_ status: Int32) throws {
        guard status != 0 else { return }
        let fix = status == -EPERM ? "; allow programs to debug their children: sysctl kernel.yama.ptrace_scope=1" : ""
        throw BenchmarkError("Cannot watch the app: \(String(cString: strerror(-status)))\(fix).")
    }
}

extension sgate_grant_t {
    /// Whether the grant causes this change.
    fileprivate func `is`(_ change: GateChange) -> Bool {
        switch change {
        case .silence: paused || muted
        case .duck: !paused && !muted && attenuation == 14 * UInt16(SGATE_ATTENUATION_PER_DECIBEL)
        case .sound, .unduck: !paused && !muted && attenuation == 0
        }
    }
}
