internal import CRenderCore

extension CommandQueue {
    /// Sends a message to an instrument or an output, as part of the queue's transaction if one is
    /// open. Wait-free, except for a system-exclusive message, which allocates memory and, outside
    /// a transaction, is sent in one of its own. Throws `invalidArgument` for a value out of range,
    /// or for a target of another engine, and `commandQueueFull`.
    public func send(
        _ message: MIDIMessage, to target: any MIDITarget, at time: UInt64? = nil
    ) throws(AudioEngineError) {
        try message.checkRange()
        guard target.midiIdentity.belongs(to: engine.control) else {
            throw .invalidArgument(what: "sending MIDI to a target of another engine")
        }
        let isAlone = message.isExclusive && rcore_transaction_begin(handle) == RCORE_OK
        var status = message.post(to: target.midiIdentity.number, handle, at: commandTime(time))
        if isAlone, status == RCORE_OK { status = rcore_transaction_commit(handle) }
        guard status == RCORE_OK else {
            if isAlone { rcore_transaction_cancel(handle) }
            throw AudioEngineError(status, "sending a MIDI message")
        }
    }
}
