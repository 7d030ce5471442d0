internal import CRenderCore

/// A matrix of gains from the channels of a source to those of a bus or route.
///
/// Unchecked `Sendable`: the C matrix is immutable.
public final class ChannelMap: @unchecked Sendable {
    let handle: OpaquePointer

    private init(_ handle: OpaquePointer) { self.handle = handle }

    /// The number of input channels.
    public var inputs: Int { Int(rcore_matrix_inputs(handle)) }
    /// The number of output channels.
    public var outputs: Int { Int(rcore_matrix_outputs(handle)) }

    /// Returns the standard map. Mono is sent to the front pair. To the same number of channels or
    /// more, channels are mapped one to one. To fewer channels, the map is the ITU-R BS.775
    /// downmix, scaled so that full scale cannot clip. Throws `invalidArgument` or `outOfMemory`.
    public static func standard(from inputs: Int, to outputs: Int) throws(AudioEngineError) -> ChannelMap {
        var status = RCORE_BAD_ARGUMENT
        guard inputs > 0, outputs > 0,
            let handle = rcore_matrix_create_standard(UInt32(clamping: inputs), UInt32(clamping: outputs), &status)
        else { throw AudioEngineError(status, "a channel map from \(inputs) to \(outputs) channels") }
        return ChannelMap(handle)
    }

    /// Returns a map of linear gains, one row per output, one column per input. Throws
    /// `invalidArgument` or `outOfMemory`.
    public static func gains(_ rows: [[Float]]) throws(AudioEngineError) -> ChannelMap {
        let inputs = rows.first?.count ?? 0
        var status = RCORE_BAD_ARGUMENT
        guard rows.allSatisfy({ $0.count == inputs }),
            let handle = rcore_matrix_create(
                UInt32(clamping: inputs), UInt32(clamping: rows.count), rows.flatMap { $0 }, &status)
        else { throw AudioEngineError(status, "a channel map of \(rows.count) rows") }
        return ChannelMap(handle)
    }

    deinit { rcore_matrix_destroy(handle) }

    /// Returns the linear gain from one input to one output channel; 0 outside the map.
    public func gain(input: Int, output: Int) -> Float {
        guard input >= 0, output >= 0 else { return 0 }
        return rcore_matrix_gain(handle, UInt32(output), UInt32(input))
    }
}

extension ChannelMap: Equatable {
    /// Whether both maps have the same gains.
    public static func == (a: ChannelMap, b: ChannelMap) -> Bool {
        a.inputs == b.inputs && a.outputs == b.outputs
            && (0..<a.inputs).allSatisfy { input in
                (0..<a.outputs).allSatisfy { a.gain(input: input, output: $0) == b.gain(input: input, output: $0) }
            }
    }
}
