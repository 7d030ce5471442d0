internal import CRenderCore

/// A point of an automation at a beat of the transport: on exactly the frame nearest to this beat,
/// the parameter has exactly this value.
public struct BeatAutomationPoint: Hashable, Sendable {
    /// The beat, 0…16,777,215.
    public var beat: Double
    /// The value, in the parameter's unit.
    public var value: Float
    /// The curve from the previous point to this one. The first point has no predecessor: the
    /// parameter jumps to its value, which is audible as a click.
    public var curve: AutomationCurve

    public init(beat: Double, value: Float, curve: AutomationCurve = .linear) {
        self.beat = beat
        self.value = value
        self.curve = curve
    }
}

extension CommandQueue {
    /// Moves a parameter through `points` at beats of a pass, all of them or none. Within a
    /// transaction, it is part of that. `at` does not concern it. Wait-free.
    ///
    /// Each point is exact, whatever the tempo does. Between two points, the curve is even in time.
    /// When the tempo becomes another than the tempo map's, or the map is replaced, the curve goes
    /// on from its value, and its rest is spread over the frames until its point. Points
    /// that the transport has passed take effect at once, and count as late: the parameter jumps to
    /// the value of the last one of them and reaches the next point on its frame.
    ///
    /// When the pass ends, because the transport stops or its position jumps, the points that have
    /// not begun are discarded. A curve that runs goes on to its value, in the frames that it had
    /// left. While the session is paused, a curve is held; afterwards, it goes on from there to its
    /// point, or has its value if that has passed.
    ///
    /// Throws `invalidArgument`, naming the first point that is not finite, out of the parameter's
    /// range or the range of beats, or not at a higher beat than the previous one; `voiceEnded`; or
    /// `commandQueueFull` if there are more points than free commands or free curves
    /// (`maximumCurves`), of which each point but the first takes one, linear ones too.
    public func automate(
        _ parameter: VoiceParameter, of voice: TriggeredVoice, _ points: [BeatAutomationPoint],
        in pass: TransportPosition.Pass
    ) throws(AudioEngineError) {
        let automated = parameter.automated
        try automated.check(points) { point, before in point.problem(after: before) }
        let status = AutomatedParameter.postTogether(to: handle) {
            for index in points.indices {
                let (point, time) = (points[index], points[index].time(in: pass))
                let status =
                    index == 0
                    ? automated.ramp(
                        to: point.value, frames: 0, curve: point.curve, of: voice.handle, to: handle, at: time)
                    : rcore_post_curve_to_beat(
                        handle, automated.core, voice.handle, point.value, point.curve.shape, time,
                        points[index - 1].time(in: pass))
                guard status == RCORE_OK else { return status }
            }
            return RCORE_OK
        }
        guard status == RCORE_OK else {
            throw AudioEngineError(status, "automating \(automated.name) through \(points.count) points at beats")
        }
    }
}

extension BeatAutomationPoint: AutomationValue {
    fileprivate func time(in pass: TransportPosition.Pass) -> UInt64 { rcore_beat_time(pass.number, beat) }

    /// Returns what is wrong with its beat; nil if that is valid.
    fileprivate func problem(after before: BeatAutomationPoint?) -> String? {
        guard beat >= 0, beat <= RCORE_MAX_BEAT else { return "its beat \(beat) is not in 0…16,777,215" }
        guard let before, before.beat >= beat else { return nil }
        return "its beat \(beat) does not come after \(before.beat), the beat of the previous point"
    }
}
