internal import CRenderCore

/// The shape of a transition from one value to the next; x is the progress, 0…1.
///
/// Nonlinear curves are approximated by line segments: 128 or more, or one per 8 frames in curves
/// shorter than 1,024 frames. From 1,024 frames on, the error is at most 0.00005 of the whole
/// transition (`s`) or 0.01 dB (`exponential`, over 60 dB).
public enum AutomationCurve: Hashable, Sendable, CaseIterable {
    /// from + (to − from) · x
    case linear
    /// from · (to / from)^x: evenly in decibels or cents. If one of the values is 0, the curve uses
    /// −100 dB relative to the other value in its place until the last frame. The curve is linear
    /// if the values differ in sign, and for pan.
    case exponential
    /// from + (to − from) · (3x² − 2x³): flat at both ends.
    case s

    var shape: rcore_curve_t {
        switch self {
        case .linear: RCORE_CURVE_LINEAR
        case .exponential: RCORE_CURVE_EXPONENTIAL
        case .s: RCORE_CURVE_S
        }
    }
}

/// A point of an automation: on exactly this engine frame, the parameter has exactly this value.
public struct AutomationPoint: Hashable, Sendable {
    /// The engine frame, on the clock of `AudioEngine.currentFrame`.
    public var frame: UInt64
    /// The value, in the parameter's unit.
    public var value: Float
    /// The curve from the previous point to this one. The first point has no predecessor: the
    /// parameter jumps to its value, which is audible as a click.
    public var curve: AutomationCurve

    public init(frame: UInt64, value: Float, curve: AutomationCurve = .linear) {
        self.frame = frame
        self.value = value
        self.curve = curve
    }
}

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
