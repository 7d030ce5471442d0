import CSessionGate
import FakeArbiter
import Foundation
import Platform
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// How a process that arbitrates for itself joins an arbiter, tested with scripted arbiters.
@Suite struct JoiningTests {
    private let fakes = FakeArbiters()

    /// Replies to a client that joins as the service does, except that it notifies its sessions of
    /// nothing but what `beforeLastReply` sends.
    private static func obey(
        _ peer: FakeArbiter.Peer, _ gates: [FakeGate],
        beforeLastReply: (FakeArbiter.Peer, [ClientMessage.Restoration]) -> Void
    ) {
        var restorations: [ClientMessage.Restoration] = []
        var hasSent = false
        while let message = peer.receive() {
            switch message.request {
            case .restore(let restoration):
                let gate = gates[restorations.count]
                sgate_page_set_grant(gate.page, sgate_grant_unpack(restoration.gate.grant))
                restorations.append(restoration)
                var reply = Reply()
                reply.session = restoration.record.session.id
                peer.send(.reply(message.serial, reply), descriptor: gate.descriptor)
            case .synchronise where !restorations.isEmpty:
                if !hasSent { beforeLastReply(peer, restorations) }
                hasSent = true
                peer.send(.reply(message.serial, Reply()))
            default: peer.send(.reply(message.serial, Reply()))
            }
        }
    }

    /// Returns the update by which an arbiter reports a restored session without changes.
    private static func update(_ restoration: ClientMessage.Restoration) -> SessionUpdate? {
        let record = restoration.record
        let alone = InProcessArbiter()
        guard let session = try? alone.register(app: record.session.app, observer: { _ in }),
            var status = alone.status(of: session.id), let grant = record.resolvedGrant
        else { return nil }
        status.session = record.session
        status.resolvedGrant = grant
        return SessionUpdate(status: status, grantNumber: record.grantNumber)
    }

