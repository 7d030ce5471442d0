internal import DesktopBridge
internal import SessionArbiter
internal import SessionPolicy

/// What people can read about a program: which evidence decided, and how it is controlled.
extension Adopter {
    /// Describes the session of a program if what there is to say has changed.
    mutating func describe(_ key: ProgramKey, _ session: SessionID) {
        guard let program = programs[key], let classification = program.classification else { return }
        // Other settings that apply when the program continues do not explain its session yet.
        if program.isReconfigured, program.description != nil { return }
        let description = SessionDescription(
            name: name(of: program), evidence: classification.evidence.rawValue, detail: classification.detail,
            entry: classification.entry, controls: program.controls)
        guard description != program.description else { return }
        programs[key]?.description = description
        tools.describe(session, as: description)
    }

    /// The file name of the program; if its process is not known, the name that it states.
    private func name(of program: ForeignProgram) -> String? {
        if let path = program.key.process.flatMap(processes.program) {
            return path.split(separator: "/").last.map(String.init)
        }
        let names = program.outputs.flatMap { [$0.application, $0.binary, $0.applicationID].compactMap(\.self) }
        return names.first ?? program.players.values.map(\.identity).filter { !$0.isEmpty }.min()
    }
}

extension ForeignProgram {
    /// By what the program is lowered and held: the levels of its streams, their nodes, and its
    /// media players.
    fileprivate var controls: [String] {
        let mayBeHeld = (sessionKind ?? classification?.kind)?.mayBeHeld == true
        return [
            ("level", outputs.contains(where: \.canBeLowered)), ("hold", mayBeHeld && !outputs.isEmpty),
            ("player", mayBeHeld && players.values.contains(where: \.canPause)), ("detection", isDetected),
        ].filter(\.1).map(\.0)
    }
}
