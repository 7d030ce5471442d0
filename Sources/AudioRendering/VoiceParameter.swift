/// A parameter of a voice that can be automated.
public enum VoiceParameter: Hashable, Sendable, CaseIterable {
    /// The gain: linear, finite.
    case gain
    /// The pan position, −1 left … 1 right, of a voice that was started with a pan.
    case pan
    /// The speed, 1/16…16 source frames per engine frame: pitch and tempo together.
    case speed

    var automated: AutomatedParameter {
        switch self {
        case .gain: .voiceGain
        case .pan: .voicePan
        case .speed: .voiceSpeed
        }
    }
}
