import CSessionGate
import FakeArbiter
import Foundation
import Platform
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// Records the notices and gates that a session receives.
final class Witness: SessionObserver {
    let notices = EventLog<Effect.Kind>()
    let gates = EventLog<SessionGate>()

    func receive(_ notice: SessionNotice) { notices.note(notice.effect.kind) }
    func replaceGate(_ gate: SessionGate) { gates.note(gate) }
}

/// The behavior of a client when it loses its arbiter, tested with scripted arbiters.
@Suite struct ArbiterLossTests {
    private let fakes = FakeArbiters()
    private let id = SessionID(1)

    /// Returns an active session of this process, as an arbiter reports its first one.
    private static func update() -> SessionUpdate? {
        let arbiter = InProcessArbiter()
        guard let session = try? arbiter.register(app: AppID(UInt64(getpid())), observer: { _ in }),
            (try? arbiter.submit(.activate(session.id))) != nil
        else { return nil }
        return arbiter.status(of: session.id).map { SessionUpdate(status: $0, grantNumber: 40) }
    }

    /// Replies to the first register request with this number and gate, and reports that the
    /// session is active.
    private static func takeIn(_ peer: FakeArbiter.Peer, _ id: SessionID, _ gate: FakeGate) -> Bool {
        while let message = peer.receive() {
            var reply = Reply()
            if case .register = message.request {
                if let update = update() { peer.send(.status(update)) }
                peer.send(.notice(SessionNotice(decision: 1, effect: Effect(id, .activated, .act1))))
                reply.session = id
                peer.send(.reply(message.serial, reply), descriptor: gate.descriptor)
                return true
            }
            peer.send(.reply(message.serial, reply))
        }
        return false
    }

    @Test("SRV-3: the client reports its last state to the next arbiter, whose gate takes over; reads continue")
    func restored() throws {
        let (first, second) = (try FakeGate(), try FakeGate())
        let restorations = EventLog<ClientMessage.Restoration>()
        let hellos = EventLog<ClientMessage.Hello>()
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
        #expect(witness.notices.wait { $0 == [.activated] }, "a notice before the reply is delivered")
        var word = sgate_grant_t()
        word.attenuation = 14 * 256
        sgate_page_set_grant(first.page, word)
        mayEnd.signal()
        #expect(restorations.wait { $0.count == 1 })
        #expect(arbiter.status(of: id)?.session.isActive == true)
        #expect(registration.gate.grant.attenuation == 14, "the last grant holds")
        mayRestore.signal()
        #expect(witness.gates.wait { $0.count == 1 })
        #expect(hellos.noted.map(\.restoring) == [0, 1] && hellos.noted.last?.arbiter == 1)
        let notified = try #require(restorations.noted.first)
        #expect(notified.record.session == arbiter.status(of: id)?.session && notified.record.grantNumber == 40)
        #expect(sgate_grant_unpack(notified.gate.grant).attenuation == 14 * 256)
        sgate_page_set_grant(second.page, word)
        #expect(witness.gates.noted.first?.grant.attenuation == 14, "the observer has the new page")
        try arbiter.submit(.activate(id))
    }

    @Test(
        "SRV-3: the client reports the devices it last saw on its server to the next arbiter", arguments: [false, true])
    func devicesNotifiedAgain(areAwaited: Bool) throws {
        let mayEnd = DispatchSemaphore(value: 0)
        let notified = EventLog<PolicyAction>()
        let fake = try fakes.start { peer in
            peer.welcome(as: UInt64(peer.number))
            while let message = peer.receive() {
                if case .submit(let action) = message.request, peer.number > 1 { notified.note(action) }
                peer.send(.reply(message.serial, Reply()))
                guard case .submit(.setDevices(_, _, let devices)) = message.request, peer.number == 1 else { continue }
                if !devices.isEmpty { return mayEnd.wait() }
            }
        }
        let arbiter = try RemoteArbiter(at: fake.address)
        let port = DevicePort(uid: "a:output", name: "a", type: .hdmi, direction: .output, channels: 2)
        let last = PolicyAction.setDevices(arbiter.app, server: "s", [AudioDevice(uid: "a", ports: [port])])
        try arbiter.submit(.setDevices(arbiter.app, server: "s", []))
        if areAwaited { try arbiter.submit(last) } else { arbiter.post(last) {} }
        mayEnd.signal()
        #expect(notified.wait { $0 == [last] })
    }

    @Test("ACT-12, SRV-3: a session that the next arbiter refuses is closed, notified and expired")
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
        #expect(witness.gates.noted.first?.grant.isPaused == true)
        #expect(arbiter.status(of: id) == nil)
        let error = #expect(throws: ArbiterError.self) { try arbiter.submit(.activate(id)) }
        guard case .refused(let refusal) = error else { throw try #require(error) }
        #expect(refusal.code == .expiredSession && refusal.rule == .act12)
    }

    @Test("ACT-12: a client that is cut off reconnects to the same arbiter, and receives the state of its sessions")
    func cutOff() throws {
        let (first, second) = (try FakeGate(), try FakeGate())
        let hellos = EventLog<ClientMessage.Hello>()
        let fake = try fakes.start { [id] peer in
            guard let hello = peer.welcome(as: 5) else { return }
            hellos.note(hello)
            guard peer.number > 1 else { return _ = Self.takeIn(peer, id, first) }
            guard let message = peer.receive(), case .restore(let restoration) = message.request else { return }
            guard var update = Self.update() else { return }
            update.status.session = restoration.record.session
            update.status.session.activity = .inactive(since: .zero)
            peer.send(.reply(message.serial, Reply()), descriptor: second.descriptor)
            peer.send(.status(update))
            peer.send(.notice(SessionNotice(decision: 9, effect: Effect(id, .deactivatedBySystem, .act12))))
            peer.obey()
        }
        let arbiter = try RemoteArbiter(at: fake.address)
        let witness = Witness()
        _ = try arbiter.register(app: arbiter.app, observer: witness)
        #expect(witness.notices.wait { $0 == [.activated, .deactivatedBySystem] })
        #expect(arbiter.status(of: id)?.session.isActive == false)
        #expect(witness.gates.wait { !$0.isEmpty })
        #expect(witness.gates.noted.first?.grant.isPaused == true)
        #expect(hellos.noted.map(\.arbiter) == [nil, 5])
        try arbiter.submit(.activate(id))
    }

    @Test("SRV-3: a session that is unregistered while there is no arbiter is not restored")
    func givenUp() throws {
        let gate = try FakeGate()
        let restored = EventLog<Int>()
        let fake = try fakes.start { peer in
            if peer.number == 1 {
                peer.welcome(as: 1)
                _ = Self.takeIn(peer, id, gate)
                // The unregister request ends the script, which does not answer it.
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

    @Test("A request whose arbiter dies is repeated to the next one")
    func askedAgain() throws {
        let asked = EventLog<Int>()
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

    @Test("A session that is granted after its client's timeout is deactivated again")
    func lateGrant() throws {
        let undone = EventLog<PolicyAction>()
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

    @Test("An arbiter that is released closes its connection, even while it is reconnecting")
    func letGo() throws {
        let ended = EventLog<Int>()
        let fake = try fakes.start { peer in
            peer.welcome(as: UInt64(peer.number))
            peer.obey()
            ended.note(peer.number)
        }
        do { _ = try RemoteArbiter(at: fake.address) }
        #expect(ended.wait { $0 == [1] })
    }
}
