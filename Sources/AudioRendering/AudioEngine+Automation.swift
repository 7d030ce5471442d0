internal import CRenderCore
internal import Platform

/// Automation through the engine's own command queue.
extension AudioEngine {
    /// Moves a parameter of a bus, send or input through `points`, all of them or none. Without
    /// points, nothing happens. Throws `invalidArgument`, naming the first invalid point, or
    /// `commandQueueFull`.
    func automate(
        _ parameter: AutomatedParameter, of slot: Int, _ points: [AutomationPoint]
    ) throws(AudioEngineError) {
        try parameter.check(points)
        try command("automating \(parameter.name) through \(points.count) points") { queue in
            parameter.post(points, of: UInt64(clamping: slot), to: queue)
        }
    }

    /// Moves a parameter of a voice through `points`, as `Voice.automate` describes. Converts
    /// speeds, and only these, to the server's rate, as `setSpeed` does.
    func automate(
        _ parameter: VoiceParameter, of voice: Voice, _ points: [AutomationPoint]
    ) throws(AudioEngineError) {
        let automated = parameter.automated
        try control.withLock { control throws(AudioEngineError) in
            let sampleRate = control.sampleRate
            let coreValue = { (value: Float) in
                parameter == .speed ? Self.speed(value, of: voice.source, at: sampleRate) : value
            }
            try automated.check(points, coreValue: coreValue)
            let status = automated.post(points, of: voice.handle, to: core.queue, coreValue: coreValue)
            if status == RCORE_OK, parameter == .speed, let last = points.last {
                voice.pace.withLock {
                    $0 = Voice.Pace(speed: last.value, sampleRate: control.sampleRate, beginsAt: last.frame)
                }
            }
            applyCommandsIfIdle(&control)
            guard status == RCORE_OK else {
                throw AudioEngineError(status, "automating \(automated.name) through \(points.count) points")
            }
        }
    }
}
