internal import ArbiterService
internal import DesktopBridge

/// What is known about a program, from which its session follows.
struct ProgramFacts {
    var streams: [ForeignStream]
    var players: [ForeignPlayer]
    /// The path of the program.
    var path: String?
    /// Whether only the administrator can change it.
    var isInstalled: Bool

    private var outputs: [ForeignStream] { streams.filter { $0.direction == .output } }

    /// The streams whose properties say something about the program. A client of pipewire-pulse
    /// that only claims to belong to a known process says nothing about it.
    private var decisive: [ForeignStream] {
        let verified = outputs.filter { $0.process != nil }
        return verified.isEmpty && players.isEmpty ? outputs : verified
    }

    /// The names by which the settings can match it.
    private var names: Set<String> {
        var names = Set(streams.flatMap { [$0.binary, $0.applicationID].compactMap(\.self) })
        names.formUnion(players.flatMap { $0.names + [$0.desktopEntry].compactMap(\.self) })
        // "vlc.instance4711" is the second name of "vlc".
        names.formUnion(players.flatMap(\.names).compactMap { $0.split(separator: ".").first.map(String.init) })
        if let path {
            names.insert(path)
            path.split(separator: "/").last.map { _ = names.insert(String($0)) }
        }
        return names
    }

    /// Returns the classification; nil if the program is to be left alone.
    ///
    /// The evidence in order: the user's settings, the role of its streams, a media player. A role
    /// with which a program would affect others counts only if the program is known to be
    /// trustworthy: otherwise any program could have the others lowered.
    func classification(_ settings: AdoptionSettings) -> Classification? {
        let named = settings.programs.first { names.contains($0.name) }
        if named?.isIgnored == true || decisive.contains(where: \.isPassthrough) { return nil }
        func classified(_ kind: ProgramKind, _ evidence: Classification.Evidence, _ detail: String?) -> Classification {
            Classification(
                kind, by: evidence, detail, entry: named?.name, attenuation: named?.attenuation,
                ducksOnlyWhileAudible: named?.ducksOnlyWhileAudible ?? settings.ducksOnlyWhileAudible)
        }
        if let kind = named?.kind { return classified(kind, .settings, named?.name) }
        let roles = decisive.map { $0.role?.lowercased() }
        if roles.contains(where: { ["production", "dsp", "test"].contains($0) }) { return nil }
        // The programs of JACK work with each other: holding one of them would stop the others.
        // Their media players can be paused by the session bus.
        if players.isEmpty, !outputs.isEmpty, outputs.allSatisfy({ $0.api == .jack }) { return nil }
        let isTrusted = isInstalled || path.map(settings.trustedRoles.contains) == true
        let kinds = decisive.map { kind(of: $0, isTrusted: isTrusted && $0.process != nil) }
        let strongest = ProgramKind.allCases.first(where: kinds.contains)
        if let strongest, strongest.outranksUnknown || (players.isEmpty && kinds.allSatisfy({ $0 != nil })) {
            return classified(strongest, .role, zip(decisive, kinds).first { $1 == strongest }?.0.role)
        }
        if !players.isEmpty {
            return classified(
                .music, .mediaPlayer, players.compactMap(\.names.first).min().map { "org.mpris.MediaPlayer2." + $0 })
        }
        return classified(.other, .none, nil)
    }

    /// Returns what the role of a stream says; nil if it says nothing or is not believed.
    private func kind(of stream: ForeignStream, isTrusted: Bool) -> ProgramKind? {
        switch stream.role?.lowercased() {
        case "music": return .music
        case "movie", "video": return .movie
        case "game": return .game
        case "notification", "event": return .notification
        case "communication", "phone":
            guard isTrusted else { return nil }
            return streams.contains { $0.direction == .input && $0.process != nil } ? .conversation : .prompt
        case "navigation", "assistant", "accessibility", "a11y": return isTrusted ? .prompt : nil
        default: return nil
        }
    }
}
