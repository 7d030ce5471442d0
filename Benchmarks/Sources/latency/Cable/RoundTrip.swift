import Foundation
import Processes

/// How long a way out and in again is, found by a sequence that was played over and over.
struct RoundTrip {
    /// Parts of frames are of the analogue part of the way.
    var frames: Double
    /// Of the way; decibels.
    var gain: Double
    var isInverted: Bool
    /// Which part of what came in, by energy, came the direct way, 0…1.
    var share: Double
    var isOverloaded: Bool

    /// Looks for the sequence, played at `level`, in what came in; its first length, in which the way fills, does not count. Throws what is wrong where it is
    /// not there, or not all of it.
    init(_ record: [Float], _ sequence: MaximumLengthSequence, level: Double) throws {
        let length = sequence.values.count
        let windows = (1..<record.count / length).map { record[($0 * length)..<(($0 + 1) * length)] }
        precondition(!windows.isEmpty, "two lengths of the sequence")
        guard record.contains(where: { $0 != 0 }) else {
            throw BenchmarkError(
                "Nothing comes in: every sample is 0. Is the cable plugged in at both ends, and the input not muted?")
        }
        let found = try windows.map { try Peak($0, sequence) }
        let places = found.map(\.place)
        if let low = places.min(), let high = places.max(), high - low > 0.5 {
            throw BenchmarkError(
                """
                The way is not of one length: it took \(low.formatted()) to \(high.formatted()) frames. Either the server was late meanwhile (try a longer period), or \
                input and output do not run by one clock.
                """)
        }
        let count = Double(found.count)
        let amplitude = found.reduce(0) { $0 + $1.amplitude } / count
        frames = places.reduce(0, +) / count
        gain = 20 * log10(abs(amplitude) / level)
        isInverted = amplitude < 0
        share = found.reduce(0) { $0 + $1.share } / count
        isOverloaded = record.contains { abs($0) >= 0.999 }
        guard share >= 0.5 else {
            throw BenchmarkError(
                """
                This is no cable: only \(Int(share * 100)) % of what comes in came the direct way. The rest is another sound, or a \
                room between a loudspeaker and a microphone.
                """)
        }
    }
}

/// The way's impulse response, where it is largest.
private struct Peak {
    var place: Double
    var amplitude: Double
    var share: Double

    /// Frames on either side that still belong to the direct way: what converters' filters ring.
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
                    ? "It is too quiet: what comes in has \(Int(loudness)) dB. Turn the output or the input up."
                    : "What comes in, at \(Int(loudness)) dB, is not what was played. Does the cable lead from this output to this input?"
            )
        }
        amplitude = at(0)
        share = min(1, near / energy)
        // A way that stops at half the rate answers by sin(x)/x: the larger neighbour tells how far its top is from a frame.
        let (before, after) = (at(-1) / at(0), at(1) / at(0))
        let larger = max(before, after, 0)
        let shift = larger / (1 + larger) * (after > before ? 1 : -1)
        // Neighbours that differ by hiss are no part of a frame.
        place = Double(best) + (abs(shift) < 0.01 ? 0 : shift)
    }
}
