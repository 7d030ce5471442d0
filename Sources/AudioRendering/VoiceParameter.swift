/// What of a voice can be automated.
public enum VoiceParameter: Hashable, Sendable, CaseIterable {
    /// Linear, finite.
    case gain
    /// Between left (−1) and right (1), of a voice that was started with a pan.
    case pan
    /// 1/16…16 frames of the source a frame: pitch and tempo together.
    case speed

    var automated: AutomatedParameter {
        switch self {
        case .gain: .voiceGain
        case .pan: .voicePan
        case .speed: .voiceSpeed
        }
    }
}
