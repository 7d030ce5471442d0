import AudioRendering

/// An effect that multiplies its input by a factor.
final class Scale: Sendable {
    /// The state of the effect: its factor, and the number of calls.
    ///
    /// Unchecked: it belongs to the render thread while a graph contains the effect; tests read it
    /// between cycles.
    nonisolated(unsafe) let state: UnsafeMutablePointer<(factor: Float, calls: Int)>

    init(_ factor: Float) {
        state = .allocate(capacity: 1)
        state.initialize(to: (factor, 0))
    }

    deinit { state.deallocate() }

    var pointer: UnsafeMutableRawPointer { UnsafeMutableRawPointer(state) }

    static let render: AudioInsert.Function = { context, planes, channels, frames in
        guard let state = context?.assumingMemoryBound(to: (factor: Float, calls: Int).self), let planes else { return }
        state.pointee.calls += 1
        for channel in 0..<Int(channels) {
            for frame in 0..<Int(frames) { planes[channel]?[frame] *= state.pointee.factor }
        }
    }
}

/// An effect that delays both channels of a bus by a number of frames.
final class Delay: Sendable {
    private struct State {
        let frames: Int
        let line: UnsafeMutablePointer<Float>
        var next = 0
    }
    private nonisolated(unsafe) let state: UnsafeMutablePointer<State>

    init(frames: Int) {
        let line = UnsafeMutablePointer<Float>.allocate(capacity: 2 * frames)
        line.initialize(repeating: 0, count: 2 * frames)
        state = .allocate(capacity: 1)
        state.initialize(to: State(frames: frames, line: line))
    }

    deinit {
        state.pointee.line.deallocate()
        state.deallocate()
    }

    func insert() throws -> AudioInsert {
        try AudioInsert(latencyFrames: state.pointee.frames, context: state, owner: self) { context, planes, _, count in
            guard let state = context?.assumingMemoryBound(to: State.self), let planes, let left = planes[0],
                let right = planes[1]
            else { return }
            for frame in 0..<Int(count) {
                let place = 2 * state.pointee.next
                swap(&left[frame], &state.pointee.line[place])
                swap(&right[frame], &state.pointee.line[place + 1])
                state.pointee.next = (state.pointee.next + 1) % state.pointee.frames
            }
        }
    }
}

/// Returns an endless stereo source with a constant level.
func steady(_ level: Float = 0.25) throws -> VoiceSource {
    let plane = [Float](repeating: level, count: 4_800)
    return .buffer(try AudioBuffer([plane, plane]), loop: .forever)
}
