import CAudioSession
import FakeArbiter
import Foundation
import Platform
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// Sessions of the C library at arbiters that misbehave.
@Suite("Sessions in C, and faults", .serialized)
struct CSessionFaultTests {
    /// What the fake has received.
    private final class Received: Sendable {
        private let requests = Mutex<[ClientMessage.Request]>([])
        func add(_ request: ClientMessage.Request) { requests.withLock { $0.append(request) } }
        var all: [ClientMessage.Request] { requests.withLock { $0 } }
    }

    private static let gate = Result { try FakeGate() }

    /// Sends what an arbiter says of its first session, which is active, and plays this.
    private static func sendState(_ peer: FakeArbiter.Peer, playing: NowPlayingInfo? = nil) {
        let arbiter = InProcessArbiter()
        let app = AppID(UInt64(getpid()))
        guard let session = try? arbiter.register(app: app, observer: { _ in }),
            (try? arbiter.submit(.activate(session.id))) != nil,
            (try? arbiter.submit(.setNowPlaying(session.id, playing))) != nil,
            let status = arbiter.status(of: session.id)
        else { return }
        peer.send(.application(arbiter.application(app)))
        peer.send(.status(SessionUpdate(status: status, grantNumber: 40)))
    }

    /// Answers requests like an arbiter until the client disconnects, or `body` returns false.
    private static func serve(
        _ peer: FakeArbiter.Peer, _ received: Received, hasState: Bool = true,
        _ body: (ClientMessage) -> Bool = { _ in true }
    ) {
        while let message = peer.receive() {
            received.add(message.request)
            guard body(message) else { return }
            var reply = Reply()
            switch message.request {
            case .register:
                if peer.number == 1, hasState { sendState(peer) }
                reply.session = SessionID(UInt64(peer.number))
                peer.send(.reply(message.serial, reply), descriptor: (try? gate.get().descriptor) ?? -1)
            case .restore:
                peer.send(.failure(message.serial, RequestError(.malformed, "It is not known.")))
            case .pong: break
            default: peer.send(.reply(message.serial, reply))
            }
        }
    }

    @Test("SRV-3: an arbiter that does not know the session gets another one with its configuration")
    func forgotten() throws {
        let received = Received()
        let fake = try FakeArbiter { peer in
            peer.welcome(as: UInt64(peer.number))
            Self.serve(peer, received) { message in
                // The first one dies at this request.
                guard peer.number == 1, case .submit(.setRunning) = message.request else { return true }
                return false
            }
        }
        let session = try CSession(fake.address.path)
        try session.ask { asession_set_category($0, ASESSION_PLAYBACK, ASESSION_SPOKEN_AUDIO, 0, $1) }
        try session.ask { asession_prefer($0, ASESSION_SAMPLE_RATE, 44_100, $1) }
        var error = asession_error_t()
        #expect(asession_set_playing(session.session, true, &error) == ASESSION_LOST)
        _ = try session.awaits(ASESSION_EVENT_ARBITER_LOST)
        _ = try session.awaits(ASESSION_EVENT_DEACTIVATED)
        _ = try session.awaits(ASESSION_EVENT_ARBITER_RETURNED)
        #expect(session.id == SessionID(2))
        let hasRestored = received.all.contains { if case .restore = $0 { true } else { false } }
        #expect(hasRestored, "it has tried to restore the first one")
        let isConfigured = session.waits {
            received.all.contains { request in
                guard case .submit(.configure(SessionID(2), .category(.playback, mode: .spokenAudio, _, _))) = request
                else { return false }
                return true
            }
        }
        #expect(isConfigured, "\(received.all)")
        let prefers = session.waits {
            received.all.contains {
                if case .submit(.prefer(SessionID(2), .sampleRate(44_100))) = $0 { true } else { false }
            }
        }
        #expect(prefers, "\(received.all)")
    }

