import CSessionSocket
import FakeArbiter
import Foundation
import Platform
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// The connection to an arbiter, tested with scripted arbiters.
@Suite struct ConnectionTests {
    private let fakes = FakeArbiters()

    private func code(_ body: () throws -> Void) -> RequestError.Code? {
        do { try body() } catch let error as RequestError { return error.code } catch {}
        return nil
    }

    @Test("Requests of many threads are sent with increasing serials, and each gets its own reply")
    func serials() throws {
        let serials = EventLog<UInt64>()
        let fake = try fakes.start { peer in
            peer.welcome()
            while let message = peer.receive() {
                serials.note(message.serial)
                guard case .register(let app) = message.request else { return }
                var reply = Reply()
                reply.session = app.map { SessionID($0.rawValue) }
                peer.send(.reply(message.serial, reply))
            }
        }
        let connection = try ArbiterConnection(fake.address)
        let wrong = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for turn in 0..<50 {
                let number = UInt64(thread * 100 + turn)
                let reply = try? connection.request(.register(app: AppID(number)), timeout: 30)
                if reply?.session != SessionID(number) { wrong.withLock { $0 += 1 } }
            }
        }
        #expect(wrong.withLock { $0 } == 0)
        #expect(serials.noted.count == 400)
        #expect(zip(serials.noted, serials.noted.dropFirst()).allSatisfy { $0 < $1 })
        #expect(connection.welcome.arbiter == 1)
    }

    @Test("A posted action is not waited for, and arrives before later requests")
    func posted() throws {
        let posted = PolicyAction.setDevices(AppID(UInt64(getpid())), server: "s", [])
        let later = PolicyAction.setScreenLocked(true)
        let actions = EventLog<PolicyAction>()
        let fake = try fakes.start { peer in
            peer.welcome()
            var first: UInt64?
            while let message = peer.receive() {
                guard case .submit(let action) = message.request else {
                    peer.send(.reply(message.serial, Reply()))
                    continue
                }
                actions.note(action)
                // Replies to the first action when the second has arrived.
                guard let serial = first else {
                    first = message.serial
                    continue
                }
                peer.send(.reply(serial, Reply()))
                peer.send(.reply(message.serial, Reply()))
            }
        }
        let arbiter = try RemoteArbiter(at: fake.address)
        let isAccepted = Mutex(false)
        arbiter.post(posted) { isAccepted.withLock { $0 = true } }
        try arbiter.submit(later)
        #expect(actions.noted == [posted, later])
        #expect(isAccepted.withLock { $0 }, "reported before the later reply")
    }

    @Test("Updates arrive in order, and before the reply that they precede; pings are answered")
    func order() throws {
        let pongs = EventLog<UInt64>()
        let fake = try fakes.start { peer in
            peer.welcome()
            guard let message = peer.receive() else { return }
            for step in 1...100 { peer.send(.hardware(HardwareRequest(ioBufferDuration: Double(step)))) }
            peer.send(.ping(77))
            peer.send(.reply(message.serial, Reply()))
            while let message = peer.receive() {
                if case .pong(let number) = message.request { pongs.note(number) }
            }
        }
        let heard = Mutex<[Double]>([])
        let connection = try ArbiterConnection(
            fake.address,
            receive: { message in
                guard case .hardware(let request) = message else { return }
                heard.withLock { $0.append(request.ioBufferDuration ?? 0) }
            })
        _ = try connection.request(.synchronise, timeout: 30)
        #expect(heard.withLock { $0 } == (1...100).map(Double.init))
        #expect(pongs.wait { $0 == [77] })
    }

    @Test("A request to an arbiter that never answers fails at its deadline, with a remedy in the message")
    func silence() throws {
        let fake = try fakes.start { $0.awaitEnd() }
        let error = #expect(throws: ArbiterError.self) { try ArbiterConnection(fake.address, timeout: 0.05) }
        guard case .unavailable(let reason) = error else { throw try #require(error) }
        #expect(reason.contains("hello") && reason.contains("does not answer") && reason.contains("audiosessiond"))
    }

    @Test("A reply that arrives too late is dropped, and the connection stays open")
    func late() throws {
        let isAsked = EventLog<Bool>()
        let mayAnswer = DispatchSemaphore(value: 0)
        let fake = try fakes.start { peer in
            peer.welcome()
            guard let first = peer.receive() else { return }
            isAsked.note(true)
            mayAnswer.wait()
            var reply = Reply()
            reply.session = SessionID(1)
            peer.send(.reply(first.serial, reply))
            peer.obey()
        }
        let connection = try ArbiterConnection(fake.address)
        #expect(code { _ = try connection.request(.report, timeout: 0.05) } == .unavailable)
        #expect(isAsked.wait { !$0.isEmpty })
        mayAnswer.signal()
        #expect(try connection.request(.synchronise, timeout: 30).session == nil)
        #expect(!connection.hasEnded)
    }

    @Test("An arbiter that closes at any step ends the connection, once, and waiting requests fail", arguments: 0...4)
    func closing(step: Int) throws {
        let ends = EventLog<Bool>()
        let fake = try fakes.start { peer in
            if step == 0 { return }
            guard step > 1 else { return _ = peer.receive() }
            peer.welcome()
            if step == 2 { return }
            guard let message = peer.receive(), step == 4 else { return }
            peer.send(.devices([]))
            peer.send(.reply(message.serial, Reply()))
        }
        guard step >= 2 else {
            #expect(throws: ArbiterError.self) { try ArbiterConnection(fake.address, ended: { ends.note(true) }) }
            #expect(ends.noted.isEmpty)
            return
        }
        guard let connection = try? ArbiterConnection(fake.address, ended: { ends.note(true) }) else {
            // Closed before hello returned.
            return #expect(step == 2)
        }
        if step == 4 { _ = try connection.request(.synchronise, timeout: 30) }
        #expect(code { _ = try connection.request(.synchronise, timeout: 30) } == .unavailable)
        #expect(ends.wait { $0.count == 1 } && connection.hasEnded)
        connection.close()
        #expect(ends.noted.count == 1)
    }

    @Test(
        "A packet that is not a protocol message ends the connection",
        arguments: [
            "{}", "no JSON", "{\"reply\":\"1\"}", "{\"reply\":-1}", "{\"status\":7}", "{\"notice\":{}}", "[]",
            "{\"reply\":2",
            "{\"reply\":2,\"long\":true}", String(repeating: "[", count: 60_000), "{\"ping\":1e400}", "\u{0}\u{1}",
        ])
    func malformed(text: String) throws {
        let fake = try fakes.start { peer in
            peer.welcome()
            _ = peer.receive()
            peer.send(raw: Array(text.utf8))
            peer.awaitEnd()
        }
        let ends = EventLog<Bool>()
        let connection = try ArbiterConnection(fake.address, ended: { ends.note(true) })
        #expect(code { _ = try connection.request(.synchronise, timeout: 30) } == .unavailable)
        #expect(ends.wait { $0 == [true] })
    }

    @Test("A notice with an effect, a reason or a rule of a later version is ignored")
    func laterNotices() throws {
        let fake = try fakes.start { peer in
            peer.welcome()
            guard let message = peer.receive() else { return }
            for text in [
                #"{"notice": {"decision": 3, "session": 5, "effect": "laterEffect", "rule": "ACT-1", "key": [1]}}"#,
                #"{"notice": {"decision": 4, "session": 5, "effect": "activated", "rule": "LATER-1"}}"#,
                #"{"notice": {"decision": 5, "session": 5, "effect": "routeChanged", "reason": "later", "rule": "ROUTE-3"}}"#,
            ] { peer.send(raw: Array(text.utf8)) }
            peer.send(.reply(message.serial, Reply()))
            peer.awaitEnd()
        }
        let connection = try ArbiterConnection(fake.address)
        _ = try connection.request(.synchronise, timeout: 30)
        #expect(!connection.hasEnded)
    }

    @Test(
        "An error with a code, or of a refusal, of a later version is an error with its message",
        arguments: [
            (#"{"code": "later", "message": "Wait."}"#, RequestError.Code.unavailable),
            (#"{"code": "refused", "message": "Wait.", "refusal": {"code": "later", "rule": "LATER-1"}}"#, .refused),
        ])
    func laterErrors(error: String, code expected: RequestError.Code) throws {
        let fake = try fakes.start { peer in
            peer.welcome()
            guard let message = peer.receive() else { return }
            peer.send(raw: Array(#"{"reply": \#(message.serial), "error": \#(error)}"#.utf8))
            peer.obey()
        }
        let connection = try ArbiterConnection(fake.address)
        do throws(RequestError) {
            _ = try connection.request(.synchronise, timeout: 30)
            Issue.record("no error")
        } catch {
            #expect(error.code == expected && error.message == "Wait." && error.refusal == nil)
        }
        _ = try connection.request(.synchronise, timeout: 30)
    }

    @Test("A packet above the limit ends the connection")
    func oversized() throws {
        let fake = try fakes.start { peer in
            peer.welcome()
            peer.send(raw: [UInt8](repeating: 0x20, count: ArbiterProtocol.packetLimit + 1))
            peer.awaitEnd()
        }
        let ends = EventLog<Bool>()
        _ = try? withExtendedLifetime(ArbiterConnection(fake.address, ended: { ends.note(true) })) {
            #expect(ends.wait { $0 == [true] })
        }
    }

    @Test("A long reply arrives in sealed memory; memory that is not sealed ends the connection")
    func long() throws {
        var reply = Reply()
        reply.permissions = Dictionary(uniqueKeysWithValues: (0..<5_000).map { ("/program/\($0)", .granted) })
        let fake = try fakes.start { [reply] peer in
            peer.welcome()
            guard let message = peer.receive(),
                let bytes = try? Array(JSONEncoder().encode(ArbiterMessage.reply(message.serial, reply)))
            else { return }
            let memory = ssocket_memory_create(bytes, bytes.count)
            peer.send(.long(message.serial), descriptor: memory)
            close(memory)
            guard let next = peer.receive() else { return }
            let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
            peer.send(.long(next.serial), descriptor: file)
            close(file)
            peer.awaitEnd()
        }
        let connection = try ArbiterConnection(fake.address)
        #expect(try connection.request(.report, timeout: 30) == reply)
        #expect(code { _ = try connection.request(.report, timeout: 30) } == .unavailable)
        #expect(connection.hasEnded)
    }

    @Test("A request to an arbiter that does not read fails at its deadline, even if the socket is full")
    func full() throws {
        let mayEnd = DispatchSemaphore(value: 0)
        let fake = try fakes.start { peer in
            peer.welcome()
            mayEnd.wait()
        }
        let connection = try ArbiterConnection(fake.address)
        let device = AudioDevice(
            uid: "d",
            ports: [
                DevicePort(
                    uid: String(repeating: "u", count: 50_000), name: "", type: .hdmi, direction: .output, channels: 2)
            ])
        for _ in 0..<20 {
            #expect(code { _ = try connection.request(.submit(.plug(device)), timeout: 0.01) } == .unavailable)
        }
        #expect(!connection.hasEnded)
        let tooLong = AudioDevice(uid: String(repeating: "u", count: ArbiterProtocol.packetLimit), ports: [])
        #expect(code { _ = try connection.request(.submit(.plug(tooLong)), timeout: 1) } == .limit)
        mayEnd.signal()
    }

    @Test("The arbiter's last message before it closes is the reason; another version is refused with a remedy")
    func shutdown() throws {
        let fake = try fakes.start { peer in
            if peer.number == 1 {
                peer.send(.failure(0, RequestError(.limit, "The arbiter has 512 clients, the limit.")))
            } else {
                peer.welcome(version: 9)
                peer.awaitEnd()
            }
        }
        func reason() throws -> String {
            let error = #expect(throws: ArbiterError.self) { try ArbiterConnection(fake.address, timeout: 30) }
            guard case .unavailable(let reason) = error else { throw try #require(error) }
            return reason
        }
        #expect(try reason() == "The arbiter has 512 clients, the limit")
        #expect(try reason().contains("does not support version 1 of the protocol"))
    }

    @Test("Without a listener there is no connection; a path too long for a socket is reported as such")
    func nowhere() throws {
        let folder = try TemporaryDirectory()
        let error = #expect(throws: ArbiterError.self) {
            try ArbiterConnection(try ArbiterAddress(path: folder.file("none")))
        }
        #expect("\(try #require(error))".contains("start audiosessiond"))
        let long = #expect(throws: ArbiterError.self) {
            try ArbiterAddress(path: "/" + String(repeating: "x", count: 107))
        }
        #expect("\(try #require(long))".contains("107 bytes"))
        _ = try ArbiterAddress(path: "/" + String(repeating: "x", count: 106))
    }
}
