import CSessionSocket
import Foundation
import Processes

/// Mixing and running sessions on one service, and the sessions that make the requests.
final class Scene {
    let service: Service
    private let mixing: [Session]
    private let exclusive: [Session]
    private let prompt: Session
    private let caller: Connection
    private let connections: [Connection]
    private let clients: [any Client]

    init(program: String, sessions: Int, clients: Clients) throws {
        service = try Service(program: program)
        let path = service.socket
        let one = try Connection(to: path)
        let processes = try (0..<clients.processes(sessions)).map { _ in try AppProcess(socket: path) }
        mixing = try (0..<sessions).map { index in
            let holder: any Client = processes.isEmpty ? one : processes[index % processes.count]
            let session = try holder.register()
            try session.mix()
            try session.ask("activate")
            try session.ask("setRunning", #""isRunning": true"#)
            return session
        }
        let asking = try (0..<3).map { _ in try Connection(to: path) }
        exclusive = try asking[..<2].map { connection in
            let session = try connection.register()
            try session.ask("configure", #""category": "playback""#)
            try session.ask("setRunning", #""isRunning": true"#)
            return session
        }
        _ = try asking[2].ask(Self.speakers)
        prompt = try asking[2].register()
        try prompt.mix(#""duckOthers""#)
        caller = asking[2]
        connections = asking + [one]
        self.clients = connections + processes
    }

    /// The machine's device: every grant and every status depends on it.
    private static let speakers = #"""
        "action": "plug", "device": {"uid": "speakers", "ports": [{"uid": "speakers:out", "name": "Speakers", "type": "builtInSpeaker",
        "direction": "output", "channels": 2}]}
        """#

    /// Measures rounds of one case, or of `duck` and `unduck` alternately. Calls `between` after
    /// each round.
    func measure(
        _ what: Case, rounds: Int, pace: Pace, between: () throws -> Void
    ) throws -> [Case: [Latency]] {
        var found: [Case: [Latency]] = [:]
        for round in 0..<rounds {
            if pace == .apart { try rest() }
            try connections.forEach { try $0.catchUp() }
            switch what {
            case .interrupt: found[.interrupt, default: []].append(try interrupt(round))
            case .duck, .unduck:
                found[.duck, default: []].append(try duck(true))
                if pace == .apart { try rest() }
                found[.unduck, default: []].append(try duck(false))
            case .call: found[.call, default: []].append(try call())
            }
            // Gives the next measurement the same idle machine.
            if pace == .apart { try rest() }
            try between()
        }
        try rest()
        if what == .interrupt { for session in exclusive { try session.ask("deactivate", #""notifyOthers": false"#) } }
        return found
    }

    private func interrupt(_ round: Int) throws -> Latency {
        let (activated, interrupted) = (exclusive[round % 2], exclusive[1 - round % 2])
        let isAlone = !exclusive.contains { !$0.gate.grant.paused }
        let latency = try time(
            #""action": "activate", "session": \#(activated.id)"#, by: activated,
            isAlone ? [activated.gate] : [activated.gate, interrupted.gate])
        guard !activated.gate.grant.paused, interrupted.gate.grant.paused else {
            throw BenchmarkError("No session was interrupted.")
        }
        return latency
    }

    private func duck(_ isOn: Bool) throws -> Latency {
        let gates = mixing.map(\.gate) + [prompt.gate]
        let action = isOn ? #""action": "activate""# : #""action": "deactivate", "notifyOthers": true"#
        let latency = try time(action + #", "session": \#(prompt.id)"#, by: prompt, gates)
        guard mixing.allSatisfy({ $0.gate.grant.attenuation == (isOn ? 14 * 256 : 0) }) else {
            throw BenchmarkError("Not every session was \(isOn ? "ducked" : "restored").")
        }
        return latency
    }

    private func call() throws -> Latency {
        let gates = mixing.map(\.gate)
        let watch = Stopwatch(gates)
        let serial = try caller.send(#""request": "beginSystemSession", "rank": "call""#)
        let latency = try watch.stop { try caller.awaitReply(serial).reply }
        guard gates.allSatisfy(\.grant.paused), let id = watch.reply.number(after: #""session":"#) else {
            throw BenchmarkError("Not every session was interrupted.")
        }
        _ = try caller.ask(#""action": "endSystemSession", "session": \#(id), "shouldResume": true"#)
        for session in mixing {
            try session.ask("activate")
            if session.client === connections.last { try session.client.catchUp() }
        }
        return latency
    }

    private func time(_ request: String, by session: Session, _ gates: [Gate]) throws -> Latency {
        guard let connection = session.client as? Connection else {
            throw BenchmarkError("The request must come from this process.")
        }
        let watch = Stopwatch(gates)
        let serial = try connection.send(request)
        return try watch.stop { try connection.awaitReply(serial).reply }
    }

    /// Waits until all clients have received and read their notifications: the service is idle.
    private func rest() throws {
        for client in clients { _ = try client.ask(#""request": "synchronise""#) }
    }
}
