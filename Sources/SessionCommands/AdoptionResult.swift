internal import ArbiterService
internal import SessionArbiter
internal import SessionPolicy

/// An entry of `foreign-programs`, as the commands show it.
struct ProgramEntryView: Encodable, Equatable {
    var match: String
    var session: String?
    /// In dB.
    var attenuation: Double?
    var ducksOnlyWhileAudible: Bool?
    /// Nil unless true.
    var ignored: Bool?
    /// The file that has the entry.
    var file: String

    init(_ entry: AdoptionSettings.Program, file: String) {
        match = entry.name
        session = entry.kind?.rawValue
        attenuation = entry.attenuation
        ducksOnlyWhileAudible = entry.ducksOnlyWhileAudible
        ignored = entry.isIgnored ? true : nil
        self.file = file
    }

    /// "movie, lowered by 20 dB".
    var phrase: String {
        let parts = [
            session, attenuation.map { "lowered by \(Text.rounded($0, 1)) dB" },
            ducksOnlyWhileAudible.map { "lowers others \($0 ? "only while it is audible" : "while it plays")" },
            ignored.map { _ in "ignored" },
        ].compactMap(\.self)
        return parts.joined(separator: ", ")
    }
}

/// `audiosession adopt list`.
public struct AdoptedProgramsResult: CommandResult {
    /// Whether `audiosession-adopt` runs.
    private var running: Bool
    private var programs: [ProgramView]
    /// In the order in which they are compared with a program: the first match applies.
    private var entries: [ProgramEntryView]
    public private(set) var text = ""

    private enum CodingKeys: String, CodingKey { case running, programs, entries }

    private struct ProgramView: Encodable {
        var session: UInt64
        /// Nil if the process is not known.
        var process: UInt64?
        var program: String?
        var name: String?
        var evidence: String?
        var detail: String?
        var entry: String?
        var controls: [String]
        /// What the session is: "playback", and its mode and options.
        var category: String
        var mode: String
        var options: [String]
        var state: String
    }

    init(_ report: ArbiterReport?, isRunning: Bool, entries: [ProgramEntryView]) {
        running = isRunning
        self.entries = entries
        // Any client can describe its sessions as adopted ones; the arbiter knows who acts for
        // whom.
        let names = report.map { SessionNames($0) }
        let views = (report?.sessions ?? []).compactMap { update -> SessionView? in
            guard let report, names?.isAdopted(update.status.session.id) == true else { return nil }
            return SessionView(update.status, in: report, at: EventTime(nanoseconds: 0))
        }
        programs = views.map { view in
            ProgramView(
                session: view.id, process: view.adopted == true ? view.process : nil,
                program: view.adopted == true ? view.program : nil, name: view.description?.name,
                evidence: view.description?.evidence, detail: view.description?.detail,
                entry: view.description?.entry, controls: view.description?.controls ?? [], category: view.category,
                mode: view.mode, options: view.options, state: view.state)
        }
        text = Self.text(report, views, entries, isRunning: isRunning)
    }

    private static func text(
        _ report: ArbiterReport?, _ views: [SessionView], _ entries: [ProgramEntryView], isRunning: Bool
    ) -> String {
        var lines: [String] = []
        if !isRunning {
            lines.append("audiosession-adopt does not run, so no programs are adopted; start it: audiosession-adopt &")
        } else if views.isEmpty {
            lines.append("No program that plays is adopted.")
        }
        if let names = report.map({ SessionNames($0) }) {
            for view in views {
                lines.append("\(names.name(SessionID(view.id))): \(view.summary(names))")
                view.description?.phrase.map { lines.append("  " + $0) }
            }
        }
        lines += entries.map { "entry '\($0.match)': \($0.phrase) (\($0.file))" }
        return Text.lines(lines)
    }
}

/// The result of `audiosession adopt ignore`, `set` and `reset`.
public struct AdoptionChangeResult: CommandResult, Equatable {
    /// The command: "adopt ignore".
    private var done: String
    private var match: String
    /// The new entry; nil after `reset`.
    private var entry: ProgramEntryView?
    /// Whether `audiosession-adopt` runs, and applies the change at once.
    private var running: Bool

    init(_ command: String, _ match: String, _ entry: ProgramEntryView?, isRunning: Bool) {
        done = "adopt " + command
        self.match = match
        self.entry = entry
        running = isRunning
    }

    public var text: String {
        let change =
            entry.map { "'\(match)': \($0.phrase)." } ?? "'\(match)' has no entry of `audiosession adopt` any more."
        return Text.lines([
            change + (running ? "" : " audiosession-adopt does not run; it applies this when it starts.")
        ])
    }
}
