import Foundation
import Processes
import Reporting
import Servers

/// The frames from a note to its sound, of an instrument and of FluidSynth, and notes that arrive
/// all in one period.
enum Notes {
    private static let (delay, lost, misplaced) = (
        "note.frames_to_sound", "note.lost_of_flood", "note.wrong_frames_of_flood"
    )
    private static let fluidSynth = "FluidSynth"
    /// Where Debian's packages of small sound fonts put them.
    private static let soundFonts = [
        "/usr/share/sounds/sf2/TimGM6mb.sf2", "/usr/share/sounds/sf2/default-GM.sf2",
        "/usr/share/sounds/sf2/FluidR3_GM.sf2",
    ]

    static func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        var table = Table(
            "From a MIDI note to its sound (frames), and notes that arrive in one period",
            note: """
                frames from the note's own frame to the first frame that is not silent. FluidSynth: the drum "claves", whose sound begins with silence of \
                constant length; its jitter compares. jitter: the greatest less the least. lost, wrong frames: of 1,000 notes in one period. repeated: the \
                server was late meanwhile
                """,
            [
                .text("server", 11), "period", .text("instrument", 20), "notes", "least", "median", "greatest",
                "jitter",
                "lost", "wrong frames", "repeated",
            ])
        let soundFont =
            isInstalled("fluidsynth") ? soundFonts.first(where: FileManager.default.fileExists(atPath:)) : nil
        try run.onServers { server, context in
            let app = try Performer(NotesApp.part, context.environment)
            try app.ask("open", server.name, soundFont ?? "")
            let single = ProbedApp.rows(try app.ask("notes", run.quick ? 15 : 60), soundFont == nil ? 2 : 3)
            let flood = ProbedApp.rows(try app.ask("flood", run.quick ? 3 : 20, 1_000), 2)
            try app.ask("close")
            guard single.rows.allSatisfy({ $0[1] == $0[0] + Double(NotesApp.injectedDelay) }) else {
                throw BenchmarkError("a delay of \(NotesApp.injectedDelay) frames was not found")
            }
            let conditions = Conditions(server)
            let own = findings.add(delay, "frames", single.rows.map { $0[0] }, conditions)
            let missing = findings.add(lost, "notes", flood.rows.map { $0[0] }, conditions)
            let wrong = findings.add(misplaced, "frames", flood.rows.map { $0[1] }, conditions)
            table.row(
                server, ours, own.count, own[\.minimum, \.median, \.maximum], own.maximum - own.minimum,
                missing.maximum, wrong.maximum, single.repeated + flood.repeated)
            guard soundFont != nil else { return table.row(server, fluidSynth, "missing") }
            let peer = findings.add(delay, "frames", single.rows.map { $0[2] }, conditions, of: fluidSynth)
            table.row(
                server, fluidSynth, peer.count, peer[\.minimum, \.median, \.maximum], peer.maximum - peer.minimum, "",
                "", single.repeated)
        }
        findings.tables = [table]
        findings.targets = targets(findings.results, run.servers)
        return findings
    }

    private static func targets(_ results: [Measurement], _ servers: [ServerKind]) -> [Target] {
        let places = servers.map(\.rawValue).joined(separator: ", ")
        func worst(_ metric: String) -> Double {
            results.of(metric, ours).map { max($0.statistics.maximum, -$0.statistics.minimum) }.max() ?? .infinity
        }
        return [
            Target(
                what: "MIDI note → first frame of its sound: worst, on \(places), at all periods", unit: "frames",
                wanted: 0, reached: worst(delay), headline: "MIDI note → first frame of its sound, worst"),
            Target(
                what: "1,000 notes in one period: lost, worst, on \(places)", unit: "notes", wanted: 0,
                reached: worst(lost), headline: "of 1,000 notes in one period: lost, worst"),
            Target(
                what: "1,000 notes in one period: frames with other notes than sent, worst, on \(places)",
                unit: "frames", wanted: 0, reached: worst(misplaced)),
        ]
    }
}
