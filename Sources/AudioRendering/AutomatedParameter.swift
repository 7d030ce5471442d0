internal import CRenderCore

/// The parameters that can be automated. Points are posted as one command each, in one transaction.
enum AutomatedParameter {
    case voiceGain, voicePan, voiceSpeed, busGain, busPan, sendLevel, inputGain

    private var core: rcore_parameter_t {
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
        for (index, point) in points.enumerated() {
            if let problem = problem(of: point, after: index > 0 ? points[index - 1] : nil, coreValue: coreValue) {
                throw .invalidArgument(what: "point \(index) of an automation of \(name): \(problem)")
            }
        }
    }

    /// Returns what is wrong with a point; nil if it is valid.
    private func problem(
        of point: AutomationPoint, after before: AutomationPoint?, coreValue: (Float) -> Float
    ) -> String? {
        let value = coreValue(point.value)
        guard value.isFinite else { return "its value \(point.value) is not finite" }
        if let limits, !limits.contains(value) {
            let atServerRate = value == point.value ? "" : ", \(value) at the server's rate,"
            return "its value \(point.value)\(atServerRate) is not in \(limits.lowerBound)…\(limits.upperBound)"
        }
        guard let before else { return nil }
        guard before.frame < point.frame else {
            return "its frame \(point.frame) does not come after \(before.frame), the frame of the previous point"
        }
        guard point.frame - before.frame <= UInt32.max else {
            return
                "its frame \(point.frame) is more than \(UInt32.max) frames after \(before.frame), the frame of the previous point"
        }
        return nil
    }

    /// Posts checked points, all or none: in a new transaction, or as part of the open one, which
    /// the caller cancels if this fails. The first point is a jump, each further one a curve from
    /// the previous point. Wait-free.
    func post(
        _ points: [AutomationPoint], of object: UInt64, to queue: OpaquePointer, coreValue: (Float) -> Float = { $0 }
    ) -> rcore_status_t {
        let isOwnTransaction = rcore_transaction_begin(queue) == RCORE_OK
        for index in points.indices {
            let point = points[index]
            // A curve of n frames has its value on the last of them; its first is the frame after
            // the previous point.
            let begin = index == 0 ? point.frame : points[index - 1].frame + 1
            let frames = index == 0 ? 0 : UInt32(clamping: point.frame - points[index - 1].frame)
            let status = rcore_post_curve(queue, core, object, coreValue(point.value), point.curve.shape, frames, begin)
            guard status == RCORE_OK else {
                if isOwnTransaction { rcore_transaction_cancel(queue) }
                return status
            }
        }
        return isOwnTransaction ? rcore_transaction_commit(queue) : RCORE_OK
    }

    /// Posts a ramp with a shape, from the parameter's current value.
    func ramp(
        to value: Float, frames: Int, curve: AutomationCurve, of object: UInt64, to queue: OpaquePointer,
        at time: UInt64?
    ) -> rcore_status_t {
        rcore_post_curve(queue, core, object, value, curve.shape, UInt32(clamping: frames), time ?? 0)
    }
}
