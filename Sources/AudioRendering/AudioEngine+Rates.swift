internal import CRenderCore

/// Rates: what was made for another rate than the server's plays slower or faster by as much, so that pitch, tempo and place stay (keeps HW-3,
/// HW-5). No frame is lost or doubled by that, and nothing is opened anew.
extension AudioEngine {
    /// A speed as the core takes it: that, and what the rates make of it. At exactly 1 the source's own bits are heard.
    static func speed(_ speed: Float, of source: VoiceSource, at sampleRate: Int) -> Float {
        guard let own = source.sampleRate, sampleRate > 0, own != sampleRate else { return speed }
        return Float(Double(speed) * Double(own) / Double(sampleRate))
    }

    func setSpeed(
        _ speed: Float, of voice: Voice, rampFrames: Int, curve: AutomationCurve, at time: UInt64?
    ) throws(AudioEngineError) {
        let status = control.withLock { control in
            let taken = Self.speed(speed, of: voice.source, at: control.sampleRate)
            let status = AutomatedParameter.voiceSpeed.ramp(
                to: taken, frames: rampFrames, curve: curve, of: voice.handle, to: core.port, at: time)
            if status == RCORE_OK {
                voice.pace.withLock {
                    $0 = Voice.Pace(speed: speed, sampleRate: control.sampleRate, beginsAt: time ?? 0)
                }
            }
            settle(&control)
            return status
        }
        guard status == RCORE_OK else { throw AudioEngineError(status, "a speed of \(speed)") }
    }

    /// Notes the server's rate, and has every voice follow it. Where the commands have no room for all, the background work goes on with it.
    func adopt(sampleRate: Int, _ control: inout Control) {
        guard control.sampleRate != sampleRate else { return }
        control.sampleRate = sampleRate
        control.hasOutdatedSpeeds = true
        followRate(&control)
    }

    func followRate(_ control: inout Control) {
        guard control.hasOutdatedSpeeds else { return }
        control.hasOutdatedSpeeds = false
        let now = rcore_time(core.handle)
        for voice in control.voices.values where voice.source.sampleRate != nil {
            let pace = voice.pace.withLock { $0 }
            guard pace.sampleRate != control.sampleRate else { continue }
            let speed = Self.speed(pace.speed, of: voice.source, at: control.sampleRate)
            let status = rcore_post_speed(core.port, voice.handle, min(max(speed, 1 / 16), 16), 0, 0)
            // A command for a frame to come was reckoned for the rate before: once more when it has been.
            if status == RCORE_OK, pace.beginsAt == 0 || pace.beginsAt < now {
                voice.pace.withLock { $0.sampleRate = control.sampleRate }
            } else {
                control.hasOutdatedSpeeds = true
            }
        }
        settle(&control)
    }
}
