import ArbiterTesting
import Foundation
import SessionArbiter
import SessionPolicy
import Testing

/// Tests of what a client may not take, or claim, beyond its share.
@Suite("A client that asks for too much", .serialized)
struct HostileTests {
    @Test("The number of connections of one process is limited")
    func connections() throws {
        let folder = try TrialFolder()
        let service = try Service(in: folder, configuration: "limits: {clients-per-app: 2}")
        var clients = try (0..<2).map { _ in try RawClient(folder.socket) }
        for client in clients { try client.hello() }
        let third = try RawClient(folder.socket)
        #expect(throws: (any Error).self) { try third.hello() }
        clients.removeLast()
        // Once the service has released one connection, there is room for another.
        #expect(Limit.waits { (try? RawClient(folder.socket).hello()) != nil })
        withExtendedLifetime((service, clients)) {}
    }

    @Test(
        "HW-2: overrides of the buffer size and the sample rate outlive the arbiter, and an impossible one is refused")
    func hardwareOverride() throws {
        let folder = try TrialFolder()
        let first = try Service(in: folder)
        var client = try RawClient(folder.socket)
        try client.hello()
        let hardwareOverride = BufferSizeOverride(before: 1_024, ours: 240)
        try client.ask(.bufferSizeOverride(hardwareOverride))
        #expect(throws: RequestError.self) {
            try client.ask(.bufferSizeOverride(BufferSizeOverride(before: -5, ours: 1 << 40)))
        }
        let sampleRateOverride = SampleRateOverride(before: 48_000, ours: 44_100)
        try client.ask(.sampleRateOverride(sampleRateOverride))
        #expect(throws: RequestError.self) {
            try client.ask(.sampleRateOverride(SampleRateOverride(before: 0, ours: 44_100)))
        }
        _ = try first.end(SIGKILL)
        let second = try Service(in: folder)
        client = try RawClient(folder.socket)
        try client.hello()
        let hardware = try client.report().hardware
        #expect(hardware.bufferSizeOverride == hardwareOverride && hardware.sampleRateOverride == sampleRateOverride)
        withExtendedLifetime(second) {}
    }

    @Test("SRV-3: a session that hello did not announce is not restored")
    func unannounced() throws {
        let folder = try TrialFolder()
        let service = try Service(in: folder)
        let client = try RawClient(folder.socket)
        let app = try client.hello(.init(arbiter: 1, restoring: 1)).app
        func restore(_ number: UInt64) throws {
            let record = SessionRecord(
                session: SessionState(id: SessionID(number), app: app), grantNumber: 0, app: AppState(id: app))
            try client.ask(.restore(.init(record: record, gate: GateWords(grant: 0, volume: 0))))
        }
        try restore(7)
        #expect(throws: RequestError.self) { try restore(8) }
        #expect(try client.report().sessions.map(\.status.session.id) == [SessionID(7)])
        withExtendedLifetime(service) {}
    }
}
