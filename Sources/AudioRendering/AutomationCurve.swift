internal import CRenderCore

/// How a parameter gets from one value to the next, x = 0…1 of the way.
///
/// What is not linear is a polygon of 128 straight lines or more, in curves shorter than 1,024 frames of one for every 8 frames: of 1,024 frames on
/// within 0.00005 of the way (`s`), and 0.01 dB (`exponential`, over 60 dB).
public enum AutomationCurve: Hashable, Sendable, CaseIterable {
    /// from + (to − from) · x
    case linear
    /// from · (to / from)^x: even in decibels, or in cents. Where one of the two is 0, −100 dB of the other stands for it until the last frame. From one sign to
    /// the other, and of a pan, it is linear.
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
