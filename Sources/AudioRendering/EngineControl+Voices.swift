internal import CRenderCore
internal import Platform

/// A voice that was started and is not yet reclaimed, as the control side knows it.
struct StartedVoice {
    /// The speed that was last requested, and the sample rate that it was computed for.
    struct Pace {
        var speed: Float
        /// The server's rate, in Hz.
        var sampleRate: Int
        /// The engine frame from which the speed applies; 0: immediately.
        var beginsAt: UInt64
    }

    let bus: BusIdentity
    /// The sample rate of the voice's source; nil: any.
    let sourceRate: Int?
    var pace: Pace
}

/// Voices and their speeds.
///
/// A source made for another sample rate than the server's plays at a correspondingly scaled speed,
/// so that pitch, tempo and position are preserved when the server's rate changes (keeps HW-3,
/// HW-5). No frame is lost or repeated, and no file is reopened.
extension EngineControl {
    /// Starts a voice on an existing bus, with the speed in `parameters` converted to the server's
    /// rate.
    func start(
        _ voice: UInt64, _ parameters: rcore_voice_params_t, on bus: BusIdentity, sourceRate: Int?, at time: UInt64?
    ) throws(AudioEngineError) {
        try withState { state throws(AudioEngineError) in
            guard state.plan[bus] != nil else { throw bus.removed }
            let speed = parameters.speed
            var parameters = parameters
            parameters.speed = Self.speed(speed, sourceRate: sourceRate, at: state.sampleRate)
            let status = rcore_post_start(core.queue, voice, &parameters, time.commandTime)
            guard status == RCORE_OK else {
                throw AudioEngineError(
                    status,
                    "starting a voice with gain \(parameters.gain), speed \(speed), pan \(parameters.pan) and priority \(parameters.priority)"
                )
            }
            state.voices[voice] = StartedVoice(
                bus: bus, sourceRate: sourceRate,
                pace: .init(speed: speed, sampleRate: state.sampleRate, beginsAt: time.commandTime))
            applyCommandsIfIdle(&state)
        }
    }

    /// Whether a voice plays, or waits for its start, on a bus or on a bus below it. Voices on
    /// removed buses of a session count for the session's bus only.
    func hasPlayingVoices(on bus: BusIdentity) -> Bool {
        withState { state in
            let slots = state.plan.slots(under: bus)
            return state.voices.contains { handle, voice in
                guard voice.bus.session === bus.session, bus.name == nil || slots.contains(voice.bus.slot) else {
                    return false
                }
                let voiceState = rcore_voice_state(core.handle, handle)
                return voiceState == RCORE_VOICE_WAITING || voiceState == RCORE_VOICE_PLAYING
            }
        }
    }

    /// Returns the slots of those of the sessions that have no voice left. Omits a session whose
    /// slot already belongs to another one.
    func silentSlots(of sessions: some Sequence<BusIdentity>) -> [Int] {
        withState { state in
            sessions.filter { session in
                let current = state.plan.buses[session.slot]?.strip.identity
                return (current == nil || current === session)
                    && !state.voices.values.contains { $0.bus.session === session }
            }.map(\.slot).sorted()
        }
    }

    /// Removes the voices that have ended, and returns their handles, in order, with the sessions
    /// that they played for. The caller releases the handles.
    func takeEndedVoices() -> [(handle: UInt64, session: BusIdentity)] {
        withState { state in
            let ended = state.voices.filter { rcore_voice_state(core.handle, $0.key) == RCORE_VOICE_ENDED }
            for handle in ended.keys { state.voices[handle] = nil }
            return ended.map { (handle: $0.key, session: $0.value.bus.session) }.sorted { $0.handle < $1.handle }
        }
    }

    // MARK: Speeds

    /// Returns the speed that the core needs: the requested speed times the ratio of the source's
    /// rate to the server's. At exactly 1, the source's samples are played bit for bit.
    static func speed(_ speed: Float, sourceRate: Int?, at sampleRate: Int) -> Float {
        guard let sourceRate, sampleRate > 0, sourceRate != sampleRate else { return speed }
        return Float(Double(speed) * Double(sourceRate) / Double(sampleRate))
    }

