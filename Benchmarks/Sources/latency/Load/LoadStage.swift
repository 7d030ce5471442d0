import CProbe
import Foundation
import Processes
import Reporting
import Servers

/// The recorded cycles of one client.
struct Trace {
    static let mostCycles: UInt32 = 1 << 16
    var cycles: [traced_cycle_t]

    /// Writes the cycles that this process has recorded.
    static func write(_ count: UInt32, to path: String) throws {
        guard count > 0 else { throw BenchmarkError("no cycle was traced") }
        let bytes = Data(bytes: cycle_trace_cycles(), count: Int(count) * MemoryLayout<traced_cycle_t>.stride)
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    /// Reads the file of another process and removes it.
    init(reading path: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        try FileManager.default.removeItem(atPath: path)
        cycles = data.withUnsafeBytes { Array($0.bindMemory(to: traced_cycle_t.self)) }
    }

    /// The frame times of cycles that ended more than two periods after the call of the previous
    /// cycle: one period too late.
    var lateFrames: Set<UInt32> {
        Set(
            zip(cycles, cycles.dropFirst()).compactMap { before, cycle in
                let end = cycle.begin_ns + UInt64(cycle.wall_ns)
                let periods = UInt64(2 * cycle.nframes) * 1_000_000_000 / UInt64(Server.sampleRate)
                return end - before.begin_ns > periods ? cycle.frame : nil
            })
    }

    /// The number of late cycles, and of missed ones.
    var late: Int {
        zip(cycles, cycles.dropFirst()).reduce(lateFrames.count) { sum, pair in
            let distance = frames(from: pair.0.frame, to: pair.1.frame)
            let periods = distance / Int(max(1, pair.0.nframes))
            // Ignores a jump of the frame time by more than a second, which has another cause.
            return sum + (periods > 1 && distance < Server.sampleRate ? periods - 1 : 0)
        }
    }

    func percents(_ time: KeyPath<traced_cycle_t, UInt32>) -> [Double] {
        cycles.map { Double($0[keyPath: time]) / 1e7 * Double(Server.sampleRate) / Double(max(1, $0.nframes)) }
    }
}

/// The result of a slot.
struct LoadSlot {
    /// The clients on a server during a slot.
    enum Kind: String, CaseIterable {
        /// An app that plays.
        case ours
        /// A client that does nothing.
        case control
        /// Both, in the same cycles.
        case together
    }

    var kind: Kind
    var seconds: Double
    /// The xruns reported by the only client; together, those reported by ours.
    var xruns = 0
    var ours: Trace?
    var control: Trace?

    /// The late cycles of the slot's subject.
    var late: Int { (ours ?? control)?.late ?? 0 }
    var cycles: Int { (ours ?? control)?.cycles.count ?? 0 }
}

/// A server with an app and a client that does nothing, each in a separate process, which run
/// alternately.
final class LoadStage {
    let server: Server
    private let app: Performer
    private let bare: Performer
    private let context: ServerContext
    /// The length of a voice's buffer.
    private let frames = Machine.present().coldBytes / 256 / MemoryLayout<Float>.size

    init(_ server: Server, in context: ServerContext) throws {
        (self.server, self.context) = (server, context)
        app = try Performer(LoadApp.part, context.environment)
        bare = try Performer(LoadBare.part, context.environment)
    }

    /// Opens the clients of a slot, starts the app's voices, runs `body` or waits, and closes the
    /// clients.
    func slot(
        _ kind: LoadSlot.Kind, seconds: Double, voices: Int, most: Int,
        while body: (Performer) throws -> Void = { _ in }
    ) throws -> LoadSlot {
        let (hasOurs, hasControl) = (kind != .control, kind != .ours)
        if hasOurs {
            try app.ask("open", server.name, most, frames)
            try app.ask("voices", voices)
        }
        if hasControl { try bare.ask("open", server.name) }
        // Adding a client to the graph is itself a disturbance.
        poll(nil, 0, 150)
        if hasOurs { try app.ask("begin") }
        if hasControl { try bare.ask("begin") }
        let begun = now()
        if hasOurs { try body(app) }
        let rest = seconds - Double(now() - begun) / 1e9
        if rest > 0 { poll(nil, 0, Int32(rest * 1_000)) }
        var slot = LoadSlot(kind: kind, seconds: Double(now() - begun) / 1e9)
        if hasControl { (slot.xruns, slot.control) = try end(bare) }
        if hasOurs { (slot.xruns, slot.ours) = try end(app) }
        if hasOurs { try app.ask("close") }
        if hasControl { try bare.ask("close") }
        return slot
    }

    /// Stalls the do-nothing client once and throws unless this is detected. Only then are results
    /// without late cycles trustworthy.
    func checkDetectors() throws {
        try bare.ask("open", server.name)
        poll(nil, 0, 150)
        try bare.ask("begin")
        poll(nil, 0, 50)
        try bare.ask("stall", 50)
        poll(nil, 0, 250)
        let (xruns, trace) = try end(bare)
        try bare.ask("close")
        guard trace.late > 0 else { throw BenchmarkError("a client that stalled for 50 ms had no late cycle") }
        // PipeWire's libjack reports none.
        guard xruns > 0 || server.kind == .pipewire else {
            throw BenchmarkError("a client that stalled for 50 ms caused no xrun")
        }
    }

    /// Ends a measurement. Returns the xruns and the cycles.
    private func end(_ client: Performer) throws -> (Int, Trace) {
        let path = context.folder + "/trace"
        let found = try client.ask("end", path)
        guard found[1] == 0 else { throw BenchmarkError("voices were refused or had non-finite output") }
        return (Int(found[0]), try Trace(reading: path))
    }
}
