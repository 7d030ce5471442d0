internal import CRenderCore
internal import Platform

/// Sample-rate changes. A source made for another rate than the server's plays at a correspondingly
/// scaled speed, so that pitch, tempo and position are preserved (keeps HW-3, HW-5). No frame is
/// lost or repeated, and no file is reopened.
extension AudioEngine {
    /// Returns the speed that the core needs: the requested speed times the ratio of the source's
    /// rate to the server's. At exactly 1, the source's samples are played bit for bit.
    static func speed(_ speed: Float, of source: VoiceSource, at sampleRate: Int) -> Float {
        guard let sourceRate = source.sampleRate, sampleRate > 0, sourceRate != sampleRate else { return speed }
        return Float(Double(speed) * Double(sourceRate) / Double(sampleRate))
    }

    /// Ramps a voice's speed, converted to the server's rate, and stores the requested speed, from
    /// which a later change of the rate computes it again.
    func setSpeed(
        _ speed: Float, of voice: Voice, rampFrames: Int, curve: AutomationCurve, at time: UInt64?
    ) throws(AudioEngineError) {
        let status = control.withLock { control in
            let coreValue = Self.speed(speed, of: voice.source, at: control.sampleRate)
            let status = AutomatedParameter.voiceSpeed.ramp(
                to: coreValue, frames: rampFrames, curve: curve, of: voice.handle, to: core.queue, at: time)
            if status == RCORE_OK {
                voice.pace.withLock {
                    $0 = Voice.Pace(speed: speed, sampleRate: control.sampleRate, beginsAt: time ?? 0)
                }
            }
            applyCommandsIfIdle(&control)
            return status
        }
        guard status == RCORE_OK else { throw AudioEngineError(status, "a speed of \(speed)") }
    }

    /// Stores the server's rate and updates the speed of every voice. What cannot be updated now,
    /// the background work updates later.
    func adopt(sampleRate: Int, _ control: inout Control) {
        guard control.sampleRate != sampleRate else { return }
        control.sampleRate = sampleRate
        control.hasOutdatedSpeeds = true
        if let delay = updateOutdatedSpeeds(&control), driver.hasClock { background.runWork(after: delay) }
    }

    /// Posts the speed of every voice whose speed was computed for another rate. Does nothing if
    /// there is none. Returns after how many seconds to call it again; nil if no voice is left.
    func updateOutdatedSpeeds(_ control: inout Control) -> Double? {
        guard control.hasOutdatedSpeeds else { return nil }
        control.hasOutdatedSpeeds = false
        var delay = 1.0
        let now = rcore_time(core.handle)
        for voice in control.voices.values where voice.source.sampleRate != nil {
            let pace = voice.pace.withLock { $0 }
            guard pace.sampleRate != control.sampleRate else { continue }
            let speed = Self.speed(pace.speed, of: voice.source, at: control.sampleRate)
            let status = rcore_post_speed(core.queue, voice.handle, min(max(speed, 1 / 16), 16), 0, 0)
            // A command for a future frame still has the value for the previous rate. Its speed
            // therefore applies now, and is posted again once the command has taken effect. So is
            // one that the full queue refused. The core plays speeds from 1/16 to 16.
            if status == RCORE_OK, pace.beginsAt == 0 || pace.beginsAt < now {
                voice.pace.withLock { $0.sampleRate = control.sampleRate }
            } else {
                control.hasOutdatedSpeeds = true
                let ahead = pace.beginsAt > now ? Double(pace.beginsAt - now) / Double(control.sampleRate) : 0
                delay = min(delay, status == RCORE_OK ? ahead : 0)
            }
        }
        applyCommandsIfIdle(&control)
        // At least a few periods: the core has to make room or reach the frame.
        return control.hasOutdatedSpeeds ? max(delay, 0.005) : nil
    }
}
