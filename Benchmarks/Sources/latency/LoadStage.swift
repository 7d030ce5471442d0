import Foundation
import Processes
import Reporting
import Servers

/// The clients on a server during a slot.
enum LoadSlotKind: String, CaseIterable {
    /// An app that plays.
    case ours
    /// A client that does nothing.
    case control
    /// Both, in the same cycles.
    case together
}

/// The result of a slot.
struct LoadSlot {
    var kind: LoadSlotKind
    var seconds: Double
    /// The xruns reported by the only client; together, those reported by ours.
    var xruns: Int
    var ours: LoadTrace?
    var control: LoadTrace?

    /// The late cycles of the slot's subject.
    var late: Int { (ours ?? control)?.late(sampleRate: Server.sampleRate) ?? 0 }
    var cycles: Int { (ours ?? control)?.cycles.count ?? 0 }
}

/// A server with an app and a client that does nothing, each in a separate process, which run
/// alternately.
final class LoadStage {
    let server: Server
    let app: Performer
    let bare: Performer
    private let context: ServerContext
    /// The length of a voice's buffer.
    private let frames: Int

    init(_ kind: ServerKind, period: Int, in context: ServerContext) throws {
        self.context = context
        frames = Machine.present().coldBytes / 256 / MemoryLayout<Float>.size
        server = try Server(kind, period: period, in: context)
        app = try Performer(LoadApp.part, context.environment)
        bare = try Performer(LoadBare.part, context.environment)
    }

    /// Opens the clients of a slot, starts the app's voices, runs `body` or waits, and closes the
    /// clients.
    func slot(
        _ kind: LoadSlotKind, seconds: Double, voices: Int, most: Int, while body: (Performer) throws -> Void
    ) throws -> LoadSlot {
        let (hasOurs, hasControl) = (kind != .control, kind != .ours)
        if hasOurs {
            try app.ask("open", server.name, "\(most)", "\(frames)")
            try app.ask("voices", "\(voices)")
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
        let lasted = Double(now() - begun) / 1e9
        var slot = LoadSlot(kind: kind, seconds: lasted, xruns: 0)
        if hasControl {
            let (found, trace) = try end(bare)
            slot.control = trace
            slot.xruns = Int(found[0])
        }
        if hasOurs {
            let (found, trace) = try end(app)
            guard found[2] == 0 else { throw BenchmarkError("voices were refused or had non-finite output") }
            slot.ours = trace
            slot.xruns = Int(found[0])
        }
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
        try bare.ask("stall", "50")
        poll(nil, 0, 250)
        let (found, trace) = try end(bare)
        try bare.ask("close")
        guard trace.late(sampleRate: Server.sampleRate) > 0 else {
            throw BenchmarkError("a client that stalled for 50 ms had no late cycle")
        }
        // PipeWire's libjack reports none.
        guard found[0] > 0 || server.kind == .pipewire else {
            throw BenchmarkError("a client that stalled for 50 ms caused no xrun")
        }
    }

    private func end(_ performer: Performer) throws -> ([Double], LoadTrace) {
        let path = context.folder + "/trace"
        return (try performer.ask("end", path), try LoadTrace(reading: path))
    }
}
