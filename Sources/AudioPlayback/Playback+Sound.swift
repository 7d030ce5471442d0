internal import AudioRendering
internal import Platform

/// Volume, pan and speed of the voice: each value applies now, and from the next start on.
extension Playback {
    var sound: Sound { state.withLock { $0.sound } }

    func setVolume(_ volume: Float, fadeDuration: Double) {
        guard volume >= 0, volume.isFinite, fadeDuration >= 0, fadeDuration.isFinite else { return }
        change({ $0.volume = volume }) { try $0.setGain(volume, rampFrames: frames(fadeDuration)) }
    }

    func setPan(_ pan: Float) {
        guard !pan.isNaN else { return }
        let pan = min(max(pan, -1), 1)
        change({ $0.pan = pan }) { try $0.setPan(pan, rampFrames: fadeFrames) }
    }

    func setSpeed(_ speed: Float) {
        guard !speed.isNaN else { return }
        let speed = min(max(speed, 1 / 8), 8)
        change({ $0.speed = speed }) { try $0.setSpeed(speed, rampFrames: fadeFrames) }
        changes.send(())
    }

    /// Starts the stream again with another tempo, at its position.
    func setRate(_ rate: Float) {
        guard !rate.isNaN else { return }
        let rate = min(max(rate, 1 / 4), 4)
        guard rate != sound.rate else { return }
        change { $0.rate = rate }
        if state.withLock({ $0.voice != nil }) { move { $0.position } } else { changes.send(()) }
    }

    /// The levels of what is being played; nil while nothing is.
    var levels: [AudioLevel]? {
        let (voice, stream) = state.withLock { $0.phase == .playing ? ($0.voice, $0.stream) : (nil, nil) }
        guard let voice, let stream else { return nil }
        return stream.levels(after: voice.framesRendered)
    }
}

extension Playback {
    /// Changes how the voice sounds, from the next start on, and applies the change to the current
    /// voice.
    func change(_ change: (inout Sound) -> Void, _ apply: (Voice) throws -> Void = { _ in }) {
        let voice = state.withLock { state in
            change(&state.sound)
            return state.voice
        }
        if let voice { try? apply(voice) }
    }
}
