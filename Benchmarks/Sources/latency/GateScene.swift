import CGateEar
import CSessionGate
import Foundation
import Processes
import Servers

/// Whether the app's own threads run.
enum GateThreads: String, CaseIterable {
    case free
    /// None of them, nor of the library's, but libjack's; and where the app's own process decides, the one that does.
    case blocked
}

/// An app that plays, an ear at its port, and somebody who decides what happens to it.
final class GateScene {
    let server: Server
    let arbitration: GateArbitration
    private let app: Performer
    private let ear: Performer
    private let decider: Performer
    private let process: pid_t
    private let gate: UInt64

    /// It plays when this returns.
    init(_ server: Server, _ arbitration: GateArbitration, in place: ServerPlace) throws {
        (self.server, self.arbitration) = (server, arbitration)
        app = try Performer(GateApp.part, place.environment)
        ear = try Performer(GateEar.part, place.environment)
        let opened = try app.ask("open", server.name, arbitration.rawValue)
        guard opened.count == 2 else { throw BenchmarkError("An app told nothing of its gate.") }
        (process, gate) = (pid_t(opened[0]), UInt64(opened[1]))
        decider = arbitration == .service ? try Performer(GateApp.part, place.environment) : app
        if arbitration == .service { try decider.ask("decide", server.name, arbitration.rawValue) }
        try ear.ask("open", server.name, GateApp.port)
    }

    func close() throws {
        try ear.ask("close")
        try app.ask("close")
    }

    /// What one change sounded like; nil: the watch, or the server, was disturbed.
    typealias Heard = GateTrace.Hearing?

    /// Something happens to the app, once.
    func begin(_ what: GateCase, _ threads: GateThreads) throws -> Heard {
        try ear.ask("steady", "\(GateChange.level)")
        return try standing(threads) { try hear(what.change, of: decider, ["begin", what.rawValue]) }
    }

    /// It is over; what the app's return sounded like: nil too where that is not listened to.
    func end(_ what: GateCase) throws -> Heard {
        switch what {
        case .interruption, .call:
            try ear.ask("steady", "0")
            try decider.ask("end", what.rawValue)
            return try hear(.sound, of: app, ["activate"])
        case .silentSwitch:
            try ear.ask("steady", "0")
            return try hear(.sound, of: decider, ["end", what.rawValue])
        case .prompt:
            // Silent meanwhile, it need not rise slowly.
            try decider.ask("begin", GateCase.silentSwitch.rawValue)
            try ear.ask("steady", "0")
            try decider.ask("end", what.rawValue)
            try decider.ask("end", GateCase.silentSwitch.rawValue)
            return nil
        }
    }

    /// The prompt is over, and the app rises slowly from where it was.
    func rise(from level: Float) throws -> Heard {
        try ear.ask("steady", "\(level)")
        return try hear(.unduck, of: decider, ["end", GateCase.prompt.rawValue])
    }

    /// The app's session, which has everything but the grant, activates: what is heard from the call on, and how long that blocks, in ms.
    func activate() throws -> (heard: Heard, blocked: Double) {
        try app.ask("deactivate")
        try ear.ask("steady", "0")
        let times = try app.ask("after", "\(Int.random(in: 0..<period))", "activate")
        guard times.count == 2 else { throw BenchmarkError("An app did not tell when it activated.") }
        let begun = UInt64(times[0])
        return (try listen(.sound, after: begun, until: begun), times[1] / 1e6)
    }

    /// Tells somebody what changes the gate, watches it change, and listens.
    private func hear(_ change: GateChange, of performer: Performer, _ words: [String]) throws -> Heard {
        // Whoever decides wakes by himself: then he is in nobody's way, and nobody in his.
        let watched = Result {
            try self.watch { try performer.tell(["after", "\(Int.random(in: 0..<period))"] + words) }
        }
        // What he was refused says more than that nothing changed.
        _ = try performer.answer()
        let watch = try watched.get()
        guard sgate_verdict_unpack(watch.word).is(change) else {
            throw BenchmarkError("'\(words.joined(separator: " "))' led to another verdict than \(change).")
        }
        let heard = try listen(change, after: watch.after_ns, until: watch.until_ns)
        // Within half a period nobody looked.
        let isKnown = watch.until_ns - watch.after_ns < UInt64(period / 2)
        return isKnown ? heard : nil
    }

    /// When the gate's word changes. In real time, where that is to be had: who decides must not be in the way of who looks.
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
        switch try GateHearing(try ear.ask("heard", change.rawValue, "\(after)", "\(until)")) {
        case .heard(let hearing): hearing
        case .interrupted, .straddled: nil
        }
    }

    /// In ns.
    private var period: Int { 1_000_000_000 * server.period / Server.sampleRate }

    /// Stops the app's threads meanwhile where they are to be blocked.
    private func standing<Result>(_ threads: GateThreads, _ body: () throws -> Result) throws -> Result {
        guard threads == .blocked else { return try body() }
        var frozen = gate_frozen_t()
        // What decides is the thread that answers.
        try check(gate_freeze(process, arbitration == .inProcess ? process : 0, &frozen))
        defer { gate_thaw(&frozen) }
        guard frozen.count > 0, frozen.spared > 0 else {
            throw BenchmarkError("\(frozen.count) threads of the app stand, and \(frozen.spared) are libjack's.")
        }
        return try body()
    }

    private func check(_ status: Int32) throws {
        guard status != 0 else { return }
        let cure = status == -EPERM ? "; let a program debug its children: sysctl kernel.yama.ptrace_scope=1" : ""
        throw BenchmarkError("The app cannot be watched: \(String(cString: strerror(-status)))\(cure).")
    }
}

extension sgate_verdict_t {
    /// Whether it is what leads there.
    fileprivate func `is`(_ change: GateChange) -> Bool {
        switch change {
        case .silence: paused || muted
        case .duck: !paused && !muted && attenuation == 14 * UInt16(SGATE_ATTENUATION_PER_DECIBEL)
        case .sound, .unduck: !paused && !muted && attenuation == 0
        }
    }
}
