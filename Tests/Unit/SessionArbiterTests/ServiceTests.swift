import Foundation
import Platform
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// Clients of the real service, which they start, lose and reconnect to.
@Suite struct ServiceTests {
    private let service: ServiceFolder
    private let address: ArbiterAddress

    init() throws {
        service = try ServiceFolder()
        address = try ArbiterAddress(path: service.socket)
    }

    private func session(
        of arbiter: RemoteArbiter, _ options: CategoryOptions = []
    ) throws -> (SessionRegistration, Witness) {
        let witness = Witness()
        let session = try arbiter.register(app: arbiter.app, observer: witness)
        try arbiter.submit(.configure(session.id, .category(.playback, options: options)))
        return (session, witness)
    }

    @Test("Twenty clients that need the service at the same time start one")
    func twenty() throws {
        let arbiters = Mutex<[RemoteArbiter]>([])
        let failures = Mutex<[String]>([])
        let finished = DispatchGroup()
        for _ in 0..<20 {
            finished.enter()
            let isStarted = WorkerThread().start(name: "client") { [address] in
                do {
                    let arbiter = try RemoteArbiter(at: address)
                    arbiters.withLock { $0.append(arbiter) }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
                finished.leave()
            }
            #expect(isStarted)
        }
        finished.wait()
        #expect(failures.withLock { $0 } == [])
        #expect(arbiters.withLock { $0.count } == 20)
        #expect(service.processes.count == 1)
    }

    @Test(
        "ACT-2, INT-1: one client interrupts another: its gate is closed when the call returns, and it is notified")
    func interruption() throws {
        let (one, other) = (try RemoteArbiter(at: address), try RemoteArbiter(at: address))
        let (music, witness) = try session(of: one)
        let (podcast, _) = try session(of: other)
        try one.submit(.activate(music.id))
        #expect(!music.gate.grant.isPaused && one.status(of: music.id)?.session.isActive == true)
        try other.submit(.activate(podcast.id))
        #expect(music.gate.grant.isPaused && !podcast.gate.grant.isPaused)
        #expect(witness.notices.wait { $0.contains(.interruptionBegan(.default)) })
        #expect(one.status(of: music.id)?.session.wait?.interrupter == podcast.id)
        #expect(one.status(of: podcast.id) == nil, "other clients' sessions are not visible")
        try other.submit(.deactivate(podcast.id, notifyOthers: true))
        #expect(witness.notices.wait { $0.contains(.interruptionEnded(shouldResume: true)) })
        one.drain()
        #expect(one.decisions.count == other.decisions.count && one.decisions.count >= 7)
    }

    @Test("VOL-1, ROUTE-8: the status already reflects a notice when it arrives, even if only the device has changed")
    func statusBeforeNotice() throws {
        let (one, other) = (try RemoteArbiter(at: address), try RemoteArbiter(at: address))
        let (music, witness) = try session(of: one)
        try one.submit(.activate(music.id))
        try other.submit(.setVolume(0.25))
        #expect(witness.notices.wait { $0.contains(.outputVolumeChanged(0.25)) })
        #expect(one.status(of: music.id)?.volume == 0.25)
        for name in ["line", "phones"] {
            let port = DevicePort(uid: name, name: name, type: .usbAudio, direction: .output, channels: 2)
            try other.submit(.plug(AudioDevice(uid: name + " device", ports: [port])))
        }
        try other.submit(.pick(.output, "line"))
        one.drain()
        #expect(one.status(of: music.id)?.route.outputs.map(\.uid) == ["line"])
        try other.submit(.pick(.output, nil))
        one.drain()
        #expect(one.status(of: music.id)?.route.outputs.map(\.uid) == ["phones"])
    }

    @Test("ACT-12: releasing an arbiter deactivates its sessions and notifies others")
    func letGo() throws {
        let one = try RemoteArbiter(at: address)
        let (music, witness) = try session(of: one)
        try one.submit(.activate(music.id))
        do {
            let other = try RemoteArbiter(at: address)
            let (podcast, _) = try session(of: other)
            try other.submit(.activate(podcast.id))
            #expect(music.gate.grant.isPaused)
        }
        #expect(witness.notices.wait { $0.contains(.interruptionEnded(shouldResume: true)) })
    }

    @Test("SRV-3: when the service is killed, the next one restores grants, numbers and waits")
    func killed() throws {
        let (one, other) = (try RemoteArbiter(at: address), try RemoteArbiter(at: address))
        let (music, musicWitness) = try session(of: one)
        let (prompt, promptWitness) = try session(of: other, .duckOthers)
        try one.submit(.activate(music.id))
        try other.submit(.activate(prompt.id))
        one.drain()
        let before = (one.status(of: music.id), other.status(of: prompt.id))
        #expect(music.gate.grant.attenuation == 14)
        let last = try #require(service.processes.first)
        service.send(SIGKILL)
        #expect(one.status(of: music.id) == before.0, "reading continues")
        #expect(musicWitness.gates.wait { $0.count == 1 } && promptWitness.gates.wait { $0.count == 1 })
        one.drain()
        other.drain()
        #expect(service.processes.count == 1 && service.processes.first != last)
        #expect(one.status(of: music.id)?.session == before.0?.session)
        #expect(one.status(of: music.id)?.resolvedGrant.grant == before.0?.resolvedGrant.grant)
        #expect(other.status(of: prompt.id)?.session == before.1?.session)
        let gate = try #require(musicWitness.gates.noted.first)
        #expect(gate.grant == music.gate.grant)
        try other.submit(.deactivate(prompt.id, notifyOthers: true))
        #expect(gate.grant.attenuation == 0 && music.gate.grant.attenuation == 14, "no client uses the old page")
        let (next, _) = try session(of: one)
        #expect(next.id > prompt.id)
        #expect(!musicWitness.notices.noted.contains(.deactivatedBySystem))
    }

    @Test("SRV-3: requests made while the service is gone wait for the next one")
    func waiting() throws {
        let arbiter = try RemoteArbiter(at: address)
        let (music, _) = try session(of: arbiter)
        for _ in 0..<3 {
            service.send(SIGKILL)
            try arbiter.submit(.activate(music.id))
            #expect(arbiter.status(of: music.id)?.session.isActive == true)
            try arbiter.submit(.deactivate(music.id, notifyOthers: true))
        }
    }

    @Test("A request to a stopped service fails at its deadline; reading still works")
    func stopped() throws {
        let arbiter = try RemoteArbiter(at: address)
        let (music, _) = try session(of: arbiter)
        try arbiter.submit(.activate(music.id))
        service.send(SIGSTOP)
        defer { service.send(SIGCONT) }
        #expect(arbiter.status(of: music.id)?.session.isActive == true)
        let error = #expect(throws: ArbiterError.self) { try arbiter.submit(.setVolume(0.5)) }
        #expect("\(try #require(error))".contains("does not answer"))
        service.send(SIGCONT)
        try arbiter.submit(.setVolume(0.25))
        #expect(music.gate.volume == 0.25)
    }
}
