import ArbiterTesting
import CSessionSocket
import Foundation
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// Limits that keep a client from taking resources from the others.
@Suite("Limits of the service", .serialized)
struct LimitTests {
    @Test("The sessions of one process are limited, over all its connections")
    func sessionsPerApp() throws {
        let stage = try ServiceFixture(trusted: false, "limits: {sessions-per-app: 3}")
        let client = try stage.connect()
        let ids = try (0..<2).map { _ in try #require(try client.ask(.register(app: nil)).session) }
        #expect(try client.answer(to: .register(app: nil)).code == .limit)
        #expect(try stage.witness.answer(to: .register(app: nil)).code == .limit)
        let other = try TestClient(stage.folder.socket)
        _ = try other.play(.mixWithOthers)
        try client.ask(.unregister(ids[0]))
        #expect(try client.answer(to: .register(app: nil)).code == nil)
    }

    @Test("The total number of sessions is limited, including system sessions")
    func sessions() throws {
        let stage = try ServiceFixture(trusted: true, "limits: {sessions: 3, sessions-per-app: 3}")
        let client = try stage.connect()
        try client.ask(.register(app: nil))
        try client.ask(.beginSystemSession(rank: .alarm, isRinging: false, isKept: true))
        #expect(try client.answer(to: .register(app: nil)).code == .limit)
        #expect(try client.answer(to: .beginSystemSession(rank: .call, isRinging: false, isKept: true)).code == .limit)
        let greedy = try RawClient(stage.folder.socket)
        #expect(try greedy.answer(to: .hello(.init(restoring: 4))).code == .limit)
    }

    @Test("Excess clients are refused with an error, and are accepted when another disconnects")
    func clients() throws {
        let stage = try ServiceFixture(trusted: false, "limits: {clients: 3}")
        var clients = try (0..<2).map { _ in try stage.connect() }
        let late = try RawClient(stage.folder.socket)
        #expect(try late.reply(to: 0).code == .limit)
        try late.awaitEnd()
        clients.removeLast()
        #expect(try Limit.waits { try stage.witness.report().clients.count == 2 })
        try stage.connect().ask(.synchronise)
    }

    @Test("A slow reader is disconnected at its limit, without an effect on the others")
    func slowReader() throws {
        let stage = try ServiceFixture(
            trusted: false, "limits: {queued-bytes: 65536, messages-per-second: 1000000}")
        let slow = try stage.connect()
        _ = ssocket_send_limit(slow.socket, 4_096)
        _ = try slow.makeSession(.mixWithOthers)
        try slow.ask(.log(after: 0, follows: true))
        let mine = try stage.connect()
        // The reader stops reading. The service queues its messages until it disconnects the
        // reader.
        var asked = 0
        let longest = try ServiceFixture.seconds {
            while try mine.report().clients.count == 3 {
                try #require(asked < 100_000, "the slow reader was never disconnected")
                try mine.ask(.setVolume(Float(asked % 2)))
                asked += 1
            }
        }
        print("slow reader: disconnected after \(asked) decisions, \(longest) s")
        #expect(try stage.witness.answer(to: .synchronise).code == nil)
        #expect(try stage.witness.report().sessions.map(\.status.session.id) == [stage.session])
        #expect(stage.service.report.contains("Fatal") == false)
    }

    @Test("Devices with names of the maximum length are reported to every client")
    func devices() throws {
        let stage = try ServiceFixture(trusted: false)
        let client = try stage.connect()
        for letter in ["x", "/", "\u{1}"] {
            let name = String(repeating: letter, count: 120)
            var codes: [RequestError.Code?] = []
            for number in 0..<34 {
                let ports = (0..<4).map {
                    DevicePort(
                        uid: "\(number).\($0)" + name, name: name, type: .usbAudio, direction: .input, channels: 2)
                }
                codes.append(
                    try client.answer(to: .submit(.plug(AudioDevice(uid: "\(number)" + name, ports: ports)))).code)
                // A client that reads its messages stays connected.
                #expect(try stage.witness.answer(to: .synchronise).code == nil)
            }
            #expect(codes.contains(nil), "some can be plugged in")
            #expect(codes.contains(.limit), "the limit is reached")
            for number in 0..<34 {
                _ = try client.answer(to: .submit(.unplug("\(number)" + name)))
                #expect(try stage.witness.answer(to: .synchronise).code == nil)
            }
        }
    }

    @Test("A long refused request does not disconnect a client that follows the log")
    func longRefusals() throws {
        let stage = try ServiceFixture(trusted: true)
        try stage.witness.ask(.log(after: 0, follows: true))
        let client = try stage.connect()
        let (id, _) = try client.makeSession(.mixWithOthers)
        let long = String(repeating: "/", count: 60_000)
        for action: PolicyAction in [.preferInput(id, long), .unplug(long), .pick(.input, long), .pick(.output, long)] {
            #expect(try client.answer(to: .submit(action)).code != nil, "60,000 bytes name no device")
        }
        #expect(try client.answer(to: .permission(program: long, .granted)).code != nil)
        #expect(try client.answer(to: .synchronise).code == nil)
        #expect(try stage.witness.answer(to: .synchronise).code == nil)
        let report = try stage.witness.ask(.history)
        #expect(report.history != nil)
    }

    @Test("Without free descriptors, the service accepts no clients, and serves the connected ones")
    func descriptorLimit() throws {
        let stage = try ServiceFixture(trusted: false)
        let (pid, soft) = (stage.service.process, try ResourceSnapshot(of: stage.service.process).descriptorCount + 6)
        let limits = try Program("/usr/bin/env", ["prlimit", "--pid", "\(pid)", "--nofile=\(soft):\(soft)"])
        try #require(try limits.waitForEnd() == 0)
        let clients = try (0..<8).map { _ in try RawClient(stage.folder.socket) }
        #expect(try stage.witness.answer(to: .synchronise).code == nil)
        let (before, written) = (try processorTime(of: pid), stage.service.report.utf8.count)
        // A fifth of a second of requests. There is no busy loop in addition.
        let took = try ServiceFixture.seconds { for _ in 0..<200 { try stage.witness.ask(.synchronise) } }
        #expect(stage.service.report.utf8.count - written < 10_000, "it does not flood its log")
        print("out of descriptors: \(try processorTime(of: pid) - before) ticks in \(took) s")
        withExtendedLifetime(clients) {}
    }
}

/// Returns the processor time of a process, user and system, in the kernel's ticks.
func processorTime(of process: pid_t) throws -> Int {
    let line = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    let fields = line[(line.lastIndex(of: ")") ?? line.startIndex)...].split(separator: " ")
    return (Int(fields[12]) ?? 0) + (Int(fields[13]) ?? 0)
}