    @Test("SRV-3: an arbiter that ends in the middle of the move changes nothing; the next one is joined")
    func lostMeanwhile() throws {
        let gates = [try FakeGate(), try FakeGate()]
        let joins = EventLog<ClientMessage.Join>()
        let mayContinue = DispatchSemaphore(value: 0)
        let fake = try fakes.start { peer in
            peer.welcome(as: UInt64(peer.number))
            while let message = peer.receive() {
                guard case .join(let join) = message.request else {
                    peer.send(.reply(message.serial, Reply()))
                    continue
                }
                joins.note(join)
                peer.send(.reply(message.serial, Reply()))
                // The first arbiters end when they have restored one of two sessions and notified
                // it, or have restored both; the client reconnects to one of them meanwhile.
                guard joins.noted.count > 2 else {
                    let isFirst = joins.noted.count == 1
                    for gate in isFirst ? Array(gates.prefix(1)) : gates {
                        guard let message = peer.receive(), case .restore(let restoration) = message.request else {
                            return
                        }
                        if let update = Self.update(restoration) { peer.send(.status(update)) }
                        let id = restoration.record.session.id
                        peer.send(.notice(SessionNotice(decision: 1, effect: Effect(id, .deactivatedBySystem, .act12))))
                        peer.send(.reply(message.serial, Reply()), descriptor: gate.descriptor)
                    }
                    return
                }
                mayContinue.wait()
                return Self.obey(peer, gates) { peer, restorations in
                    for restoration in restorations {
                        if let update = Self.update(restoration) { peer.send(.status(update)) }
                    }
                }
            }
        }
        let joined = EventLog<ArbiterAddress>()
        let arbiter = JoiningArbiter(at: { fake.address }, pauses: 0.02...0.02) { joined.note($0) }
        let (witness, other) = (Witness(), Witness())
        let music = try arbiter.register(app: arbiter.app, observer: witness)
        try arbiter.submit(.configure(music.id, .category(.playback, options: .mixWithOthers)))
        try arbiter.submit(.activate(music.id))
        let prompt = try arbiter.register(app: arbiter.app, observer: other)
        #expect(joins.wait { $0.count == 3 })
        arbiter.drain()
        #expect(!witness.notices.noted.contains(.deactivatedBySystem) && witness.gates.noted.isEmpty)
        #expect(arbiter.status(of: music.id)?.session.isActive == true && !music.gate.grant.isPaused)
        #expect(joins.noted.allSatisfy { $0.restoring == 2 && $0.application.id == arbiter.app })

        // A call during a move waits for its end, and goes to the arbiter that decides then.
        let called = Promise<Bool>()
        #expect(
            WorkerThread().start(name: "call") { called.set((try? arbiter.submit(.activate(prompt.id))) != nil) })
        mayContinue.signal()
        #expect(called.wait(seconds: 20) == true)
        #expect(joined.wait { $0.count == 1 })
        #expect(witness.gates.noted.count == 1 && other.gates.noted.count == 1)
        #expect(witness.gates.noted.first?.grant == music.gate.grant)
        #expect(arbiter.status(of: music.id)?.session.isActive == true)
        arbiter.drain()
        #expect(!witness.notices.noted.contains(.deactivatedBySystem))
    }

    @Test("SRV-3, ACT-11: notices of both arbiters come in one order; those of the next after the gates are replaced")
    func order() throws {
        let gates = [try FakeGate(), try FakeGate()]
        let received = EventLog<String>()
        let fake = try fakes.start { peer in
            peer.welcome()
            Self.obey(peer, gates) { peer, restorations in
                for restoration in restorations {
                    if let update = Self.update(restoration) { peer.send(.status(update)) }
                }
                let ids = restorations.map(\.record.session.id)
                for (number, id) in [ids[1], ids[0], ids[1], ids[0]].enumerated() {
                    let effect = Effect(id, .outputVolumeChanged(Float(number)), .vol1)
                    peer.send(.notice(SessionNotice(decision: UInt64(number), effect: effect)))
                }
            }
        }
        let joined = EventLog<ArbiterAddress>()
        let mayJoin = EventLog<Void>()
        let arbiter = JoiningArbiter(
            at: { () throws(ArbiterError) in
                guard !mayJoin.noted.isEmpty else { throw .unavailable("it may not be joined yet") }
                return fake.address
            }, pauses: 0.02...0.02
        ) { joined.note($0) }
        let observers = [Recorder("one", received), Recorder("two", received)]
        let sessions = try observers.map { try arbiter.register(app: arbiter.app, observer: $0) }
        let first = SessionID.own(ofProcess: getpid()).lowerBound
        #expect(sessions.map(\.id.rawValue) == [first, first + 1])
        arbiter.drain()
        let before = received.noted.count
        // The last notice of the first arbiter is delivered before those of the next.
        try arbiter.submit(.activate(sessions[0].id))
        mayJoin.note(())
        #expect(joined.wait { $0.count == 1 })
        arbiter.drain()
        let later = received.noted.dropFirst(before).filter { $0 != "one stateChanged" }
        #expect(
            Array(later.filter { !$0.hasSuffix("gate") }) == [
                "one activated", "two volume 0.0", "one volume 1.0", "two volume 2.0", "one volume 3.0",
            ])
        let volume = try #require(later.firstIndex { $0.contains("volume") })
        #expect(later[..<volume].filter { $0.hasSuffix("gate") }.sorted() == ["one gate", "two gate"])
    }

    @Test("HW-2: of two overrides, the server's own value remains known; the arbiter's takes precedence")
    func combinedOverrides() {
        let known = BufferSizeOverride(before: 1_024, ours: 256)
        let later = BufferSizeOverride(before: 256, ours: 128)
        let earlier = BufferSizeOverride(before: 2_048, ours: 1_024)
        #expect(known.combined(with: later) == BufferSizeOverride(before: 1_024, ours: 128))
        #expect(known.combined(with: earlier) == BufferSizeOverride(before: 2_048, ours: 256))
        #expect(known.combined(with: BufferSizeOverride(before: 512, ours: 64)) == known)
    }

    @Test("SRV-3, HW-2: the arbiter learns of the overrides that the process has made, and keeps its own")
    func overrides() throws {
        let service = try ServiceFolder()
        let address = try ArbiterAddress(path: service.socket)
        let other = try RemoteArbiter(at: address)
        let (known, made) = (BufferSizeOverride(before: 1_024, ours: 256), BufferSizeOverride(before: 512, ours: 64))
        other.setOverride(known)
        let joined = EventLog<ArbiterAddress>()
        let changes = EventLog<Void>()
        let arbiter = JoiningArbiter(at: { address }, pauses: 0.5...0.5) { joined.note($0) }
        arbiter.whenHardwareChanges { changes.note(()) }
        arbiter.setOverride(made)
        arbiter.setOverride(rate: SampleRateOverride(before: 48_000, ours: 44_100))
        #expect(joined.wait { $0.count == 1 })
        #expect(arbiter.hardware.bufferSizeOverride == known)
        #expect(arbiter.hardware.sampleRateOverride == SampleRateOverride(before: 48_000, ours: 44_100))
        #expect(changes.wait { !$0.isEmpty }, "the host is notified of the requests of the arbiter")
        other.drain()
        #expect(other.hardware.sampleRateOverride == SampleRateOverride(before: 48_000, ours: 44_100))
    }

    @Test("A process that is released before it has joined ends its search")
    func released() throws {
        let asked = EventLog<Void>()
        do {
            let arbiter = JoiningArbiter(
                at: { () throws(ArbiterError) in
                    asked.note(())
                    throw .unavailable("its folder cannot be used")
                }, pauses: 0.02...0.02)
            #expect(asked.wait { $0.count > 1 })
            withExtendedLifetime(arbiter) {}
        }
        #expect(eventually { OtherProcess.threads(of: getpid()).allSatisfy { $0.name != "audio-join" } })
    }
}

/// Records the notices and gates of a session in a log that it shares with others.
private final class Recorder: SessionObserver {
    private let name: String
    private let log: EventLog<String>

    init(_ name: String, _ log: EventLog<String>) { (self.name, self.log) = (name, log) }

    func receive(_ notice: SessionNotice) {
        if case .outputVolumeChanged(let volume) = notice.effect.kind {
            log.note("\(name) volume \(volume)")
        } else {
            log.note("\(name) \(notice.effect.kind)")
        }
    }

    func replaceGate(_ gate: SessionGate) { log.note("\(name) gate") }
}
