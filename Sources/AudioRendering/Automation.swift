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

/// A point with a value: in frames, or at a beat.
protocol AutomationValue {
    var value: Float { get }
}

extension AutomationPoint: AutomationValue {
    /// Returns what is wrong with its frame; nil if that is valid.
    fileprivate func problem(after before: AutomationPoint?) -> String? {
        guard let before else { return nil }
        guard before.frame < frame else {
            return "its frame \(frame) does not come after \(before.frame), the frame of the previous point"
        }
        guard frame - before.frame <= UInt32.max else {
            return
                "its frame \(frame) is more than \(UInt32.max) frames after \(before.frame), the frame of the previous point"
        }
        return nil
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

/// The parameters that can be automated. Points are posted as one command each, in one transaction.
enum AutomatedParameter {
    case voiceGain, voicePan, voiceSpeed, busGain, busPan, sendLevel, inputGain

    var core: rcore_parameter_t {
        switch self {
        case .voiceGain: RCORE_PARAMETER_VOICE_GAIN
        case .voicePan: RCORE_PARAMETER_VOICE_PAN
        case .voiceSpeed: RCORE_PARAMETER_VOICE_SPEED
        case .busGain: RCORE_PARAMETER_BUS_GAIN
        case .busPan: RCORE_PARAMETER_BUS_PAN
        case .sendLevel: RCORE_PARAMETER_SEND_LEVEL
        case .inputGain: RCORE_PARAMETER_INPUT_GAIN
        }
    }

    var name: String {
        switch self {
        case .voiceGain: "a voice's gain"
        case .voicePan: "a voice's pan"
        case .voiceSpeed: "a voice's speed"
        case .busGain: "a bus's gain"
        case .busPan: "a bus's pan"
        case .sendLevel: "a send's level"
        case .inputGain: "an input's gain"
        }
    }

    private var limits: ClosedRange<Float>? {
        switch self {
        case .voicePan, .busPan: -1...1
        case .voiceSpeed: 1 / 16...16
        case .voiceGain, .busGain, .sendLevel, .inputGain: nil
        }
    }

    /// Throws `invalidArgument`, naming the first invalid point. `coreValue` converts a point's
    /// value to the one that the core uses.
    func check(_ points: [AutomationPoint], coreValue: (Float) -> Float = { $0 }) throws(AudioEngineError) {
        try check(points, coreValue: coreValue) { point, before in point.problem(after: before) }
    }

    /// Throws `invalidArgument`, naming the first invalid point. `timeProblem` returns what is
    /// wrong with the time of a point after another.
    func check<Point: AutomationValue>(
        _ points: [Point], coreValue: (Float) -> Float = { $0 }, timeProblem: (Point, Point?) -> String?
    ) throws(AudioEngineError) {
        for (index, point) in points.enumerated() {
            let before = index > 0 ? points[index - 1] : nil
            if let problem = problem(of: point.value, coreValue(point.value)) ?? timeProblem(point, before) {
                throw .invalidArgument(what: "point \(index) of an automation of \(name): \(problem)")
            }
        }
    }

    /// Returns what is wrong with a point's value, which the core uses as `coreValue`; nil if it is
    /// valid.
    private func problem(of value: Float, _ coreValue: Float) -> String? {
        guard coreValue.isFinite else { return "its value \(value) is not finite" }
        guard let limits, !limits.contains(coreValue) else { return nil }
        let atServerRate = coreValue == value ? "" : ", \(coreValue) at the server's rate,"
        return "its value \(value)\(atServerRate) is not in \(limits.lowerBound)…\(limits.upperBound)"
    }

    /// Posts checked points (`postTogether`). The first point is a jump, each further one a curve
    /// from the previous point.
    func post(
        _ points: [AutomationPoint], of object: UInt64, to queue: OpaquePointer, coreValue: (Float) -> Float = { $0 }
    ) -> rcore_status_t {
        Self.postTogether(to: queue) {
            for index in points.indices {
                let point = points[index]
                // A curve of n frames has its value on the last of them; its first is the frame
                // after the previous point.
                let begin = index == 0 ? point.frame : points[index - 1].frame + 1
                let frames = index == 0 ? 0 : UInt32(clamping: point.frame - points[index - 1].frame)
                let status = rcore_post_curve(
                    queue, core, object, coreValue(point.value), point.curve.shape, frames, begin)
                guard status == RCORE_OK else { return status }
            }
            return RCORE_OK
        }
    }

    /// Posts what `body` posts, all or none: in a new transaction, or as part of the open one,
    /// which the caller cancels if this fails. Wait-free.
    static func postTogether(to queue: OpaquePointer, _ body: () -> rcore_status_t) -> rcore_status_t {
        let isOwnTransaction = rcore_transaction_begin(queue) == RCORE_OK
        let status = body()
        guard isOwnTransaction else { return status }
        guard status == RCORE_OK else {
            rcore_transaction_cancel(queue)
            return status
        }
        return rcore_transaction_commit(queue)
    }

    /// Posts a ramp with a shape, from the parameter's current value.
    func ramp(
        to value: Float, frames: Int, curve: AutomationCurve, of object: UInt64, to queue: OpaquePointer,
        at time: UInt64
    ) -> rcore_status_t {
        rcore_post_curve(queue, core, object, value, curve.shape, UInt32(clamping: frames), time)
    }
}
