internal import CRenderCore

/// Everything that can be automated, and how points are posted: one command for each, in one group.
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

    /// Throws `invalidArgument`, which names the first point that cannot be. `taken`: a value as the core takes it.
    func check(_ points: [AutomationPoint], taken: (Float) -> Float = { $0 }) throws(AudioEngineError) {
        for (index, point) in points.enumerated() {
            if let fault = fault(of: point, after: index > 0 ? points[index - 1] : nil, taken: taken) {
                throw .invalidArgument(what: "point \(index) of an automation of \(name): \(fault)")
            }
        }
    }

    private func fault(
        of point: AutomationPoint, after before: AutomationPoint?, taken: (Float) -> Float
    ) -> String? {
        let value = taken(point.value)
        guard value.isFinite else { return "its value \(point.value) is not finite" }
        if let limits, !limits.contains(value) {
            let reckoned = value == point.value ? "" : ", \(value) at the server's rate,"
            return "its value \(point.value)\(reckoned) is not in \(limits.lowerBound)…\(limits.upperBound)"
        }
        guard let before else { return nil }
        guard before.frame < point.frame else {
            return "its frame \(point.frame) does not come after \(before.frame), that of the point before"
        }
        guard point.frame - before.frame <= UInt32.max else {
            return
                "its frame \(point.frame) is more than \(UInt32.max) frames after \(before.frame), that of the point before"
        }
        return nil
    }

    /// Posts points that were checked, all or none, in a group of their own or as part of the one that is open. Wait-free.
    func post(
        _ points: [AutomationPoint], of object: UInt64, to port: OpaquePointer, taken: (Float) -> Float = { $0 }
    ) -> rcore_status_t {
        let isOwnGroup = rcore_group_begin(port) == RCORE_OK
        for index in points.indices {
            let point = points[index]
            // A curve of n frames has its value on the last of them; the frame after the point before is its first.
            let begin = index == 0 ? point.frame : points[index - 1].frame + 1
            let frames = index == 0 ? 0 : UInt32(clamping: point.frame - points[index - 1].frame)
            let status = rcore_post_curve(port, core, object, taken(point.value), point.curve.shape, frames, begin)
            guard status == RCORE_OK else {
                if isOwnGroup { rcore_group_cancel(port) }
                return status
            }
        }
        return isOwnGroup ? rcore_group_commit(port) : RCORE_OK
    }

    /// A ramp with a shape, from wherever the parameter is.
    func ramp(
        to value: Float, frames: Int, curve: AutomationCurve, of object: UInt64, to port: OpaquePointer,
        at time: UInt64?
    ) -> rcore_status_t {
        rcore_post_curve(port, core, object, value, curve.shape, UInt32(clamping: frames), time ?? 0)
    }
}
