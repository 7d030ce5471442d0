import ArbiterTesting
import CAudioSession
import SessionArbiter
import SessionPolicy
import Testing

/// What happens to a page when another one begins, and when that one ends. The table of
/// Documentation/WebAudioSession.md has the same.
private enum Effect: Equatable {
    /// It plays on as it is.
    case none
    /// It is lowered, and restored afterwards.
    case lowered
    /// It is interrupted, and may resume afterwards.
    case interrupted
    /// The other one may not begin.
    case refused
    /// It plays on, and the other one is lowered meanwhile.
    case otherLowered
    /// The same, much lower: the first one is a conversation.
    case otherLoweredMuch
}

/// A page of this type, with a session of its own.
private struct Page {
    let session: CSession
    let type: asession_web_type_t

    /// A page without sound yet. A page of type auto plays media here.
    init(_ stage: ServiceFixture, _ type: asession_web_type_t) throws {
        self.type = type
        session = try CSession(stage.folder.socket)
        try session.ask { asession_set_web_type($0, type, UInt32(ASESSION_WEB_PLAYS_MEDIA), $1) }
        try session.ask { asession_answer_record_permission($0, true, $1) }
    }

    var state: String { String(cString: asession_web_state(session.session)) }
    var attenuation: Float { asession_gate_read(session.gate).attenuation }

    /// Begins to play, and to capture. Returns whether that is granted.
    func begin() -> Bool {
        var error = asession_error_t()
        guard asession_activate(session.session, &error) == ASESSION_OK else { return false }
        if type == ASESSION_WEB_PLAY_AND_RECORD {
            #expect(asession_set_recording(session.session, true, &error) == ASESSION_OK, "\(error.text)")
        }
        #expect(asession_set_playing(session.session, true, &error) == ASESSION_OK, "\(error.text)")
        return true
    }

    func end() throws {
        if type == ASESSION_WEB_PLAY_AND_RECORD { try session.ask { asession_set_recording($0, false, $1) } }
        try session.ask { asession_set_playing($0, false, $1) }
        try session.ask { asession_deactivate($0, true, $1) }
    }
}

@Suite("Types of the W3C's Audio Session API in C", .serialized)
struct CSessionWebTests {
    private static let types = [
        ASESSION_WEB_AUTO, ASESSION_WEB_PLAYBACK, ASESSION_WEB_TRANSIENT, ASESSION_WEB_TRANSIENT_SOLO,
        ASESSION_WEB_AMBIENT, ASESSION_WEB_PLAY_AND_RECORD,
    ]
    /// By the type of the first page, and that of the second.
    private static let effects: [[Effect]] = {
        let media: [Effect] = [.interrupted, .interrupted, .lowered, .interrupted, .none, .interrupted]
        return [
            media, media,
            [.otherLowered, .otherLowered, .lowered, .otherLowered, .otherLowered, .interrupted],
            media,
            [.none, .none, .lowered, .none, .none, .interrupted],
            [.otherLoweredMuch, .otherLoweredMuch, .refused, .otherLoweredMuch, .refused, .interrupted],
        ]
    }()

    /// Observes what happens when the second page begins and ends.
    private func effect(on first: Page, of second: Page) throws -> Effect {
        guard second.begin() else {
            #expect(first.state == "active" && first.attenuation == 0 && second.state == "inactive")
            return .refused
        }
        defer { try? second.end() }
        // Answered when everything that the decision means for the first page has been received.
        _ = try first.session.text { asession_request($0, #"{"request": "synchronise"}"#, $1) }
        if first.state == "interrupted" {
            #expect(second.state == "active" && second.attenuation == 0)
            return .interrupted
        }
        #expect(first.state == "active" && second.state == "active")
        switch (first.attenuation, second.attenuation) {
        case (0, 0): return .none
        case (14, 0): return .lowered
        case (0, 14): return .otherLowered
        case (0, 35): return .otherLoweredMuch
        default: throw TrialError("lowered by \(first.attenuation) and \(second.attenuation) dB")
        }
    }

    @Test("INT-3, ACT-5: a page is inactive again without an event, or because it may not begin")
    func inactiveWithoutEvent() throws {
        let stage = try ServiceFixture(trusted: true)
        let first = try Page(stage, ASESSION_WEB_PLAYBACK)
        let second = try Page(stage, ASESSION_WEB_TRANSIENT_SOLO)
        #expect(first.begin() && second.begin())
        _ = try first.session.awaits(ASESSION_EVENT_INTERRUPTION_BEGAN)
        #expect(first.state == "interrupted")
        try second.session.ask { asession_deactivate($0, false, $1) }
        #expect(first.session.waits { first.state == "inactive" })
        #expect(!first.session.events.contains { $0.kind == ASESSION_EVENT_INTERRUPTION_ENDED })
        try stage.witness.ask(.beginSystemSession(rank: .call, isRinging: false, isKept: false))
        let ambient = try Page(stage, ASESSION_WEB_AMBIENT)
        #expect(!ambient.begin() && ambient.state == "inactive")
    }

    @Test("ACT-2, ACT-3, ACT-8, ACT-18, DUCK-1, DUCK-7: every pair of types, as in the table")
    func pairs() throws {
        let stage = try ServiceFixture()
        try stage.witness.ask(.deactivate(stage.session, notifyOthers: false))
        for (type, row) in zip(Self.types, Self.effects) {
            for (other, expected) in zip(Self.types, row) {
                let names = [type, other].map { String(cString: asession_web_type_name($0)) }
                let (first, second) = (try Page(stage, type), try Page(stage, other))
                #expect(first.begin() && first.state == "active")
                let observed = try effect(on: first, of: second)
                #expect(observed == expected, "\(names)")
                if observed == .interrupted {
                    #expect(try first.session.awaits(ASESSION_EVENT_INTERRUPTION_ENDED).flag, "\(names)")
                    #expect(first.begin(), "\(names)")
                }
                #expect(first.session.waits { first.state == "active" && first.attenuation == 0 }, "\(names)")
            }
        }
    }
}
