internal import AudioSessionTypes

// AVAudioSession's names of categories, modes and port types. An app can create a name that does
// not exist, so the way back throws.

extension AudioSession.Category {
    init(_ category: AudioSessionTypes.Category) {
        self =
            switch category {
            case .ambient: .ambient
            case .soloAmbient: .soloAmbient
            case .playback: .playback
            case .record: .record
            case .playAndRecord: .playAndRecord
            case .audioProcessing: .audioProcessing
            case .multiRoute: .multiRoute
            }
    }

    /// Returns the category of this name. Throws badParam for an unknown name and lists the known
    /// ones.
    func known() throws -> AudioSessionTypes.Category {
        if let value = AudioSessionTypes.Category.allCases.first(where: { Self($0) == self }) { return value }
        let names = AudioSessionTypes.Category.allCases.map { Self($0).rawValue }.joined(separator: ", ")
        throw AudioSessionError(
            .badParam, rule: "CAT", "Unknown category '\(rawValue)'. Known categories: \(names).")
    }
}

extension AudioSession.Mode {
    init(_ mode: AudioSessionTypes.Mode) {
        self =
            switch mode {
            case .default: .default
            case .voiceChat: .voiceChat
            case .videoChat: .videoChat
            case .gameChat: .gameChat
            case .videoRecording: .videoRecording
            case .measurement: .measurement
            case .moviePlayback: .moviePlayback
            case .spokenAudio: .spokenAudio
            case .voicePrompt: .voicePrompt
            case .shortFormVideo: .shortFormVideo
            case .dualRoute: .dualRoute
            }
    }

    /// Returns the mode of this name. Throws badParam for an unknown name and lists the known ones.
    func known() throws -> AudioSessionTypes.Mode {
        if let value = AudioSessionTypes.Mode.allCases.first(where: { Self($0) == self }) { return value }
        let names = AudioSessionTypes.Mode.allCases.map { Self($0).rawValue }.joined(separator: ", ")
        throw AudioSessionError(
            .badParam, rule: "MODE-1", "Unknown mode '\(rawValue)'. Known modes: \(names).")
    }
}

extension AudioSessionPort {
    init(_ type: PortType) {
        self =
            switch type {
            case .lineIn: .lineIn
            case .builtInMic: .builtInMic
            case .headsetMic: .headsetMic
            case .continuityMicrophone: .continuityMicrophone
            case .lineOut: .lineOut
            case .headphones: .headphones
            case .bluetoothA2DP: .bluetoothA2DP
            case .builtInReceiver: .builtInReceiver
            case .builtInSpeaker: .builtInSpeaker
            case .hdmi: .HDMI
            case .airPlay: .airPlay
            case .displayPort: .displayPort
            case .bluetoothLE: .bluetoothLE
            case .bluetoothHFP: .bluetoothHFP
            case .usbAudio: .usbAudio
            case .carAudio: .carAudio
            case .virtual: .virtual
            case .pci: .PCI
            case .fireWire: .fireWire
            case .avb: .AVB
            case .thunderbolt: .thunderbolt
            }
    }

    /// Returns the port type of this name. Throws badParam for an unknown name and lists the known
    /// ones.
    func known() throws -> PortType {
        if let value = PortType.allCases.first(where: { Self($0) == self }) { return value }
        let names = PortType.allCases.map { Self($0).rawValue }.joined(separator: ", ")
        throw AudioSessionError(
            .badParam, rule: "ROUTE-1", "Unknown port type '\(rawValue)'. Known port types: \(names).")
    }
}
