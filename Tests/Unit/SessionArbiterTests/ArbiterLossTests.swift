import CSessionGate
import Foundation
import Platform
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// Notes what a session is told.
final class Witness: SessionObserver {
    let notices = Signpost<Effect.Kind>()
    let gates = Signpost<SessionGate>()

    func receive(_ notice: SessionNotice) { notices.note(notice.effect.kind) }
    func replaceGate(_ gate: SessionGate) { gates.note(gate) }
}

/// What a client does when its arbiter is lost, told by arbiters that do as a test's script says.
@Suite struct ArbiterLossTests {
    private let fakes = FakeArbiters()
    private let id = SessionID(1)

    /// An active session of this process, as an arbiter tells of its first.
    private static func news() -> SessionNews? {
        let arbiter = InProcessArbiter()
        guard let session = try? arbiter.register(app: AppID(UInt64(getpid())), observer: { _ in }),
            (try? arbiter.submit(.activate(session.id))) != nil
        else { return nil }
        return arbiter.status(of: session.id).map { SessionNews(status: $0, grant: 40) }
    }

    /// Gives the session of the first register this number and gate, and says that it is active.
    private static func takeIn(_ peer: FakeArbiter.Peer, _ id: SessionID, _ gate: FakeGate) -> Bool {
        while let message = peer.receive() {
            var reply = Reply()
            if case .register = message.request {
                if let news = news() { peer.send(.status(news)) }
                peer.send(.notice(SessionNotice(decision: 1, effect: Effect(id, .activated, .act1))))
                reply.session = id
                peer.send(.reply(message.serial, reply), descriptor: gate.descriptor)
                return true
            }
            peer.send(.reply(message.serial, reply))
        }
        return false
    }

    @Test("SRV-3: the next arbiter is told what the last one said, and its gate takes over; reading goes on meanwhile")
    func restored() throws {
        let (first, second) = (try FakeGate(), try FakeGate())
        let restorations = Signpost<ClientMessage.Restoration>()
        let hellos = Signpost<ClientMessage.Hello>()
        let mayEnd = DispatchSemaphore(value: 0)
        let mayRestore = DispatchSemaphore(value: 0)
        let fake = try fakes.start { peer in
            guard let hello = peer.welcome(as: UInt64(peer.number)) else { return }
            hellos.note(hello)
            guard peer.number > 1 else {
                _ = Self.takeIn(peer, id, first)
                return mayEnd.wait()
            }
            guard let message = peer.receive(), case .restore(let restoration) = message.request else { return }
            restorations.note(restoration)
            mayRestore.wait()
            peer.send(.reply(message.serial, Reply()), descriptor: second.descriptor)
            peer.obey()
        }
        let arbiter = try RemoteArbiter(at: fake.address)
        let witness = Witness()
        let registration = try arbiter.register(app: arbiter.app, observer: witness)
        #expect(registration.id == id)
        #expect(witness.notices.wait { $0 == [.activated] }, "what came before the reply is told")
        var word = sgate_verdict_t()
        word.attenuation = 14 * 256
        sgate_page_set_verdict(first.page, word)
        mayEnd.signal()
        #expect(restorations.wait { $0.count == 1 })
        #expect(arbiter.status(of: id)?.session.isActive == true)
        #expect(registration.gate.verdict.attenuation == 14, "the last verdict holds")
        mayRestore.signal()
        #expect(witness.gates.wait { $0.count == 1 })
        #expect(hellos.noted.map(\.restoring) == [0, 1] && hellos.noted.last?.arbiter == 1)
        let told = try #require(restorations.noted.first)
        #expect(told.record.session == arbiter.status(of: id)?.session && told.record.grant == 40)
        #expect(sgate_verdict_unpack(told.gate.verdict).attenuation == 14 * 256)
        sgate_page_set_verdict(second.page, word)
        #expect(witness.gates.noted.first?.verdict.attenuation == 14, "the observer has the new page")
        try arbiter.submit(.activate(id))
    }

    @Test("SRV-3: the next arbiter is told what this process saw on its server last")
    func devicesToldAgain() throws {
        let mayEnd = DispatchSemaphore(value: 0)
        let told = Signpost<PolicyAction>()
        let fake = try fakes.start { peer in
            peer.welcome(as: UInt64(peer.number))
            while let message = peer.receive() {
                if case .submit(let action) = message.request, peer.number > 1 { told.note(action) }
                peer.send(.reply(message.serial, Reply()))
                guard case .submit(.setDevices(_, _, let devices)) = message.request, peer.number == 1 else { continue }
                if !devices.isEmpty { return mayEnd.wait() }
            }
        }
        let arbiter = try RemoteArbiter(at: fake.address)
        let port = DevicePort(uid: "a:output", name: "a", type: .hdmi, direction: .output, channels: 2)
        let last = PolicyAction.setDevices(arbiter.app, server: "s", [Device(uid: "a", ports: [port])])
        try arbiter.submit(.setDevices(arbiter.app, server: "s", []))
        try arbiter.submit(last)
        mayEnd.signal()
        #expect(told.wait { $0 == [last] })
    }

