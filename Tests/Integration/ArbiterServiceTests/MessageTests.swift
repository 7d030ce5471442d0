import ArbiterTesting
import CSessionSocket
import Foundation
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// Invalid messages: the client receives an error, and the others notice nothing.
@Suite("Messages to the service", .serialized)
struct MessageTests {
    @Test("The reply to hello has version, arbiter, app and settings")
    func hello() throws {
        let stage = try ServiceFixture()
        let client = try RawClient(stage.folder.socket)
        let welcome = try client.hello()
        #expect(ArbiterProtocol.versions.contains(welcome.version))
        #expect(welcome.app == AppID(UInt64(getpid())))
        #expect(!welcome.isTrusted)
        #expect(welcome.settings == ArbiterSettings())
        #expect(try stage.witness.report().arbiter == welcome.arbiter)
    }

    @Test("Another version is refused with the supported one, and a hello in that one still succeeds")
    func version() throws {
        let stage = try ServiceFixture()
        let client = try RawClient(stage.folder.socket)
        let answer = try client.answer(to: #"{"serial": 1, "request": "hello", "version": 2}"#, serial: 1)
        guard case .failure(let error) = answer else {
            Issue.record("version 2 was accepted")
            return
        }
        #expect(error.code == .malformed)
        #expect(error.message.contains(ArbiterProtocol.supportedVersions))
        client.serial = 1
        try client.hello()
    }

    @Test(
        "The newest version that both sides support is agreed on",
        arguments: [
            (#""version": 1"#, true), (#""version": 1, "oldestVersion": 1"#, true),
            (#""version": 9, "oldestVersion": 1"#, true), (#""version": 1, "oldestVersion": 0"#, true),
            (#""version": 9, "oldestVersion": 2"#, false), (#""version": 0, "oldestVersion": 0"#, false),
            (#""version": 1, "oldestVersion": 2"#, false), (#""version": -9223372036854775808"#, false),
        ])
    func agreement(versions: String, agrees: Bool) throws {
        let stage = try ServiceFixture()
        let client = try RawClient(stage.folder.socket)
        switch try client.answer(to: #"{"serial": 1, "request": "hello", \#(versions)}"#, serial: 1) {
        case .success(let reply): #expect(agrees && reply.welcome?.version == 1)
        case .failure(let error): #expect(!agrees && error.code == .malformed, "\(error)")
        }
        for (version, oldest, agreed) in [(2, 1, 2), (5, 3, 3), (3, 3, 3), (9, 4, nil), (1, 1, nil)]
            as [(Int, Int, Int?)]
        {
            var hello = ClientMessage.Hello()
            (hello.version, hello.oldestVersion) = (version, oldest)
            #expect(ArbiterProtocol.version(for: hello, of: 2...3) == agreed, "\(version), \(oldest)")
        }
    }

    @Test("Requests before hello are refused, and so is a second hello")
    func order() throws {
        let stage = try ServiceFixture()
        try stage.expectNothingChanges { () throws in
            let client = try RawClient(stage.folder.socket)
            #expect(try client.answer(to: .register(app: nil)).code == .malformed)
            #expect(try client.answer(to: .submit(.setVolume(0))).code == .malformed)
            try client.hello()
            #expect(try client.answer(to: .hello(.init())).code == .malformed)
        }
    }

    @Test(
        "A serial not above the last is refused: replayed messages have no effect",
        arguments: [0, 1, 5, 7] as [UInt64])
    func replay(serial: UInt64) throws {
        let stage = try ServiceFixture()
        let client = try stage.connect()
        client.serial = 6
        let id = try #require(try client.ask(.register(app: nil)).session)
        try stage.expectNothingChanges { () throws in
            let text = #"{"serial": \#(serial), "action": "unregister", "session": \#(id.rawValue)}"#
            #expect(try client.answer(to: text, serial: serial).code == .malformed)
        }
        client.serial = 100
        #expect(try client.answer(to: .submit(.unregister(id))).code == nil)
    }

    @Test(
        "An invalid message is answered with an error that names the problem",
        arguments: [
            ("{", 0), ("[]", 0), ("null", 0), ("7", 0), ("\"hello\"", 0), ("{}", 0), ("\u{0}\u{0}\u{0}", 0),
            (#"{"serial": 9}"#, 9), (#"{"serial": 9, "request": "dance"}"#, 9), (#"{"serial": 9, "request": 3}"#, 9),
            (#"{"serial": 9, "action": "dance", "session": 1}"#, 9), (#"{"serial": 9, "action": "activate"}"#, 9),
            (#"{"serial": 9, "action": "activate", "session": -1}"#, 9),
            (#"{"serial": 9, "action": "activate", "session": 1.5}"#, 9),
            (#"{"serial": 9, "action": "activate", "session": 18446744073709551616}"#, 9),
            (#"{"serial": 9, "action": "setVolume", "value": 1e400}"#, 9),
            (#"{"serial": 9, "action": "setVolume", "value": "loud"}"#, 9),
            (#"{"serial": -1, "request": "report"}"#, 0),
            (#"{"serial": 18446744073709551616, "request": "report"}"#, 0),
            (#"{"serial": 9, "request": "restore", "record": {}, "gate": {}}"#, 9),
            (#"{"serial": 9, "request": "beginSystemSession", "rank": 9}"#, 9),
        ] as [(String, UInt64)])
    func malformed(text: String, serial: UInt64) throws {
        let stage = try ServiceFixture()
        let client = try stage.connect()
        try stage.expectNothingChanges { () throws in
            guard case .failure(let error) = try client.answer(to: text, serial: serial) else {
                Issue.record("\(text) was accepted")
                return
            }
            #expect(error.code == .malformed)
            #expect(error.message.count > 20 && error.message.count < 500)
            client.serial = 10
            #expect(try client.answer(to: .synchronise).code == nil, "it can continue")
        }
    }

    @Test("Deeply nested and endless values are refused like other malformed messages")
    func nested() throws {
        let stage = try ServiceFixture()
        let client = try stage.connect()
        try stage.expectNothingChanges { () throws in
            for text in [
                String(repeating: "[", count: 60_000), String(repeating: #"{"a":"#, count: 10_000),
                "{\"serial\": " + String(repeating: "9", count: 60_000) + "}",
                "\"" + String(repeating: "\\u0000", count: 10_000) + "\"",
            ] {
                #expect(try client.answer(to: text, serial: 0).code == .malformed)
            }
        }
    }

    @Test("A message cut short at any byte is refused")
    func truncated() throws {
        let stage = try ServiceFixture()
        let client = try stage.connect()
        let whole = Array(#"{"serial":9999,"action":"setVolume","value":0.25}"#.utf8)
        try stage.expectNothingChanges { () throws in
            for length in 1..<whole.count {
                client.send(Array(whole[..<length]))
                #expect(try client.reply(to: 0).code == .malformed, "\(length) bytes")
            }
        }
    }

    @Test("A packet beyond the limit is discarded, and the next is read")
    func oversized() throws {
        let stage = try ServiceFixture()
        let client = try stage.connect()
        try stage.expectNothingChanges { () throws in
            let fits = Array("{\"serial\": 50, \"request\": \"synchronise\"}".utf8)
            let padding = [UInt8](repeating: UInt8(ascii: " "), count: ArbiterProtocol.packetLimit - fits.count)
            client.send(fits + padding + [UInt8(ascii: " ")])
            #expect(try client.reply(to: 0).code == .malformed)
            client.send(fits + padding)
            #expect(try client.reply(to: 50).code == nil, "a packet of exactly the limit is accepted")
        }
    }

    @Test("An empty packet ends its sender's connection, and no other")
    func empty() throws {
        let stage = try ServiceFixture()
        let client = try stage.connect()
        _ = try client.makeSession(.mixWithOthers)
        #expect(send(client.socket, "", 0, Int32(MSG_NOSIGNAL)) == 0)
        try client.awaitEnd()
        let report = try stage.witness.report()
        #expect(report.sessions.map(\.status.session.id) == [stage.session])
        #expect(report.clients.count == 1)
    }

    @Test("A packet with a descriptor is refused, and the descriptor is closed")
    func descriptor() throws {
        let stage = try ServiceFixture()
        let client = try stage.connect()
        let before = try ResourceSnapshot(of: stage.service.process).descriptorCount
        try stage.expectNothingChanges { () throws in
            for serial in 50..<90 as Range<UInt64> {
                let text = #"{"serial": \#(serial), "action": "setVolume", "value": 0}"#
                client.send(Array(text.utf8), descriptor: 0)
                #expect(try client.reply(to: 0).code == .malformed)
            }
        }
        #expect(try ResourceSnapshot(of: stage.service.process).descriptorCount == before)
    }

    @Test("A client that floods is refused; the others are served at once")
    func flood() throws {
        let stage = try ServiceFixture(trusted: false, "limits: {messages-per-second: 50}")
        let client = try stage.connect()
        let codes = try (0..<200).map { _ in try client.answer(to: .submit(.setVolume(1))).code }
        #expect(codes.prefix(40).allSatisfy { $0 == nil })
        #expect(codes.contains(.limit))
        #expect(try stage.witness.answer(to: .synchronise).code == nil)
        // Packets that are not messages count, too.
        for _ in 0..<200 { try client.sendAll(Array("?".utf8)) }
        #expect(try stage.witness.answer(to: .synchronise).code == nil)
    }

    @Test("A reply longer than a packet arrives through a descriptor, in sealed memory")
    func longReply() throws {
        let stage = try ServiceFixture(trusted: true)
        for number in 0..<800 { try stage.witness.ask(.setVolume(Float(number % 2))) }
        let history = try #require(try stage.witness.ask(.history).history)
        #expect(history.decisions.count > 800)
        #expect(try JSONEncoder().encode(history).count > ArbiterProtocol.packetLimit)
    }
}
