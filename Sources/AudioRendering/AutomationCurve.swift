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
