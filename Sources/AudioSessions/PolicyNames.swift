internal import SessionPolicy

/// Converts between the policy's categories and modes and AVAudioSession's names.
extension AudioSession.Category {
    private static let table: [(policy: SessionPolicy.Category, api: AudioSession.Category)] = [
        (.ambient, .ambient), (.soloAmbient, .soloAmbient), (.playback, .playback), (.record, .record),
        (.playAndRecord, .playAndRecord), (.audioProcessing, .audioProcessing), (.multiRoute, .multiRoute),
    ]

    init(_ category: SessionPolicy.Category) {
        self = Self.table.first { $0.policy == category }?.api ?? .soloAmbient
    }

    /// Returns the policy's category of this name. Throws badParam for an unknown name and lists
    /// the known ones.
    func known() throws -> SessionPolicy.Category {
        if let row = Self.table.first(where: { $0.api == self }) { return row.policy }
        let names = Self.table.map(\.api.rawValue).joined(separator: ", ")
        throw AudioSessionError(
            .badParam, rule: "CAT", "Unknown category '\(rawValue)'. Known categories: \(names)."
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

    /// Returns the policy's mode of this name. Throws badParam for an unknown name and lists the
    /// known ones.
    func known() throws -> SessionPolicy.Mode {
        if let row = Self.table.first(where: { $0.api == self }) { return row.policy }
        let names = Self.table.map(\.api.rawValue).joined(separator: ", ")
        throw AudioSessionError(
            .badParam, rule: "MODE-1", "Unknown mode '\(rawValue)'. Known modes: \(names).")
    }
}
