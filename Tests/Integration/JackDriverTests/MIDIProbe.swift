import CMIDIProbe
import TestSupport
import Testing

/// A sender of MIDI and a listener for audio and MIDI, in one cycle with the program under test.
///
/// Unchecked `Sendable`: used by one test at a time.
final class MIDIProbe: @unchecked Sendable {
    /// An event, and its frame from the start of a recording on.
    struct Event: Hashable {
        var frame: Int
        var bytes: [UInt8]
    }
    struct Recording {
        /// From the start on.
        var audio: [Float]
        var events: [Event]
        /// The transport of the server in each cycle.
        var transport: [midi_probe_transport_t]
        /// The frames of the samples that are not 0.
        var onsets: [Int] { audio.indices.filter { audio[$0] != 0 } }
    }
    private let handle: OpaquePointer

    init(on server: ServerName, named name: String = "probe") throws {
        guard let handle = midi_probe_open(server.text, name) else {
            throw TestFailure("The MIDI probe cannot open its clients.")
        }
        self.handle = handle
    }

    deinit { midi_probe_close(handle) }

    /// Connects two ports. Waits until they exist: the libjack of PipeWire 1.4 hides another
    /// client's ports until it knows that the client is active.
    func connect(_ source: String, to destination: String) throws {
        guard eventually({ midi_probe_connect(handle, source, destination) }) else {
            throw TestFailure("'\(source)' cannot be connected to '\(destination)'.")
        }
    }

    /// Sends events and records, again if a client was late: then frames are missing, or an app, as
    /// `isLate` returns, has played something later or not at all. `prepare` runs before each
    /// attempt, `during` at its beginning and while it records.
    func record(
        _ events: [Event], frames: Int, prepare: () throws -> Void = {}, during: () throws -> Void = {},
        isLate: (Recording) -> Bool = { _ in false }
    ) throws -> Recording {
        for _ in 1...20 {
            try prepare()
            let sent = events.map { event in
                var sent = midi_probe_event_t()
                sent.frame = UInt32(event.frame)
                sent.size = UInt32(event.bytes.count)
                withUnsafeMutableBytes(of: &sent.bytes) { $0.copyBytes(from: event.bytes.prefix(16)) }
                return sent
            }
            midi_probe_play(handle, sent, UInt32(sent.count), UInt32(frames))
            try during()
            guard eventually({ midi_probe_is_done(handle) }) else { break }
            let recording = recording(frames)
            if midi_probe_missed(handle) == 0 && !isLate(recording) { return recording }
        }
        throw TestFailure("In every recording, a client was late.")
    }

    /// Waits, in `during`, until the recording has begun.
    func waitForBegin() {
        #expect(eventually { midi_probe_has_begun(handle) })
    }

    /// Waits, in `during`, until the recording has `frames` of sound, from its first sample that is
    /// not 0 on.
    func waitForSound(frames: Int) {
        #expect(eventually { midi_probe_heard(handle) >= UInt32(frames) })
    }

    private func recording(_ frames: Int) -> Recording {
        var audio = [Float](repeating: 0, count: frames)
        midi_probe_copy_audio(handle, &audio, UInt32(frames))
        var received = [midi_probe_event_t](repeating: midi_probe_event_t(), count: 8_192)
        let count = midi_probe_copy_events(handle, &received, UInt32(received.count))
        let events = received.prefix(Int(count)).map { event in
            Event(
                frame: Int(Int32(bitPattern: event.frame)),
                bytes: withUnsafeBytes(of: event.bytes) { Array($0.prefix(Int(event.size))) })
        }
        var cycles = [midi_probe_transport_t](repeating: midi_probe_transport_t(), count: 65_536)
        let cycleCount = midi_probe_copy_transport(handle, &cycles, UInt32(cycles.count))
        return Recording(audio: audio, events: events, transport: Array(cycles.prefix(Int(cycleCount))))
    }
}
