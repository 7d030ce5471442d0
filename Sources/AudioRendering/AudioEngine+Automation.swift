internal import CRenderCore

/// Automation through the engine's own port.
extension AudioEngine {
    /// Moves a parameter of a bus, send or input through `points`, all or nothing. Without points nothing happens. Throws `invalidArgument`, which names the first point
    /// that cannot be, or `commandQueueFull`.
    func automate(
        _ parameter: AutomatedParameter, of slot: Int, _ points: [AutomationPoint]
    ) throws(AudioEngineError) {
        try parameter.check(points)
        try command("automating \(parameter.name) through \(points.count) points") { port in
            parameter.post(points, of: UInt64(clamping: slot), to: port)
        }
    }

    /// The same of a voice. Only its speed is reckoned for the server's rate, as when it is set.
    func automate(
        _ parameter: VoiceParameter, of voice: Voice, _ points: [AutomationPoint]
    ) throws(AudioEngineError) {
        let automated = parameter.automated
        try control.withLock { control throws(AudioEngineError) in
            let sampleRate = parameter == .speed ? control.sampleRate : 0
            let taken = { (value: Float) in Self.speed(value, of: voice.source, at: sampleRate) }
            try automated.check(points, taken: taken)
            let status = automated.post(points, of: voice.handle, to: core.port, taken: taken)
            if status == RCORE_OK, parameter == .speed, let last = points.last {
                voice.pace.withLock {
                    $0 = Voice.Pace(speed: last.value, sampleRate: control.sampleRate, beginsAt: last.frame)
                }
            }
            settle(&control)
            guard status == RCORE_OK else {
                throw AudioEngineError(status, "automating \(automated.name) through \(points.count) points")
            }
        }
    }
}
