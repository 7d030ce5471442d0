internal import SessionPolicy

/// The rules' categories and modes under AVAudioSession's names, both ways.
extension AudioSession.Category {
    private static let table: [(policy: SessionPolicy.Category, api: AudioSession.Category)] = [
        (.ambient, .ambient), (.soloAmbient, .soloAmbient), (.playback, .playback), (.record, .record),
        (.playAndRecord, .playAndRecord), (.audioProcessing, .audioProcessing), (.multiRoute, .multiRoute),
    ]

    init(_ category: SessionPolicy.Category) {
        self = Self.table.first { $0.policy == category }?.api ?? .soloAmbient
    }

    /// The category of this name; unknown names are refused with the known ones.
    func known() throws -> SessionPolicy.Category {
        if let row = Self.table.first(where: { $0.api == self }) { return row.policy }
        let names = Self.table.map(\.api.rawValue).joined(separator: ", ")
        throw AudioSessionError(
            .badParam, rule: "CAT", "Category '\(rawValue)' was asked for; there is none of that name. Known: \(names)."
        )
    }
}

extension AudioSession.Mode {
    private static let table: [(policy: SessionPolicy.Mode, api: AudioSession.Mode)] = [
        (.default, .default), (.voiceChat, .voiceChat), (.videoChat, .videoChat), (.gameChat, .gameChat),
        (.videoRecording, .videoRecording), (.measurement, .measurement), (.moviePlayback, .moviePlayback),
        (.spokenAudio, .spokenAudio), (.voicePrompt, .voicePrompt), (.shortFormVideo, .shortFormVideo),
        (.dualRoute, .dualRoute),
    ]

    init(_ mode: SessionPolicy.Mode) {
        self = Self.table.first { $0.policy == mode }?.api ?? .default
    }

    /// The mode of this name; unknown names are refused with the known ones.
    func known() throws -> SessionPolicy.Mode {
        if let row = Self.table.first(where: { $0.api == self }) { return row.policy }
        let names = Self.table.map(\.api.rawValue).joined(separator: ", ")
        throw AudioSessionError(
            .badParam, rule: "MODE-1", "Mode '\(rawValue)' was asked for; there is none of that name. Known: \(names).")
    }
}
