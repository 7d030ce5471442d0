import Foundation
import Platform
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// Clients of the service itself, which they start, lose and find again.
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

    @Test("Twenty that need the service at once start one")
    func twenty() throws {
        let arbiters = Locked<[RemoteArbiter]>([])
        let failures = Locked<[String]>([])
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
        "ACT-2, INT-1: of two clients one interrupts the other: its gate is shut when the call returns, and it is told")
    func interruption() throws {
        let (one, other) = (try RemoteArbiter(at: address), try RemoteArbiter(at: address))
        let (music, witness) = try session(of: one)
        let (podcast, _) = try session(of: other)
        try one.submit(.activate(music.id))
        #expect(!music.gate.verdict.isPaused && one.status(of: music.id)?.session.isActive == true)
        try other.submit(.activate(podcast.id))
        #expect(music.gate.verdict.isPaused && !podcast.gate.verdict.isPaused)
        #expect(witness.notices.wait { $0.contains(.interruptionBegan(.default)) })
        #expect(one.status(of: music.id)?.session.wait?.rival == podcast.id)
        #expect(one.status(of: podcast.id) == nil, "others' sessions are not told here")
        try other.submit(.deactivate(podcast.id, notifyOthers: true))
        #expect(witness.notices.wait { $0.contains(.interruptionEnded(shouldResume: true)) })
        one.drain()
        #expect(one.decisions.count == other.decisions.count && one.decisions.count >= 7)
    }

    @Test("VOL-1, ROUTE-8: what a notice tells of, the status says already, though only the device has changed")
    func statusBeforeNotice() throws {
        let (one, other) = (try RemoteArbiter(at: address), try RemoteArbiter(at: address))
        let (music, witness) = try session(of: one)
        try one.submit(.activate(music.id))
        try other.submit(.setVolume(0.25))
        #expect(witness.notices.wait { $0.contains(.outputVolumeChanged(0.25)) })
        #expect(one.status(of: music.id)?.volume == 0.25)
        for name in ["line", "phones"] {
            let port = DevicePort(uid: name, name: name, type: .usbAudio, direction: .output, channels: 2)
            try other.submit(.plug(Device(uid: name + " device", ports: [port])))
        }
        try other.submit(.pick(.output, "line"))
        one.drain()
        #expect(one.status(of: music.id)?.route.outputs.map(\.uid) == ["line"])
        try other.submit(.pick(.output, nil))
        one.drain()
        #expect(one.status(of: music.id)?.route.outputs.map(\.uid) == ["phones"])
    }

    @Test("ACT-12: who lets go of its arbiter leaves with notice")
    func letGo() throws {
        let one = try RemoteArbiter(at: address)
        let (music, witness) = try session(of: one)
        try one.submit(.activate(music.id))
        do {
            let other = try RemoteArbiter(at: address)
            let (podcast, _) = try session(of: other)
            try other.submit(.activate(podcast.id))
            #expect(music.gate.verdict.isPaused)
        }
        #expect(witness.notices.wait { $0.contains(.interruptionEnded(shouldResume: true)) })
    }

    @Test("SRV-3: the service is killed: verdicts, numbers and who waits for whom are as before, with the next one")
    func killed() throws {
        let (one, other) = (try RemoteArbiter(at: address), try RemoteArbiter(at: address))
        let (music, musicWitness) = try session(of: one)
        let (prompt, promptWitness) = try session(of: other, .duckOthers)
        try one.submit(.activate(music.id))
        try other.submit(.activate(prompt.id))
        one.drain()
        let before = (one.status(of: music.id), other.status(of: prompt.id))
        #expect(music.gate.verdict.attenuation == 14)
        let last = try #require(service.processes.first)
        service.send(SIGKILL)
        #expect(one.status(of: music.id) == before.0, "reading goes on")
        #expect(musicWitness.gates.wait { $0.count == 1 } && promptWitness.gates.wait { $0.count == 1 })
        one.drain()
        other.drain()
        #expect(service.processes.count == 1 && service.processes.first != last)
        #expect(one.status(of: music.id)?.session == before.0?.session)
        #expect(one.status(of: music.id)?.standing.verdict == before.0?.standing.verdict)
        #expect(other.status(of: prompt.id)?.session == before.1?.session)
        let gate = try #require(musicWitness.gates.noted.first)
        #expect(gate.verdict == music.gate.verdict)
        try other.submit(.deactivate(prompt.id, notifyOthers: true))
        #expect(gate.verdict.attenuation == 0 && music.gate.verdict.attenuation == 14, "the old page is nobody's")
        let (next, _) = try session(of: one)
        #expect(next.id > prompt.id)
        #expect(!musicWitness.notices.noted.contains(.deactivatedBySystem))
    }

    @Test("SRV-3: requests that are made while the service is gone wait for the next one")
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

    @Test("A service that is stopped costs a request its deadline, and reading nothing")
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
