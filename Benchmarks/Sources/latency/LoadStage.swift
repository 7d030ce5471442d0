import Foundation
import Processes
import Reporting
import Servers

/// What holds a server in a slot.
enum LoadSlotKind: String, CaseIterable {
    /// An app that plays.
    case ours
    /// A client that does nothing.
    case control
    /// Both, in the same cycles.
    case together
}

/// What came of a slot.
struct LoadSlot {
    var kind: LoadSlotKind
    var seconds: Double
    /// As the client told that is alone there; together, ours.
    var xruns: Int
    var ours: LoadTrace?
    var control: LoadTrace?

    /// Of the client that the slot is about.
    var late: Int { (ours ?? control)?.late(sampleRate: Server.sampleRate) ?? 0 }
    var cycles: Int { (ours ?? control)?.cycles.count ?? 0 }
}

/// A server with an app and a client that does nothing, each in a process of its own, which are there by turns.
final class LoadStage {
    let server: Server
    let app: Performer
    let bare: Performer
    private let place: ServerPlace
    /// Of what a voice plays.
    private let frames: Int

    init(_ kind: ServerKind, period: Int, in place: ServerPlace) throws {
        self.place = place
        frames = Machine.present().coldBytes / 256 / MemoryLayout<Float>.size
        server = try Server(kind, period: period, in: place)
        app = try Performer(LoadApp.part, place.environment)
        bare = try Performer(LoadBare.part, place.environment)
    }

    /// Opens who is to be there, has ours play, runs `body`, or waits, and closes them again.
    func slot(
        _ kind: LoadSlotKind, seconds: Double, voices: Int, most: Int, while body: (Performer) throws -> Void
    ) throws -> LoadSlot {
        let (hasOurs, hasControl) = (kind != .control, kind != .ours)
        if hasOurs {
            try app.ask("open", server.name, "\(most)", "\(frames)")
            try app.ask("voices", "\(voices)")
        }
        if hasControl { try bare.ask("open", server.name) }
        // Another client in the graph is a disturbance by itself.
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
            guard found[2] == 0 else { throw BenchmarkError("voices were refused or put out what is no number") }
            slot.ours = trace
            slot.xruns = Int(found[0])
        }
        if hasOurs { try app.ask("close") }
        if hasControl { try bare.ask("close") }
        return slot
    }

    /// Has a client that does nothing be late once, and throws unless that is found: what finds nothing elsewhere is to be believed then.
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
            throw BenchmarkError("a client that stood still for 50 ms had no late cycle")
        }
        // PipeWire's libjack tells none.
        guard found[0] > 0 || server.kind == .pipewire else {
            throw BenchmarkError("a client that stood still for 50 ms made no xrun")
        }
    }

    private func end(_ performer: Performer) throws -> ([Double], LoadTrace) {
        let path = place.folder + "/trace"
        return (try performer.ask("end", path), try LoadTrace(reading: path))
    }
}
