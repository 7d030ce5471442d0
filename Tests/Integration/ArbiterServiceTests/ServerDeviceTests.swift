import ArbiterTesting
import Foundation
import SessionArbiter
import SessionPolicy
import Testing

/// How the service manages the devices of an audio server.
@Suite("Devices of an audio server", .serialized)
struct ServerDeviceTests {
    private let app = AppID(UInt64(getpid()))

    private func device(_ uid: String, ports: Int = 1) -> AudioDevice {
        AudioDevice(
            uid: uid,
            ports: (0..<ports).map {
                DevicePort(uid: "\(uid):\($0)", name: uid, type: .hdmi, direction: .output, channels: 2)
            })
    }

    @Test("ROUTE-2: an app reports its devices, every client is notified, and they go with the app's last connection")
    func notified() throws {
        let folder = try TrialFolder()
        let service = try Service(in: folder)
        let client = try RawClient(folder.socket)
        try client.hello()
        let (session, _) = try client.makeSession()
        try client.ask(.setDevices(app, server: "studio", [device("a"), device("b")]))
        let report = try client.report()
        #expect(report.system.devices.map(\.server) == ["studio", "studio"])
        #expect(report.apps.first { $0.id == app }?.server == "studio")
        #expect(report.sessions.first?.status.route.outputs.map(\.uid) == ["b:0"])
        #expect(report.sessions.first?.status.session.id == session)
        client.shutDown()
        let other = try TestClient(folder.socket)
        let id = try other.play(.mixWithOthers)
        #expect(other.status(of: id)?.status.route.outputs.isEmpty == true)
        _ = try service.end(SIGTERM)
    }

    @Test("A list of devices is limited, and one beyond the limit changes nothing")
    func limits() throws {
        let stage = try ServiceFixture()
        let long = String(repeating: "x", count: 129)
        let wrong: [(PolicyAction, RequestError.Code)] = [
            (.setDevices(app, server: long, []), .limit), (.setDevices(app, server: "s", [device(long)]), .limit),
            (.setDevices(app, server: "s", (0..<250).map { device("device number \($0)") }), .limit),
            (.setDevices(app, server: "s", [device("wide", ports: 65)]), .refused),
            (.setDevices(app, server: "", []), .refused),
        ]
        try stage.expectNothingChanges { () throws in
            for (action, code) in wrong {
                #expect(try stage.witness.answer(to: .submit(action)).code == code)
            }
        }
        try stage.witness.ask(.setDevices(app, server: "s", (0..<100).map { device("device \($0)") }))
        #expect(try stage.witness.report().system.devices.count == 100)
    }

    @Test("SRV-3: devices outlive the service only with an app that names their server")
    func outlive() throws {
        let folder = try TrialFolder()
        let patient = "service: {rebuild-limit: 4}"
        var service = try Service(in: folder, configuration: patient)
        var client = try RawClient(folder.socket)
        try client.hello()
        let (id, gate) = try client.makeSession()
        try client.ask(.setDevices(app, server: "studio", [device("a")]))
        let update = try #require(try client.report().sessions.first { $0.status.session.id == id })
        let known = try #require(try client.report().apps.first { $0.id == app })
        let arbiter = try client.report().arbiter
        _ = try service.end(SIGKILL)
        service = try Service(in: folder, configuration: patient)
        client = try RawClient(folder.socket)
        try client.hello(.init(arbiter: arbiter, restoring: 1, application: known))
        let record = SessionRecord(session: update.status.session, grantNumber: update.grantNumber, app: known)
        let words = GateWords(grant: gate.words.grant, volume: gate.words.volume)
        try client.ask(.restore(.init(record: record, gate: words)))
        #expect(try client.report().sessions.first?.status.route.outputs.map(\.uid) == ["a:0"])
        try client.ask(.setDevices(app, server: "studio", [device("a")]))
        #expect(try client.report().system.devices.count == 1)
        _ = try service.end(SIGKILL)
        service = try Service(in: folder, configuration: "service: {rebuild-limit: 0.05}")
        client = try RawClient(folder.socket)
        try client.hello()
        #expect(try client.report().system.devices.isEmpty, "no app names the server")
        _ = try service.end(SIGTERM)
    }
}
