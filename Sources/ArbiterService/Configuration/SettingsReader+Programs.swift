internal import Yams

/// The settings for single programs that do not use this library.
extension SettingsReader {
    static let programs = "foreign-programs"
    private static let keys = ["match", "session", "attenuation", "ducks-only-while-audible", "ignored"]

    mutating func readPrograms(_ value: Node, _ line: Int) {
        guard let programs = value.sequence else {
            if !value.isEmpty {
                refuse(value, Self.programs, "a list: '- match: …' and the settings of each program", line)
            }
            return
        }
        let limit = AdoptionSettings.Program.maximumCount
        guard programs.count <= limit else {
            return addProblem(line, "there are \(programs.count) foreign programs; the limit is \(limit)")
        }
        for program in programs { readProgram(program) }
    }

    /// Reads one program. Records a problem for each invalid value, and for a program without a
    /// name or without a setting.
    private mutating func readProgram(_ node: Node) {
        let problemsBefore = problems.count
        let line = node.mark?.line ?? 1
        var program = AdoptionSettings.Program("")
        for (key, line, value) in entries(of: node, "a program consists of settings, such as 'match: mpv'") {
            let name = "\(Self.programs).\(key)"
            switch key {
            case "match": program.name = text(value, name, line) ?? ""
            case "session":
                program.kind = value.text.flatMap(ProgramKind.init)
                if program.kind == nil { refuseKind(value, name, line) }
            case "attenuation":
                program.attenuation = value.number.flatMap { (0...120).contains($0) ? $0 : nil }
                if program.attenuation == nil { refuse(value, name, "a number from 0 to 120 dB", line) }
            case "ducks-only-while-audible":
                program.ducksOnlyWhileAudible = value.flag
                if value.flag == nil { refuse(value, name, "true or false", line) }
            case "ignored":
                if value.flag == nil { refuse(value, name, "true or false", line) }
                program.isIgnored = value.flag ?? false
            default:
                let near = KeyNames.nearest(to: key, among: Self.keys)
                addWarning(line, "unknown setting '\(name.excerpt)'", near.map { "\(Self.programs).\($0)" })
            }
        }
        guard problems.count == problemsBefore else { return }
        let changes = program.kind != nil || program.attenuation != nil || program.ducksOnlyWhileAudible != nil
        switch (program.isIgnored, changes) {
        case _ where program.name.isEmpty:
            addProblem(line, "this program has no name; add 'match', such as 'match: mpv'")
        case (true, true):
            addProblem(
                line, "this program is ignored, but also has other settings; remove one or the other")
        case (false, false):
            addProblem(
                line,
                "this program changes nothing; add a session, an attenuation, 'ducks-only-while-audible', or 'ignored: true'"
            )
        default: settings.adoption.programs.append(program)
        }
    }

    private mutating func refuseKind(_ value: Node, _ name: String, _ line: Int) {
        let kinds = ProgramKind.allCases.map(\.rawValue)
        let near = value.text.flatMap { KeyNames.nearest(to: $0, among: kinds) }.map { " (did you mean \($0)?)" }
        addProblem(
            line, "\(name) takes one of \(kinds.joined(separator: ", ")), not \(value.excerpt)\(near ?? "")")
    }
}