    @Test("ACT-12, SRV-3: a session that the next arbiter does not take is shut and told; it has expired")
    func refused() throws {
        let gate = try FakeGate()
        let fake = try fakes.start { peer in
            peer.welcome(as: UInt64(peer.number))
            guard peer.number > 1 else { return _ = Self.takeIn(peer, id, gate) }
            guard let message = peer.receive() else { return }
            peer.send(.failure(message.serial, RequestError(.notPermitted, "No.")))
            peer.obey()
        }
        let arbiter = try RemoteArbiter(at: fake.address)
        let witness = Witness()
        _ = try arbiter.register(app: arbiter.app, observer: witness)
        #expect(witness.notices.wait { $0.last == .deactivatedBySystem })
        #expect(witness.gates.wait { $0.count == 1 })
        #expect(witness.gates.noted.first?.verdict.isPaused == true)
        #expect(arbiter.status(of: id) == nil)
        let error = #expect(throws: ArbiterError.self) { try arbiter.submit(.activate(id)) }
        guard case .refused(let refusal) = error else { throw try #require(error) }
        #expect(refusal.code == .expiredSession && refusal.rule == .act12)
    }

    @Test("ACT-12: who is cut off comes back to the same arbiter with what it held, and is told what that says of it")
    func cutOff() throws {
        let (first, second) = (try FakeGate(), try FakeGate())
        let hellos = Signpost<ClientMessage.Hello>()
        let fake = try fakes.start { [id] peer in
            guard let hello = peer.welcome(as: 5) else { return }
            hellos.note(hello)
            guard peer.number > 1 else { return _ = Self.takeIn(peer, id, first) }
            guard let message = peer.receive(), case .restore(let restoration) = message.request else { return }
            guard var news = Self.news() else { return }
            news.status.session = restoration.record.session
            news.status.session.activity = .inactive(since: .zero)
            peer.send(.reply(message.serial, Reply()), descriptor: second.descriptor)
            peer.send(.status(news))
            peer.send(.notice(SessionNotice(decision: 9, effect: Effect(id, .deactivatedBySystem, .act12))))
            peer.obey()
        }
        let arbiter = try RemoteArbiter(at: fake.address)
        let witness = Witness()
        _ = try arbiter.register(app: arbiter.app, observer: witness)
        #expect(witness.notices.wait { $0 == [.activated, .deactivatedBySystem] })
        #expect(arbiter.status(of: id)?.session.isActive == false)
        #expect(witness.gates.wait { !$0.isEmpty })
        #expect(witness.gates.noted.first?.verdict.isPaused == true)
        #expect(hellos.noted.map(\.arbiter) == [nil, 5])
        try arbiter.submit(.activate(id))
    }

    @Test("SRV-3: a session that is given up while there is no arbiter is not restored")
    func givenUp() throws {
        let gate = try FakeGate()
        let restored = Signpost<Int>()
        let fake = try fakes.start { peer in
            if peer.number == 1 {
                peer.welcome(as: 1)
                _ = Self.takeIn(peer, id, gate)
                // Ends by the unregister, which it does not answer.
                _ = peer.receive()
                return
            }
            if let hello = peer.welcome(as: 2) { restored.note(hello.restoring) }
            peer.obey()
        }
        let arbiter = try RemoteArbiter(at: fake.address)
        let registration = try arbiter.register(app: arbiter.app) { _ in }
        try arbiter.submit(.unregister(registration.id))
        let isRestored = withExtendedLifetime(arbiter) { restored.wait { $0 == [0] } }
        #expect(isRestored)
    }

    @Test("A request whose arbiter dies is asked of the next one")
    func askedAgain() throws {
        let asked = Signpost<Int>()
        let fake = try fakes.start { peer in
            peer.welcome(as: UInt64(peer.number))
            while let message = peer.receive() {
                if case .submit = message.request {
                    asked.note(peer.number)
                    if peer.number == 1 { return }
                }
                peer.send(.reply(message.serial, Reply()))
            }
        }
        let arbiter = try RemoteArbiter(at: fake.address)
        try arbiter.submit(.setVolume(0.5))
        #expect(asked.noted == [1, 2])
    }

    @Test("A session that is granted after its client gave up waiting is given back")
    func lateGrant() throws {
        let undone = Signpost<PolicyAction>()
        let mayAnswer = DispatchSemaphore(value: 0)
        let gate = try FakeGate()
        let fake = try fakes.start { peer in
            peer.welcome()
            while let message = peer.receive() {
                var reply = Reply()
                switch message.request {
                case .register:
                    mayAnswer.wait()
                    reply.session = SessionID(9)
                    peer.send(.reply(message.serial, reply), descriptor: gate.descriptor)
                    continue
                case .submit(let action): undone.note(action)
                default: break
                }
                peer.send(.reply(message.serial, reply))
            }
        }
        let arbiter = try RemoteArbiter(at: fake.address)
        #expect(throws: ArbiterError.self) { try arbiter.register(app: arbiter.app) { _ in } }
        mayAnswer.signal()
        #expect(undone.wait { $0 == [.unregister(SessionID(9))] })
        #expect(arbiter.status(of: SessionID(9)) == nil)
    }

    @Test("An arbiter that is let go ends its connection, also while it looks for another")
    func letGo() throws {
        let ended = Signpost<Int>()
        let fake = try fakes.start { peer in
            peer.welcome(as: UInt64(peer.number))
            peer.obey()
            ended.note(peer.number)
        }
        do { _ = try RemoteArbiter(at: fake.address) }
        #expect(ended.wait { $0 == [1] })
    }
}
