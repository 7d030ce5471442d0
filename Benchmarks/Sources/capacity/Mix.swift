import Foundation
import Processes

/// Voices that play loops, the same for all players.
struct Voices {
    let samples: Samples
    var count: Int
    /// The frames of a period.
    var frames: Int
    /// Whether voices are mono and each has a pan; otherwise they play channel to channel.
    var isPanned: Bool
    var motion = GainKind.flat
    var gain: Float = 1
    /// Whether voices play at 32 speeds between 0.7 and 1.4, none of them 1.
    var isPitched = false

    /// The number of different pans. The voices use them in turn.
    static let pans = 32
    static let rampFrames = 1 << 24

    /// Returns the pan at which a voice begins, between left (-1) and right (1). When ramping, it
    /// moves to the opposite in `rampFrames`.
    static func pan(_ voice: Int) -> Float { (Float(voice % pans) + 0.5) * (2 / Float(pans)) - 1 }

    /// Returns the source frames per output frame.
    func speed(_ voice: Int) -> Float { isPitched ? exp2((Float(voice % Self.pans) - 15.5) / 31) : 1 }

    /// Returns the gain of a commanded voice at the end of the period that begins at a frame.
    func commandedGain(_ frame: Int) -> Float { frame / frames % 2 == 0 ? 0.9 : 1 }

    /// Gains to left and right (of an unpanned voice both the same): those of a period's first
    /// frame, and their steps per frame.
    struct Ramp {
        var first: SIMD2<Float>
        var step = SIMD2<Float>.zero
    }

    /// Returns the ramps of all pans in the period that begins at a frame.
    func ramps(_ frame: Int) -> [Ramp] {
        (0..<Self.pans).map { pan in
            let from = gains(pan, frame)
            let step = (gains(pan, frame + frames) - from) / Float(frames)
            // A ramp reaches its target with its last frame, so the first frame is already one step
            // ahead.
            return Ramp(first: from + step, step: step)
        }
    }

    private func gains(_ pan: Int, _ frame: Int) -> SIMD2<Float> {
        let moved = motion == .ramping ? Double(frame) / Double(Self.rampFrames) : 0
        let gain =
            motion == .commanded && frame > 0 ? commandedGain(frame - frames) : self.gain * Float(1 - moved)
        guard isPanned else { return SIMD2(gain, gain) }
        let angle = 0.785_398_16 * (Self.pan(pan) * Float(1 - 2 * moved) + 1)
        return gain * SIMD2(cos(angle), sin(angle))
    }
}

/// What players play, and what must come out.
struct Mix {
    /// For errors.
    var text: String
    var voices: Voices
    /// The number of channels of each bus.
    var channels = 2
    /// The bus on which a voice plays.
    var bus: (_ voice: Int) -> Int = { _ in 0 }
    var outputs = 2
    /// The channel of the sum that an output carries; nil: silence.
    var channel: (_ output: Int) -> Int? = { $0 }
    /// The gain from the voices of a channel to the outputs.
    var factor: (_ channel: Int) -> Double = { _ in 1 }
    /// The frames after which a voice comes out.
    var delay: (_ voice: Int) -> Int = { _ in 0 }
    /// If the outputs are limited, what no sample may exceed: only that is known of them.
    var ceiling: Double?

    /// Returns the greatest difference between a player's last outputs and the expected ones, which
    /// end before `frame`: relative to the greatest expected sample, or absolute if all are
    /// silence. The voices have the given gains, by default their own.
    func difference(_ outputs: Planes, before frame: Int, _ ramps: [Voices.Ramp]? = nil) -> Double {
        let ramps = ramps ?? voices.ramps(frame - voices.frames)
        let sums = (0..<channels).map { sum($0, from: frame - voices.frames, ramps) }
        var (greatest, difference) = (0.0, 0.0)
        for output in 0..<outputs.count {
            let expected = channel(output).map { sums[$0] }
            for (index, sample) in outputs[output].enumerated() {
                let wanted = expected?[index] ?? 0
                greatest = max(greatest, abs(wanted))
                let distance = ceiling.map { abs(Double(sample)) - $0 } ?? abs(Double(sample) - wanted)
                // Not a number differs from everything.
                difference = distance.isNaN ? .infinity : max(difference, distance)
            }
        }
        return greatest > 0 ? difference / greatest : difference
    }

    private func sum(_ channel: Int, from frame: Int, _ ramps: [Voices.Ramp]) -> [Double] {
        var sum = [Double](repeating: 0, count: voices.frames)
        // Panned voices play on the first two channels.
        guard !voices.isPanned || channel < 2 else { return sum }
        let (factor, length) = (factor(channel), voices.samples.frames)
        for voice in 0..<voices.count {
            let ramp = ramps[voice % Voices.pans]
            let (gain, step) = (Double(ramp.first[channel % 2]), Double(ramp.step[channel % 2]))
            let samples = voices.samples.plane(voice, voices.isPanned ? 0 : channel)
            var position = (frame - delay(voice)) % length
            if position < 0 { position += length }
            for index in 0..<voices.frames {
                sum[index] += Double(samples[position]) * (gain + step * Double(index)) * factor
                position = position + 1 < length ? position + 1 : 0
            }
        }
        return sum
    }
}
