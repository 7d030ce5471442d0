import AudioRendering
import Foundation

/// The drums. Their keys are those of General MIDI.
enum Drum: UInt8, CaseIterable {
    case kick = 36
    case snare = 38
    case closedHat = 42
    case openHat = 46

    /// Returns what an instrument plays for the drum's key.
    func zone() throws -> InstrumentZone {
        let key = Int(rawValue)
        var zone = InstrumentZone(try sound(), keys: key...key, rootKey: key)
        zone.isOneShot = true
        if self == .closedHat || self == .openHat {
            // Each hit ends the one before.
            (zone.group, zone.chokedBy, zone.pan) = (1, 1, 0.3)
        }
        return zone
    }

    private func sound() throws -> AudioBuffer {
        switch self {
        case .kick:
            return try synthesize(seconds: 0.4, peak: 0.6) { time, _ in
                // A sine that falls from 190 to 45 Hz: the phase is the integral of the frequency.
                let cycles = 45 * time + 145 * 0.03 * (1 - exp(-time / 0.03))
                return sin(2 * .pi * cycles) * exp(-time / 0.12)
            }
        case .snare:
            return try synthesize(seconds: 0.3, peak: 0.45) { time, noise in
                let skin = sin(2 * .pi * 185 * time) + 0.6 * sin(2 * .pi * 330 * time)
                return 0.5 * skin * exp(-time / 0.05) + noise * exp(-time / 0.08)
            }
        case .closedHat:
            return try synthesize(seconds: 0.12, peak: 0.25) { time, noise in noise * exp(-time / 0.025) }
        case .openHat:
            return try synthesize(seconds: 0.8, peak: 0.2) { time, noise in noise * exp(-time / 0.22) }
        }
    }
}

/// Returns a sound. `wave` returns a sample for a time in seconds and a sample of bright noise.
private func synthesize(seconds: Double, peak: Double, _ wave: (Double, Double) -> Double) throws -> AudioBuffer {
    let rate = 48_000
    let count = Int(seconds * Double(rate))
    var random: UInt32 = 1
    var last = (0.0, 0.0)
    let samples = (0..<count).map { frame in
        random = random &* 1_664_525 &+ 1_013_904_223
        let white = Double(random) / Double(UInt32.max) * 2 - 1
        let bright = white - 2 * last.0 + last.1  // the second difference: a high-pass filter
        last = (white, last.0)
        return wave(Double(frame) / Double(rate), bright / 4) * (1 - Double(frame) / Double(count))
    }
    let highest = samples.map(abs).max() ?? 1
    return try AudioBuffer([samples.map { Float($0 / highest * peak) }], sampleRate: rate)
}