    @Test("SRV-3: whatever the program has set is set again there, the category first, the position advanced")
    func forgottenSettings() throws {
        let received = Received()
        let fake = try FakeArbiter { peer in
            peer.welcome(as: UInt64(peer.number))
            Self.serve(peer, received) { message in
                if peer.number == 1, case .submit(.setNowPlaying(_, let info)) = message.request {
                    Self.sendState(peer, playing: info)
                }
                guard peer.number == 1, case .submit(.deactivate) = message.request else { return true }
                return false
            }
        }
        let session = try CSession(fake.address.path)
        try session.ask { asession_prefer_input($0, "table:in", $1) }
        try session.ask { asession_set_remote_commands($0, 1 << ASESSION_COMMAND_PLAY.rawValue, $1) }
        try session.ask { asession_set_ducks_only_while_audible($0, true, $1) }
        try session.ask { asession_set_ducks_only_while_audible($0, false, $1) }
        try session.ask { asession_set_input_muted($0, true, $1) }
        var playing = asession_now_playing_t()
        (playing.playback_state, playing.position, playing.rate) = (ASESSION_PLAYBACK_PLAYING, 10, 2)
        try session.ask { asession_set_now_playing($0, &playing, $1) }
        try session.ask { asession_set_category($0, ASESSION_RECORD, ASESSION_MODE_DEFAULT, 0, $1) }
        try session.ask { asession_override_output_to_speaker($0, true, $1) }
        try session.ask { asession_set_recording($0, true, $1) }
        var error = asession_error_t()
        #expect(asession_deactivate(session.session, true, &error) == ASESSION_LOST)
        _ = try session.awaits(ASESSION_EVENT_ARBITER_RETURNED)
        func again() -> [PolicyAction] {
            received.all.compactMap { if case .submit(let action) = $0 { action } else { nil } }.dropFirst(10)
                .map { $0 }
        }
        #expect(session.waits { again().count == 5 }, "\(again())")
        let actions = again()
        #expect(
            actions.first
                == .configure(
                    SessionID(2), .category(.record, mode: .default, options: [], routeSharingPolicy: .default)))
        #expect(actions.contains(.preferInput(SessionID(2), "table:in")))
        #expect(actions.contains(.setRemoteCommands(SessionID(2), [.play])))
        #expect(actions.contains(.setDucksOnlyWhileAudible(SessionID(2), false)))
        let position = actions.compactMap {
            if case .setNowPlaying(SessionID(2), let info) = $0 { info?.position } else { nil }
        }
        #expect(position.count == 1 && position.allSatisfy { $0 > 10 && $0 < 100 }, "\(position)")
    }

    @Test("A long reply that is missing, empty, a folder, too long, or no JSON is an error, and the session goes on")
    func longReplies() throws {
        let folder = try TemporaryDirectory()
        func file(_ name: String, _ content: String, size: Int? = nil) throws -> Int32 {
            let descriptor = open("\(folder.path)/\(name)", O_RDWR | O_CREAT, 0o600)
            #expect(write(descriptor, content, content.utf8.count) == content.utf8.count)
            if let size { #expect(ftruncate(descriptor, size) == 0) }
            return descriptor
        }
        let wrong = try [
            -1, open("/dev/null", O_RDONLY), open("/", O_RDONLY), file("empty", ""), file("text", "nonsense"),
            file("huge", "{}", size: 1 << 40), file("zeros", "", size: 1_000_000),
        ]
        let right = try file("right", #"{"reply": 0, "report": {"sessions": []}}"#)
        defer { (wrong + [right]).forEach { if $0 != -1 { close($0) } } }
        let next = Mutex((wrong + [right])[...])
        let received = Received()
        let fake = try FakeArbiter { peer in
            peer.welcome()
            Self.serve(peer, received) { message in
                guard case .report = message.request else { return true }
                let descriptor = next.withLock { $0.popFirst() } ?? -1
                peer.send(raw: Array(#"{"reply": \#(message.serial), "long": true}"#.utf8), descriptor: descriptor)
                return true
            }
        }
        let session = try CSession(fake.address.path)
        var error = asession_error_t()
        for descriptor in wrong {
            #expect(asession_request(session.session, #"{"request": "report"}"#, &error) == nil, "\(descriptor)")
            #expect(error.status == ASESSION_FAILED && error.text.contains("long reply"))
            try session.ask { asession_set_playing($0, true, $1) }
        }
        #expect(try session.text { asession_request($0, #"{"request": "report"}"#, $1) }.contains("sessions"))
    }

    @Test("Each ping is answered, and what is unknown is ignored")
    func pings() throws {
        let received = Received()
        let fake = try FakeArbiter { peer in
            peer.welcome()
            Self.serve(peer, received) { message in
                guard case .submit = message.request else { return true }
                for number in 1...3 {
                    peer.send(.ping(UInt64(number)))
                    peer.send(raw: Array(#"{"later": {"version": 2}, "list": [1, null, "x"]}"#.utf8))
                }
                return true
            }
        }
        let session = try CSession(fake.address.path)
        try session.ask { asession_set_playing($0, true, $1) }
        let pongs = { received.all.compactMap { if case .pong(let number) = $0 { number } else { nil } } }
        #expect(session.waits { pongs() == [1, 2, 3] })
    }

    @Test(
        "A packet that is no message ends the connection, and the next one is made",
        arguments: [
            "{", "[]", "1", "nonsense", "{\"reply\": 5", "\u{0}", String(repeating: "[", count: 10_000), "{\"a\": nul}",
        ])
    func malformed(_ packet: String) throws {
        let received = Received()
        let fake = try FakeArbiter { peer in
            peer.welcome(as: UInt64(peer.number))
            Self.serve(peer, received) { message in
                if peer.number == 1, case .submit = message.request { peer.send(raw: Array(packet.utf8)) }
                return true
            }
        }
        let session = try CSession(fake.address.path)
        var error = asession_error_t()
        #expect(asession_set_playing(session.session, true, &error) == ASESSION_LOST)
        _ = try session.awaits(ASESSION_EVENT_ARBITER_RETURNED)
        #expect(session.state.is_connected)
    }

    @Test("An arbiter that ends before it has said anything of the session: it is created again")
    func noStatus() throws {
        let received = Received()
        let fake = try FakeArbiter { peer in
            peer.welcome(as: UInt64(peer.number + 1))
            Self.serve(peer, received, hasState: false) { message in
                guard peer.number == 1, case .submit(.activate) = message.request else { return true }
                return false
            }
        }
        let session = try CSession(fake.address.path)
        var error = asession_error_t()
        #expect(asession_activate(session.session, &error) == ASESSION_LOST)
        _ = try session.awaits(ASESSION_EVENT_ARBITER_RETURNED)
        #expect(session.id == SessionID(2))
    }

    @Test("An arbiter that does not answer: the call returns within its limit, and others still work")
    func silence() throws {
        let received = Received()
        let fake = try FakeArbiter { peer in
            peer.welcome()
            while let message = peer.receive() {
                if case .submit(.activate) = message.request { continue }
                received.add(message.request)
                var reply = Reply()
                if case .register = message.request {
                    reply.session = SessionID(5)
                    peer.send(.reply(message.serial, reply), descriptor: (try? Self.gate.get().descriptor) ?? -1)
                } else {
                    peer.send(.reply(message.serial, reply))
                }
            }
        }
        let session = try CSession(fake.address.path)
        var error = asession_error_t()
        #expect(asession_activate(session.session, &error) == ASESSION_LOST)
        #expect(error.text.contains("does not answer") && session.state.is_connected)
        try session.ask { asession_set_playing($0, true, $1) }
    }

    @Test("An arbiter of another protocol version, or none, is no arbiter")
    func version() throws {
        let fake = try FakeArbiter { peer in
            guard let message = peer.receive() else { return }
            peer.send(.failure(message.serial, RequestError(.malformed, "Version 1 is not known.")))
        }
        var error = asession_error_t()
        #expect(asession_open(fake.address.path, &error) == nil)
        #expect(error.status == ASESSION_FAILED && error.text.contains("Version 1"))
        let other = try FakeArbiter { peer in
            peer.welcome(version: 2)
            peer.awaitEnd()
        }
        #expect(asession_open(other.address.path, &error) == nil)
        #expect(error.status == ASESSION_FAILED && error.text.contains("does not support version 1"))
    }

    @Test("SRV-3: the next arbiter speaks another version: requests fail and say so, and the gate stays as it is")
    func otherVersionNext() throws {
        let received = Received()
        let fake = try FakeArbiter { peer in
            peer.welcome(as: UInt64(peer.number), version: peer.number == 1 ? 1 : 2)
            Self.serve(peer, received) { message in
                guard case .submit(.deactivate) = message.request else { return true }
                return false
            }
        }
        let session = try CSession(fake.address.path)
        let before = session.render().samples
        var error = asession_error_t()
        #expect(asession_deactivate(session.session, true, &error) == ASESSION_LOST)
        _ = try session.awaits(ASESSION_EVENT_ARBITER_LOST)
        #expect(session.waits { asession_set_playing(session.session, true, &error) == ASESSION_FAILED })
        #expect(error.text.contains("does not support version 1") && !session.state.is_connected)
        #expect(session.render().samples == before)
    }
}
