import CCapacity

/// The lower bound for any mixer: the additions of a mix, and nothing else.
final class BoundPlayer: Player {
    let name: String
    let mix: Mix
    private(set) var frame = 0
    let outputs: Planes
    private let sums: Planes
    private let interpolated: Planes
    /// Pitched: the playhead of each voice, in 1/2^32 of a frame.
    private var playheads: [UInt64]
    private var bound = capacity_bound_t()
    private static let ahead = capacity_ahead

    /// Connections between buses, in the order of their additions.
    struct Connections {
        var list: [(from: Int, to: Int)]
        /// Whether each is an addition without a multiplication.
        var isUnity: Bool
        /// The number of buses, and those of which the outputs are copies.
        var buses: Int
        var mixed: Range<Int>
    }

    /// Adds the voices to their buses. Without connections, one bus is the output.
    init(_ name: String, _ mix: Mix, _ connections: Connections? = nil) {
        let (voices, channels) = (mix.voices, mix.channels)
        (self.name, self.mix) = (name, mix)
        sums = Planes(count: (connections?.buses ?? 1) * channels, frames: voices.frames)
        outputs = connections.map { Planes(count: $0.mixed.count * channels, frames: voices.frames) } ?? sums
        interpolated = Planes(count: 1, frames: voices.frames)
        playheads = Array(repeating: 0, count: voices.isPitched ? voices.count : 0)
        bound.nframes = UInt32(voices.frames)
        (bound.sums, bound.nsums, bound.stride) = (sums.samples, UInt32(sums.count), sums.stride)
        bound.interpolated = interpolated.samples
        bound.voices = pass(voices.count)
        bound.voices.channels = UInt32(voices.isPanned ? 1 : channels)
        bound.voices.stride = voices.samples.stride
        (bound.voices.panned, bound.voices.pitched) = (voices.isPanned, voices.isPitched)
        bound.voices.ramping = voices.motion != .flat
        for voice in 0..<voices.count {
            let addition = bound.voices.additions + voice
            addition.pointee.target = bus(mix.bus(voice))
            addition.pointee.speed = UInt64(Double(voices.speed(voice)) * 0x1p32)
        }
        if let connections { connect(connections) }
    }

    deinit {
        bound.voices.additions.deallocate()
        bound.connections.additions?.deallocate()
    }

    private func connect(_ connections: Connections) {
        bound.connections = pass(connections.list.count)
        (bound.connections.channels, bound.connections.stride) = (UInt32(mix.channels), sums.stride)
        bound.connections.unity = connections.isUnity
        for index in 0..<connections.list.count + Self.ahead {
            let (from, to) = connections.list[index % connections.list.count]
            let addition = bound.connections.additions + index
            (addition.pointee.samples, addition.pointee.target) = (UnsafePointer(bus(from)), bus(to))
            addition.pointee.gains = (1, 1)
        }
        bound.mixed = UnsafePointer(bus(connections.mixed.lowerBound))
        (bound.outputs, bound.noutputs) = (outputs.samples, UInt32(outputs.count))
    }

    private func pass(_ count: Int) -> capacity_pass_t {
        var pass = capacity_pass_t()
        (pass.additions, pass.count) = (.allocate(capacity: count + Self.ahead), UInt32(count))
        pass.additions.initialize(repeating: capacity_addition_t(), count: count + Self.ahead)
        return pass
    }

    private func bus(_ slot: Int) -> UnsafeMutablePointer<Float> { sums.samples + slot * mix.channels * sums.stride }

    func cycle() -> Double {
        prepare()
        let taken = capacity_mix(&bound)
        let length = UInt64(mix.voices.samples.frames) << 32
        for voice in playheads.indices {
            let distance = UInt64(mix.voices.frames) * bound.voices.additions[voice].speed
            playheads[voice] = (playheads[voice] + distance) % length
        }
        frame += mix.voices.frames
        return Double(taken)
    }

    /// Not timed: sets the samples and gains of a period.
    private func prepare() {
        let (ramps, samples, count) = (mix.voices.ramps(frame), mix.voices.samples, mix.voices.count)
        let position = UInt64(frame % samples.frames) << 32
        for index in 0..<count + Self.ahead {
            let voice = index < count ? index : index % count
            let playhead = mix.voices.isPitched ? playheads[voice] : position
            let (ramp, addition) = (ramps[voice % Voices.pans], bound.voices.additions + index)
            addition.pointee.samples = samples.plane(voice) + Int(playhead >> 32)
            addition.pointee.phase = UInt32(truncatingIfNeeded: playhead)
            addition.pointee.gains = (ramp.first.x, ramp.first.y)
            addition.pointee.steps = (ramp.step.x, ramp.step.y)
        }
    }
}
