internal import CRenderCore

/// Where MIDI messages can be sent: an instrument or an output.
///
/// Only the engine creates targets: ``MIDITargetIdentity`` has no public initializer.
public protocol MIDITarget: AnyObject, Sendable {
    /// The target's identity among those of its engine.
    var midiIdentity: MIDITargetIdentity { get }
}

/// The identity of a target, which no other target of the engine had or will have.
public final class MIDITargetIdentity: Sendable {
    let number: UInt32
    private weak let control: EngineControl?

    init(number: UInt32, control: EngineControl) {
        self.number = number
        self.control = control
    }

    func belongs(to control: EngineControl) -> Bool { self.control === control }

    /// The engine's control side; throws `engineGone`.
    var liveControl: EngineControl {
        get throws(AudioEngineError) {
            guard let control else { throw .engineGone }
            return control
        }
    }
}

extension MIDITarget {
    /// Sends messages, in order, on the engine frame `time`; nil is the next period. Either all are
    /// sent, or the call throws: `invalidArgument` for a message with a value out of range,
    /// `commandQueueFull` for more bytes than the engine's queue holds (six per command), or
    /// `engineGone`. Takes a lock; a thread that sends often uses `CommandQueue.send`.
    ///
    /// While the engine does not render, an output sends nothing, and an instrument follows the
    /// messages.
    public func send(_ messages: MIDIMessage..., at time: UInt64? = nil) throws(AudioEngineError) {
        try send(messages, at: time)
    }

    /// Ends all notes at once: sends "all sound off" and "reset all controllers" on every channel.
    /// Call it before you release an output whose notes may sound: the port is removed then, and
    /// its receiver would keep them. Throws what `send` throws.
    public func silence(at time: UInt64? = nil) throws(AudioEngineError) {
        let channels: [UInt8] = Array(0...15)
        try send(
            channels.flatMap { channel -> [MIDIMessage] in
                [
                    .controlChange(channel: channel, controller: 120, value: 0),
                    .controlChange(channel: channel, controller: 121, value: 0),
                ]
            }, at: time)
    }

    /// Sends an array of messages like the other method.
    public func send(_ messages: [MIDIMessage], at time: UInt64? = nil) throws(AudioEngineError) {
        for message in messages { try message.checkRange() }
        let (control, target) = (try midiIdentity.liveControl, midiIdentity.number)
        try control.withState { state throws(AudioEngineError) in
            try control.transaction { queue in
                for message in messages {
                    let status = message.post(to: target, queue, at: time ?? 0)
                    guard status == RCORE_OK else { return status }
                }
                return RCORE_OK
            }
            control.applyCommandsIfIdle(&state)
        }
    }
}

extension CommandQueue {
    /// Sends a message to an instrument or an output, as part of the queue's transaction if one is
    /// open. Wait-free for messages other than system-exclusive ones; a system-exclusive message
    /// outside a transaction is sent in one of its own. Throws `invalidArgument` for a value out of
    /// range, or for a target of another engine, and `commandQueueFull`.
    public func send(
        _ message: MIDIMessage, to target: any MIDITarget, at time: UInt64? = nil
    ) throws(AudioEngineError) {
        try message.checkRange()
        guard target.midiIdentity.belongs(to: engine.control) else {
            throw .invalidArgument(what: "sending MIDI to a target of another engine")
        }
        let isAlone = message.isExclusive && rcore_transaction_begin(handle) == RCORE_OK
        var status = message.post(to: target.midiIdentity.number, handle, at: time ?? 0)
        if isAlone, status == RCORE_OK { status = rcore_transaction_commit(handle) }
        guard status == RCORE_OK else {
            if isAlone { rcore_transaction_cancel(handle) }
            throw AudioEngineError(status, "sending a MIDI message")
        }
    }
}

extension MIDIMessage {
    fileprivate func checkRange() throws(AudioEngineError) {
        guard isValid else { throw .invalidArgument(what: "the MIDI message \(self), which has a value out of range") }
    }

    fileprivate var isExclusive: Bool {
        if case .systemExclusive = self { true } else { false }
    }

    /// Posts the message, in segments if it is long.
    fileprivate func post(to target: UInt32, _ queue: OpaquePointer, at time: UInt64) -> rcore_status_t {
        let bytes = bytes
        return bytes.withUnsafeBufferPointer { buffer in
            for first in stride(from: 0, to: buffer.count, by: Int(RCORE_MIDI_BYTES)) {
                let count = min(Int(RCORE_MIDI_BYTES), buffer.count - first)
                let status = rcore_post_midi(
                    queue, target, buffer.baseAddress.map { $0 + first }, UInt32(count), time)
                guard status == RCORE_OK else { return status }
            }
            return RCORE_OK
        }
    }
}
