internal import CRenderCore

/// Where MIDI messages can be sent: an instrument, an output, or the transport, which can follow a
/// MIDI clock or time code.
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

    /// Ends all notes at once: sends "all sound off", "all notes off" and "reset all controllers"
    /// on every channel. Call it before you release an output whose notes may sound: the port is
    /// removed then, and its receiver would keep them. Throws what `send` throws.
    public func silence(at time: UInt64? = nil) throws(AudioEngineError) {
        let channels: [UInt8] = Array(0...15)
        try send(
            channels.flatMap { channel -> [MIDIMessage] in
                [
                    .controlChange(channel: channel, controller: 120, value: 0),
                    .controlChange(channel: channel, controller: 123, value: 0),
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
                    let status = message.post(to: target, queue, at: time.commandTime)
                    guard status == RCORE_OK else { return status }
                }
                return RCORE_OK
            }
            control.applyCommandsIfIdle(&state)
        }
    }
}