    /// Ramps a voice's speed, converted to the server's rate, and stores the requested speed, from
    /// which a later change of the rate computes it again.
    func setSpeed(
        _ speed: Float, of voice: UInt64, rampFrames: Int, curve: AutomationCurve, at time: UInt64?
    ) throws(AudioEngineError) {
        let status = withState { state in
            let coreValue = Self.speed(speed, sourceRate: state.voices[voice]?.sourceRate, at: state.sampleRate)
            let status = AutomatedParameter.voiceSpeed.ramp(
                to: coreValue, frames: rampFrames, curve: curve, of: voice, to: core.queue, at: time.commandTime)
            if status == RCORE_OK {
                state.voices[voice]?.pace = .init(
                    speed: speed, sampleRate: state.sampleRate, beginsAt: time.commandTime)
            }
            applyCommandsIfIdle(&state)
            return status
        }
        guard status == RCORE_OK else { throw AudioEngineError(status, "a speed of \(speed)") }
    }

    /// Moves a parameter of a voice through `points`, as `Voice.automate` describes. Converts
    /// speeds, and only these, to the server's rate, as `setSpeed` does.
    func automate(
        _ parameter: VoiceParameter, of voice: UInt64, _ points: [AutomationPoint]
    ) throws(AudioEngineError) {
        let automated = parameter.automated
        try withState { state throws(AudioEngineError) in
            let (sourceRate, sampleRate) = (state.voices[voice]?.sourceRate, state.sampleRate)
            let coreValue = { (value: Float) in
                parameter == .speed ? Self.speed(value, sourceRate: sourceRate, at: sampleRate) : value
            }
            try automated.check(points, coreValue: coreValue)
            let status = automated.post(points, of: voice, to: core.queue, coreValue: coreValue)
            if status == RCORE_OK, parameter == .speed, let last = points.last {
                state.voices[voice]?.pace = .init(speed: last.value, sampleRate: sampleRate, beginsAt: last.frame)
            }
            applyCommandsIfIdle(&state)
            guard status == RCORE_OK else {
                throw AudioEngineError(status, "automating \(automated.name) through \(points.count) points")
            }
        }
    }

    /// Stores the server's rate and updates the speed of every voice. What cannot be updated now,
    /// the background work updates later.
    func adopt(sampleRate: Int, _ state: inout State) {
        guard state.sampleRate != sampleRate else { return }
        state.sampleRate = sampleRate
        state.hasOutdatedSpeeds = true
        updateOutdatedSpeeds(&state)
    }

    /// Posts the speed of every voice whose speed was computed for another rate. Does nothing if
    /// there is none. Schedules background work, which calls it again, if some voice is left.
    func updateOutdatedSpeeds(_ state: inout State) {
        guard state.hasOutdatedSpeeds else { return }
        state.hasOutdatedSpeeds = false
        var delay = 1.0
        let now = rcore_time(core.handle)
        for (handle, voice) in state.voices where voice.pace.sampleRate != state.sampleRate {
            guard let sourceRate = voice.sourceRate else { continue }
            let speed = Self.speed(voice.pace.speed, sourceRate: sourceRate, at: state.sampleRate)
            let status = rcore_post_speed(core.queue, handle, min(max(speed, 1 / 16), 16), 0, 0)
            // A command for a future frame still has the value for the previous rate. Its speed
            // therefore applies now, and is posted again once the command has taken effect. So is
            // one that the full queue refused. The core plays speeds from 1/16 to 16.
            let begin = voice.pace.beginsAt
            if status == RCORE_OK, begin == 0 || begin < now {
                state.voices[handle]?.pace.sampleRate = state.sampleRate
            } else {
                state.hasOutdatedSpeeds = true
                let ahead = begin > now ? Double(begin - now) / Double(state.sampleRate) : 0
                delay = min(delay, status == RCORE_OK ? ahead : 0)
            }
        }
        applyCommandsIfIdle(&state)
        // At least a few periods: the core has to make room or reach the frame. Not without cycles;
        // the engine's start calls this again.
        if state.hasOutdatedSpeeds, driver.hasClock, state.suspendedClock == nil {
            background.runWork(after: max(delay, 0.005))
        }
    }
}
