import Foundation
import Processes

/// The length of a path out and back in, found with a sequence that was played repeatedly.
struct RoundTrip {
    /// The length in frames. Fractions stem from the analogue part of the path.
    var frames: Double
    /// The gain of the path, in decibels.
    var gain: Double
    var isInverted: Bool
    /// The part of the input's energy that came along the direct path, 0…1.
    var share: Double
    var isOverloaded: Bool

    /// Searches for the sequence, played at `level`, in the recording. The first length, during
    /// which the path fills, is ignored. Throws an error with the reason if the sequence is missing
    /// or incomplete.
    init(_ record: [Float], _ sequence: MaximumLengthSequence, level: Double) throws {
        let length = sequence.values.count
        let windows = (1..<record.count / length).map { record[($0 * length)..<(($0 + 1) * length)] }
        precondition(!windows.isEmpty, "two lengths of the sequence")
        guard record.contains(where: { $0 != 0 }) else {
            throw BenchmarkError(
                "Nothing comes in: every sample is 0. Check that the cable is plugged in at both ends, and that the input is not muted."
            )
        }
        let found = try windows.map { try Peak($0, sequence) }
        let positions = found.map(\.position)
        if let low = positions.min(), let high = positions.max(), high - low > 0.5 {
            throw BenchmarkError(
                """
                The path is not of one length: it took \(low.formatted()) to \(high.formatted()) frames. Either the server was late meanwhile (try a longer \
                period), or input and output do not share a clock.
                """)
        }
        let count = Double(found.count)
        let amplitude = found.reduce(0) { $0 + $1.amplitude } / count
        frames = positions.reduce(0, +) / count
        gain = 20 * log10(abs(amplitude) / level)
        isInverted = amplitude < 0
        share = found.reduce(0) { $0 + $1.share } / count
        isOverloaded = record.contains { abs($0) >= 0.999 }
        guard share >= 0.5 else {
            throw BenchmarkError(
                """
                This is no cable: only \(Int(share * 100)) % of the input came along the direct path. The rest is another sound, or the \
                room between a loudspeaker and a microphone.
                """)
        }
    }
}

/// The largest peak of the path's impulse response.
private struct Peak {
    var position: Double
    var amplitude: Double
    var share: Double

    /// The frames on either side that still belong to the direct path: the ringing of the
    /// converters' filters.
    private static let reach = 48

    init(_ incoming: ArraySlice<Float>, _ sequence: MaximumLengthSequence) throws {
        let response = sequence.correlate(incoming)
        let length = response.count
        let best = response.indices.max { abs(response[$0]) < abs(response[$1]) } ?? 0
        func at(_ offset: Int) -> Double { response[(best + offset + length) % length] }
        let near = (-Self.reach...Self.reach).reduce(0) { $0 + at($1) * at($1) }
        let energy = incoming.reduce(0) { $0 + Double($1) * Double($1) } / Double(length)
        let far = max(0, response.reduce(0) { $0 + $1 * $1 } - near) / Double(length - 2 * Self.reach - 1)
        guard abs(at(0)) > 20 * far.squareRoot() else {
            let loudness = 10 * log10(max(energy, 1e-20))
            throw BenchmarkError(
                loudness < -70
                    ? "The input is too quiet, at \(Int(loudness)) dB. Turn up the output or the input."
                    : "The input, at \(Int(loudness)) dB, is not what was played. Check that the cable connects this output to this input."
            )
        }
        amplitude = at(0)
        share = min(1, near / energy)
        // A path limited to half the sample rate responds with sin(x)/x: the larger neighbour shows
        // how far the peak is from a frame.
        let (before, after) = (at(-1) / at(0), at(1) / at(0))
        let larger = max(before, after, 0)
        let shift = larger / (1 + larger) * (after > before ? 1 : -1)
        // Ignores a difference between the neighbours that is only noise.
        position = Double(best) + (abs(shift) < 0.01 ? 0 : shift)
    }
}
