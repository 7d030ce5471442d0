internal import CRenderCore

/// Which transport an engine has, and what moves it.
public enum TransportRole: Hashable, Sendable {
    /// The engine's own transport, which no other program sees: the engine starts and stops it on
    /// any frame.
    case own
    /// The server's transport, which all its clients share: the engine follows it, wherever it was
    /// started or moved. Its beats are those of its leader or, without one, of the engine's tempo
    /// map.
    case follower
    /// The server's transport, which the engine follows, and whose leader it is: its tempo map says
    /// to all clients where the beats are. JACK calls the leader timebase master.
    case leader
    /// The engine's own transport, which follows a MIDI clock: that of the inputs that are
    /// connected to it (`MIDIInput.connect`), of one sender at a time. The sender starts, stops and
    /// moves the transport, and sets its tempo; the engine's tempo map has the meters and bars.
    ///
    /// The transport rolls from the frame of the first clock after a start or continue on. Jitter
    /// is averaged over two quarter notes; another tempo is followed after two clocks. When no
    /// clock has come for 0.25 s, and for six times their distance, the transport waits for the
    /// next one (`TransportPosition.isStarting`). Drivers never get this role.
    case midiClock
    /// The engine's own transport, which follows MIDI time code: that of the inputs that are
    /// connected to it, of one sender at a time. The time of the tempo map is that of the time
    /// code, from `AudioTransport.timeCodeStart` on.
    ///
    /// After a full message, which most senders send when they are moved, the transport rolls from
    /// the next quarter frame on. Otherwise, the time code is known after two to four of its
    /// frames; the transport is then moved two frames ahead (`TransportPosition.isStarting`), so
    /// that schedulers can prepare, and rolls from there when the time code has arrived. Jitter is
    /// averaged, and the speed of the tape is followed. It stops when no time code has come for 0.1
    /// s, or when the time code jumps or runs backwards. Codes of 23.976 and 29.97 frames per
    /// second without drop frame arrive as 24 and 30: the piece is then 0.1 % slower than the map.
    /// Drivers never get this role.
    case midiTimeCode
}

extension TransportRole {
    /// What the driver does with the server's transport.
    var ofDriver: TransportRole { followsMIDI ? .own : self }
    var followsMIDI: Bool { self == .midiClock || self == .midiTimeCode }

    /// Where the core takes the position from.
    var source: rcore_transport_source_t {
        switch self {
        case .own: RCORE_TRANSPORT_OWN
        case .follower, .leader: RCORE_TRANSPORT_SERVER
        case .midiClock: RCORE_TRANSPORT_MIDI_CLOCK
        case .midiTimeCode: RCORE_TRANSPORT_TIME_CODE
        }
    }
}
